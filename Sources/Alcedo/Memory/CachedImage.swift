/// An image in the memory cache.
public struct CachedImage: Sendable {
    /// What it is found by.
    public let key: ImageKey
    /// The URL as its request spelled it, without its fragment; nil for bytes provided by the program.
    public var url: String? { key.url }
    /// The id of bytes provided by the program; nil for a URL.
    public var id: String? { key.id }
    /// Its size in pixels.
    public let size: PixelSize
    /// Bytes of its pixels.
    public let byteCount: Int
    /// The tags of its request.
    public let tags: Set<String>
    /// How long the response it came with may be used; nil if there was none, or it didn't say.
    public let freshness: Freshness?

    init(_ key: ImageKey, _ entry: MemoryEntry) {
        self.key = key
        size = entry.image.size
        byteCount = entry.cost
        tags = entry.tags
        freshness = entry.freshness
    }
}
