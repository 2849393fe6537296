/// What memory keeps under a key.
package struct MemoryEntry: Sendable {
    package var image: DecodedImage
    /// That of the response it came by; nil where there was none, or it told nothing.
    package var freshness: Freshness?
    /// nil for the many entries without any.
    private let box: TagBox?

    package init(_ image: DecodedImage, tags: Set<String> = [], freshness: Freshness? = nil) {
        self.image = image
        self.freshness = freshness
        box = tags.isEmpty ? nil : TagBox(tags)
    }

    package var tags: Set<String> { box?.tags ?? [] }

    /// Bytes that are resident because of it.
    package var cost: Int { image.byteCount }

    /// In one piece, so that an entry is small to copy.
    private final class TagBox: Sendable {
        let tags: Set<String>
        init(_ tags: Set<String>) { self.tags = tags }
    }
}
