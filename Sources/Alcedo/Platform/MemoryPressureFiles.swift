/// The system's files that tell of memory pressure (Linux), each kind from the nearest to the widest: the first one
/// that can be used is.
struct MemoryPressureFiles: Sendable, Hashable {
    /// Where a wake-up is asked for when work waits for memory: `memory.pressure` of control groups (version 2), and
    /// the whole machine's. Version 1 has none of its own.
    var stalls: [String]
    /// The counters of control groups, `memory.events`.
    var events: [String]
}

extension MemoryPressureFiles {
    /// Those of a process in `groups`. A group without a memory controller is counted by the next one above.
    init(of groups: ControlGroups) {
        stalls = groups.unified.map { $0 + "/memory.pressure" } + ["/proc/pressure/memory"]
        events = groups.unified.map { $0 + "/memory.events" }
    }
}
