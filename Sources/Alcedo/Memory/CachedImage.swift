/// An image in the memory cache.
public struct CachedImage: Sendable {
    /// The key under which the image is stored.
    public let key: ImageKey
    /// The URL in its normal form, without its fragment, or the key that replaces it; nil for bytes provided by
    /// the program. See ``ImageKey/url``.
    public var url: String? { key.url }
    /// The id of bytes provided by the program; nil for a URL.
    public var id: String? { key.id }
    /// The size of the image in pixels.
    public let size: PixelSize
    /// The number of bytes of the image's pixels.
    public let byteCount: Int
    /// The tags of the image's request.
    public let tags: Set<String>
    /// The freshness of the image's response; nil if there was no response.
    public let freshness: Freshness?

    init(_ key: ImageKey, _ entry: MemoryEntry) {
        self.key = key
        size = entry.image.size
        byteCount = entry.cost
        tags = entry.tags
        freshness = entry.freshness
    }
}
