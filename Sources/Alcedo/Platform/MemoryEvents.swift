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
        // A failed allocation, and a process killed for lack of memory.
        if rose("oom") || rose("oom_kill") { return .critical }
        // Reclaimed from although below the protected amount, throttled at `memory.high`, and reached `memory.max`,
        // which alone is no emergency, because the page cache counts towards a group too.
        return rose("low") || rose("high") || rose("max") ? .warning : nil
    }
}
