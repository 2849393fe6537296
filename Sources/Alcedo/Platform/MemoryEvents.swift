/// How often a control group came to its bounds: the counters of `memory.events` (Linux, cgroup version 2).
struct MemoryEvents: Sendable, Hashable {
    /// Taken from although below what it was promised, because the machine is short of memory.
    var low = 0
    /// Slowed down at `memory.high`.
    var high = 0
    /// Came to `memory.max`. Files that are read fill a group as well, so this alone is no emergency.
    var max = 0
    /// Found no memory at all.
    var oom = 0
    /// Processes that were ended for it.
    var oomKill = 0

    /// - Parameter text: a name and a number in each line. What is missing is 0, what is unknown is skipped.
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

    /// What happened since the counters were `earlier`; nil when nothing did.
    func pressure(since earlier: Self) -> MemoryPressure? {
        if oom > earlier.oom || oomKill > earlier.oomKill { return .critical }
        return low > earlier.low || high > earlier.high || max > earlier.max ? .warning : nil
    }
}
