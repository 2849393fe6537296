public import Foundation

/// Some of the entries of a cache.
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
    /// A loader finds them by the key that its policy makes of the URL. A cache that is used by itself knows no policy
    /// and compares the URL. Entries with a key of the program's own aren't found by their URL. A request
    /// with that key finds them, as in ``ImageLoader/remove(_:)-(ImageRequest)``, and so does ``prefix(_:)``.
    case url(URL)
    /// Entries whose key begins with this text, or with the normal form of the URLs that begin so; see <doc:URLs>. On
    /// disk, the end of every file is read.
    case prefix(String)
    /// Entries whose request had this tag when they were stored.
    case tag(String)
}
