/// Whether a request is answered from the caches.
///
/// Files, data URLs and bytes provided by the program are read under every policy, because no server is involved.
public enum CacheReadPolicy: String, Sendable, Hashable, CaseIterable {
    /// By the rules of HTTP (RFC 9111): a fresh response is used, and a stale one only after the server has confirmed
    /// it, except as it permits itself or as ``CacheRules/staleIfError`` does.
    case http
    /// A cached response is always used, because the content at a URL never changes, unless it is known to match no
    /// request, as with `Vary: *`. Entries are removed by their age since the last use only.
    case immutable
    /// The server is asked whether the cached response is still valid, even if it is fresh. If it is, nothing is sent
    /// again. A response with the directive `immutable` isn't revalidated while it is fresh.
    case revalidate
    /// The response is downloaded again whatever the caches hold. The request asks all caches on the way not to answer
    /// from theirs.
    case reload
    /// Only the caches answer, even if the response is stale. Otherwise, ``ImageLoaderError/notCached`` is thrown, also
    /// for a response that is known to match no request, as with `Vary: *`.
    case cachedOnly

    /// Whether anything in a cache can answer a request or be revalidated for it.
    package var readsCaches: Bool { self != .reload }
}

/// The caches that store the response to a request.
public enum CacheWritePolicy: String, Sendable, Hashable, CaseIterable {
    /// Both caches.
    case all
    /// Only the memory cache.
    case memoryOnly
    /// Only the disk cache.
    case diskOnly
    /// No cache.
    case nothing

    package var fillsMemory: Bool { self == .all || self == .memoryOnly }
    package var fillsDisk: Bool { self == .all || self == .diskOnly }
}
