/// How a request uses the caches.
///
/// Files, data URLs and bytes provided by the program are read under every policy, because no server is involved.
public enum CachePolicy: String, Sendable, Hashable, CaseIterable {
    /// Returns a cached image if there is one; otherwise downloads it and stores it in the caches.
    case useCaches
    /// Downloads the image whatever the caches hold, and stores it. The request asks the server and all caches on the
    /// way not to answer from theirs.
    case reload
    /// Downloads the image as ``reload`` does, and stores nothing.
    case bypass
    /// Returns a cached image, or throws ``ImageLoaderError/notCached``.
    case cachesOnly

    var readsCaches: Bool { self == .useCaches || self == .cachesOnly }
    var fillsCaches: Bool { self != .bypass }
}
