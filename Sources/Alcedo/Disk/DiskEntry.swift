public import Foundation

/// An entry of the disk cache, as described by its file.
public struct DiskEntry: Sendable, Hashable {
    /// The entry's name, which is also its file's name: a digest of its key.
    public internal(set) var digest: String
    /// The entry's file.
    ///
    /// It begins with the stored bytes, so other programs can read it as an image.
    public internal(set) var file: URL
    /// The number of bytes that the file takes on disk.
    public internal(set) var byteCount: Int
    /// The URL that the bytes came from, in its normal form, without fragment, user name and password, or the
    /// key that replaces it; see ``ImageKey/url``.
    public internal(set) var url: String
    /// Whether the entry is an image made from those bytes rather than the bytes themselves.
    public internal(set) var isProcessed: Bool
    /// The format of the image.
    public internal(set) var format: ImageFormat?
    /// The size of the image in pixels.
    public internal(set) var size: PixelSize?
    /// The tags of the request that stored the entry.
    public internal(set) var tags: Set<String>
    /// When the bytes were received.
    public internal(set) var storedAt: Date
    /// When the entry was last used, to the second.
    public internal(set) var lastUsedAt: Date
    /// When the entry expires even if it is used; nil if only the cache's limits apply.
    public internal(set) var expiresAt: Date?
    /// The response header fields that determine the entry's freshness.
    public internal(set) var headers: HTTPHeaders
    /// The freshness of the entry's response; nil if the entry has no response.
    public internal(set) var freshness: Freshness?
}

/// An entry that was removed from the disk cache.
public struct RemovedEntry: Sendable, Hashable {
    /// The entry's name; see ``DiskEntry/digest``.
    public internal(set) var digest: String
    /// The number of bytes that the entry's file took on disk.
    public internal(set) var byteCount: Int
}
