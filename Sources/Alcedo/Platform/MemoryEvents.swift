/// How often a control group reached its limits: the counters of `memory.events` (Linux, cgroup version 2).
struct MemoryEvents: Sendable, Hashable {
    private var counts: [Substring: Int] = [:]

    /// - Parameter text: A name and a number on each line.
    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            if fields.count == 2, let count = Int(fields[1]), count >= 0 { counts[fields[0]] = count }
        }
    }

    /// The pressure since the counters were `earlier`, or nil when nothing happened. Missing counters are 0.
    func pressure(since earlier: Self) -> MemoryPressure? {
        func rose(_ name: Substring) -> Bool { counts[name, default: 0] > earlier.counts[name, default: 0] }
        // An allocation failed, or a process was killed for lack of memory.
        if rose("oom") || rose("oom_kill") { return .critical }
        // Memory was reclaimed although the group was below its protected amount, the group was throttled at
        // `memory.high`, or it reached `memory.max`. The last alone is no emergency, because the page cache counts
        // toward a group, too.
        return rose("low") || rose("high") || rose("max") ? .warning : nil
    }
}
