/// How often a control group reached its limits: the counters of `memory.events` (Linux, cgroup version 2).
struct MemoryEvents: Sendable, Hashable {
    /// Reclaimed from although below its protected amount, because the machine is short of memory.
    var low = 0
    /// Throttled at `memory.high`.
    var high = 0
    /// Reached `memory.max`. The page cache counts towards a group too, so this alone is no emergency.
    var max = 0
    /// Failed to allocate memory.
    var oom = 0
    /// Processes killed for lack of memory.
    var oomKill = 0

    /// - Parameter text: A name and a number on each line. Missing counters are 0, unknown ones are skipped.
    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count == 2, let count = Int(fields[1]), count >= 0 else { continue }
            switch fields[0] {
            case "low": low = count
            case "high": high = count
            case "max": max = count
            case "oom": oom = count
            case "oom_kill": oomKill = count
            default: continue
            }
        }
    }

    /// The pressure since the counters were `earlier`, or nil when nothing happened.
    func pressure(since earlier: Self) -> MemoryPressure? {
        if oom > earlier.oom || oomKill > earlier.oomKill { return .critical }
        return low > earlier.low || high > earlier.high || max > earlier.max ? .warning : nil
    }
}
