public import Foundation

/// An entry of the disk cache, as its file describes itself.
public struct DiskEntry: Sendable, Hashable {
    /// What names it among the entries: the file's name, a digest of its key.
    public internal(set) var digest: String
    /// Its file. It begins with the stored bytes as they are, so that other programs can read it as a picture.
    public internal(set) var file: URL
    /// Bytes that the file takes on disk.
    public internal(set) var byteCount: Int
    /// The URL that its bytes came from, as it was written, without its fragment, user name and password.
    public internal(set) var url: String
    /// Whether it is a picture made of those bytes, not the bytes themselves.
    public internal(set) var isProcessed: Bool
    /// The format of its picture.
    public internal(set) var format: ImageFormat?
    /// The size of its picture, in pixels.
    public internal(set) var size: PixelSize?
    /// The tags of the request that stored it.
    public internal(set) var tags: Set<String>
    /// When its bytes came.
    public internal(set) var storedAt: Date
    /// When it was last used, to the second.
    public internal(set) var lastUsedAt: Date
    /// When it is not found any more whether it is used or not; nil when only the cache's limits say so.
    public internal(set) var expiresAt: Date?
    /// Fields of the response's header that say how long it is fresh.
    public internal(set) var headers: HTTPHeaders
    /// How long the response that it came by may be used; nil where it did not say.
    public internal(set) var freshness: Freshness?
}

/// Some of the entries on disk.
public enum DiskSelection: Sendable {
    /// All of them.
    case all
    /// Those whose time is over.
    case expired
    /// Those of one URL: its bytes, whatever else was sent with the request, and the pictures made of them.
    case url(URL)
    /// Those whose URL, as it was written, begins so. Reads the end of every entry's file.
    case prefix(String)
    /// Those whose request had this tag.
    case tag(String)
    /// Those for which it returns true. Reads the end of every entry's file.
    case matching(@Sendable (DiskEntry) -> Bool)
}

/// An entry that was removed from the disk cache.
public struct RemovedEntry: Sendable, Hashable {
    /// What named it; see ``DiskEntry/digest``.
    public internal(set) var digest: String
    /// Bytes that its file took on disk.
    public internal(set) var byteCount: Int
}
