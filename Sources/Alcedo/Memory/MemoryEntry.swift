/// An entry of the memory cache.
package struct MemoryEntry: Sendable {
    package var image: DecodedImage
    /// The response that the image was made from; nil if there was none.
    package var response: StoredResponse?
    package let tags: Set<String>

    package init(_ image: DecodedImage, tags: Set<String> = [], response: StoredResponse? = nil) {
        self.image = image
        self.response = response
        self.tags = tags
    }

    package var freshness: Freshness? { response?.freshness }

    /// The number of bytes of memory that the entry keeps in use.
    package var cost: Int { image.byteCount }
}
