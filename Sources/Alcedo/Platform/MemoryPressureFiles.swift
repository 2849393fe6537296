/// The system's files that report memory pressure (Linux), each kind ordered from the nearest scope to the widest.
///
/// The first usable one is watched.
struct MemoryPressureFiles: Sendable, Hashable {
    /// Files that can wake the process when work waits for memory: `memory.pressure` of control groups (version 2), and
    /// the whole machine's. Version 1 has no such file.
    var stalls: [String]
    /// The counters of control groups, `memory.events`.
    var events: [String]
}

extension MemoryPressureFiles {
    /// The files of a process in `groups`. A group without a memory controller is counted by its nearest ancestor that
    /// has one.
    init(of groups: ControlGroups) {
        stalls = groups.unified.map { $0 + "/memory.pressure" } + ["/proc/pressure/memory"]
        events = groups.unified.map { $0 + "/memory.events" }
    }
}
