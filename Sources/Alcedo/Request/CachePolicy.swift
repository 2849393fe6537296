/// What a request wants of the caches. Files, data URLs and the program's own bytes are read under each of them, as no
/// server is asked.
public enum CachePolicy: String, Sendable, Hashable, CaseIterable {
    /// Served from a cache that has it, downloaded and kept otherwise.
    case useCaches
    /// Downloaded, whatever the caches have, and kept. The server and all between are asked not to use theirs.
    case reload
    /// Downloaded as by ``reload``, and not kept.
    case bypass
    /// Served from a cache, or not at all: ``ImageLoaderError/notCached``.
    case cachesOnly

    var readsCaches: Bool { self == .useCaches || self == .cachesOnly }
    var fillsCaches: Bool { self != .bypass }
}
