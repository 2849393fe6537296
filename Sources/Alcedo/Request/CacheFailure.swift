/// A cache that could not do its work. The load went on without it.
public struct CacheFailure: Sendable, Hashable {
    /// What the cache was about to do: make or read its directory, read, write or remove an entry, or watch for memory
    /// pressure.
    public enum Operation: String, Sendable, Hashable {
        case open, read, write, remove, watch
    }

    /// What the cache was about to do.
    public let operation: Operation
    /// The file or directory concerned.
    public let path: String
    /// What went wrong, in the system's words where it was the system.
    public let reason: String
}

extension CacheFailure: CustomStringConvertible {
    public var description: String { "cache \(operation.rawValue) failed: \(path): \(reason)" }
}

extension CacheFailure {
    init(_ operation: Operation, _ error: FileError) {
        self.init(operation: operation, path: error.path, reason: "\(error.call): \(error.reason)")
    }
}
