/// A failed operation of a cache. The load continued without the cache.
public struct CacheFailure: Sendable, Hashable {
    /// The work that failed: opening the directory, reading, writing or removing an entry, or watching for memory
    /// pressure.
    public enum Operation: String, Sendable, Hashable {
        case open, read, write, remove, watch
    }

    /// The operation that failed.
    public let operation: Operation
    /// The path of the file or directory.
    public let path: String
    /// The reason, in the system's words if the system reported it.
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
