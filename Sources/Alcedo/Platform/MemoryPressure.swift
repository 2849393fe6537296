/// How short memory is, in what a cache should do about it.
enum MemoryPressure: Sendable, Hashable {
    /// Memory begins to be short.
    case warning
    /// Work stands still for want of memory, or a process was ended.
    case critical
    /// The app went out of sight, where it is ended the sooner the more memory it holds. Apple's systems only.
    case background

    /// The part of what it holds that a memory cache is to keep.
    var fraction: Double {
        switch self {
        case .warning: 0.5
        case .critical: 0
        case .background: 0.1
        }
    }
}

/// Why memory pressure can't be watched here: what was tried, and how each try failed.
struct MemoryPressureUnavailable: Error, Sendable, Hashable {
    /// In the order of the tries; empty when there is nothing to try.
    var failures: [FileError]
}
