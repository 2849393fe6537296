/// The levels of memory pressure to which a cache responds.
enum MemoryPressure: Sendable, Hashable {
    /// Memory is getting scarce.
    case warning
    /// Work is stalled for lack of memory, or a process was killed.
    case critical
    /// The app moved to the background, where the system terminates it sooner the more memory it holds. Apple platforms
    /// only.
    case background

    /// The fraction of its contents that a memory cache keeps.
    var fraction: Double {
        switch self {
        case .warning: 0.5
        case .critical: 0
        case .background: 0.1
        }
    }
}

/// The error if memory pressure can't be watched, with the failure of each attempt.
struct MemoryPressureUnavailable: Error, Sendable, Hashable {
    /// The failures, in the order of the attempts; empty when there was nothing to try.
    var failures: [FileError]
}
