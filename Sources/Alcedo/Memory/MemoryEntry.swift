/// What the memory cache stores under a key.
package struct MemoryEntry: Sendable {
    package var image: DecodedImage
    /// The freshness of the image's response; nil if there was no response, or it didn't say.
    package var freshness: Freshness?
    /// Nil for entries without tags, of which there are many.
    private let box: TagBox?

    package init(_ image: DecodedImage, tags: Set<String> = [], freshness: Freshness? = nil) {
        self.image = image
        self.freshness = freshness
        box = tags.isEmpty ? nil : TagBox(tags)
    }

    package var tags: Set<String> { box?.tags ?? [] }

    /// The number of bytes that stay resident because of the entry.
    package var cost: Int { image.byteCount }

    /// Behind one reference, so that an entry is cheap to copy.
    private final class TagBox: Sendable {
        let tags: Set<String>
        init(_ tags: Set<String>) { self.tags = tags }
    }
}
