/// What the memory cache stores under a key.
package struct MemoryEntry: Sendable {
    package var image: DecodedImage
    /// The freshness of the image's response; nil if there was no response, or it didn't say.
    package var freshness: Freshness?
    package let tags: Set<String>

    package init(_ image: DecodedImage, tags: Set<String> = [], freshness: Freshness? = nil) {
        self.image = image
        self.freshness = freshness
        self.tags = tags
    }

    /// The number of bytes that stay resident because of the entry.
    package var cost: Int { image.byteCount }
}
