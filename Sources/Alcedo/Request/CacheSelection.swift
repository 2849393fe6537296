public import Foundation

/// Some of the entries of a cache.
///
/// URLs are compared with the entries' keys. An entry's key is its URL unless a ``CacheKeyPolicy`` or
/// ``ImageRequest/init(url:cacheKey:)`` replaces it.
@nonexhaustive
public enum CacheSelection: Sendable, Hashable {
    /// All entries.
    case all
    /// Entries that have expired and whose bytes have not been removed yet.
    case expired
    /// Entries of one URL: all sizes, whatever else was sent with the request.
    ///
    /// A loader finds those of its key policy as well, by the key that the policy makes of the URL. A cache that is used
    /// by itself doesn't know the policy. Entries with a key of the program's own are found by that key alone.
    case url(URL)
    /// Entries whose key begins with this text. On disk, the end of every file is read.
    case prefix(String)
    /// Entries whose request had this tag when they were stored.
    case tag(String)
}
