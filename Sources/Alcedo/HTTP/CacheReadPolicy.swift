/// The policy that determines whether caches may answer a request.
///
/// Files, data URLs and bytes provided by the program are read under every policy, because no server is involved.
public enum CacheReadPolicy: String, Sendable, Hashable, CaseIterable {
    /// Caches answer by the rules of HTTP (RFC 9111). A fresh response is used. A stale one is used only after the
    /// server has confirmed it, unless the response itself or ``CacheRules/staleIfError`` permits otherwise.
    case http
    /// A cached response is always used, because the content at a URL never changes. The exception is a response that
    /// is known to match no request, as with `Vary: *`. Entries expire only by the time since their last use.
    case immutable
    /// The server is asked whether the cached response is still valid, even if it is fresh. If it is, the body isn't
    /// sent again. A response with the directive `immutable` isn't revalidated while it is fresh.
    case revalidate
    /// The response is downloaded again, whatever the caches hold. The request asks all caches along the way not to
    /// answer it.
    case reload
    /// Only the caches answer, even with a stale response. ``ImageLoaderError/notCached`` is thrown if there is no
    /// response, or if it is known to match no request, as with `Vary: *`.
    case cachedOnly

    /// Whether a cached response may answer a request or be revalidated for it.
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
