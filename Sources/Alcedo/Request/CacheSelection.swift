public import Foundation

/// Some of the entries of a cache.
@nonexhaustive
public enum CacheSelection: Sendable, Hashable {
    /// All entries.
    case all
    /// Entries that have expired and whose bytes have not been removed yet.
    case expired
    /// Entries of one URL: all sizes, whatever else was sent with the request.
    case url(URL)
    /// Entries whose URL begins with this text. On disk, the end of every file is read.
    case prefix(String)
    /// Entries whose request had this tag when they were stored.
    case tag(String)
}
