public import Foundation

/// A selection of cache entries.
///
/// URLs are compared with the entries' keys. An entry's key is its URL unless a ``CacheKeyPolicy`` or
/// ``ImageRequest/init(url:cacheKey:)`` replaces it. User names and passwords in URLs are ignored, because a disk cache
/// doesn't store them.
@nonexhaustive
public enum CacheSelection: Sendable, Hashable {
    /// All entries.
    case all
    /// Entries that have expired and whose bytes have not been removed yet.
    case expired
    /// Entries of one URL: all sizes, whatever else was sent with the request.
    ///
    /// A loader finds them by the key that its policy makes from the URL. A cache that is used without a loader has no
    /// policy and compares the URL. Entries with a custom key aren't found by their URL. They are found by a request
    /// with that key, as in ``ImageLoader/remove(_:)-(ImageRequest)``, and by ``prefix(_:)``.
    case url(URL)
    /// Entries whose key begins with this text, or with the normal form of a URL that begins with it; see <doc:URLs>.
    /// On disk, this reads the end of every file.
    case prefix(String)
    /// Entries whose request had this tag when they were stored.
    case tag(String)
}
