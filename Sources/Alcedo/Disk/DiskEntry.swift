public import Foundation

/// An entry of the disk cache, as its file describes itself.
public struct DiskEntry: Sendable, Hashable {
    /// Its name among the entries: the file's name, a digest of its key.
    public internal(set) var digest: String
    /// Its file. It begins with the stored bytes, so other programs can read it as an image.
    public internal(set) var file: URL
    /// Bytes the file takes on disk.
    public internal(set) var byteCount: Int
    /// The URL its bytes came from, as the request spelled it, without fragment, user name and password.
    public internal(set) var url: String
    /// Whether it is an image made of those bytes rather than the bytes themselves.
    public internal(set) var isProcessed: Bool
    /// The format of its image.
    public internal(set) var format: ImageFormat?
    /// The size of its image, in pixels.
    public internal(set) var size: PixelSize?
    /// The tags of the request that stored it.
    public internal(set) var tags: Set<String>
    /// When its bytes were received.
    public internal(set) var storedAt: Date
    /// When it was last used, to the second.
    public internal(set) var lastUsedAt: Date
    /// When it expires even if it is used; nil if only the cache's limits apply.
    public internal(set) var expiresAt: Date?
    /// Fields of the response's header that determine its freshness.
    public internal(set) var headers: HTTPHeaders
    /// How long the response it came with may be used; nil if it didn't say.
    public internal(set) var freshness: Freshness?
}

/// An entry that was removed from the disk cache.
public struct RemovedEntry: Sendable, Hashable {
    /// Its name; see ``DiskEntry/digest``.
    public internal(set) var digest: String
    /// Bytes its file took on disk.
    public internal(set) var byteCount: Int
}
