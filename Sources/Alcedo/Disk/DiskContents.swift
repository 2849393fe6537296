/// What the disk cache stores for an image that was scaled down for its request.
public enum DiskContents: String, Sendable, Hashable, CaseIterable {
    /// The bytes as received.
    case originals
    /// The scaled image, as lossless PNG; for requests that don't change the image, the bytes as received.
    case processed
    /// Both the bytes as received and the scaled image.
    case both
    /// The bytes as received, and the scaled image too if decoding again would be slow.
    ///
    /// That is assumed if the original has more than a million pixels and at least four times as many as the scaled
    /// image.
    case automatic

    /// Whether the scaled image is stored.
    func includes(_ image: DecodedImage) -> Bool {
        switch self {
        case .originals: return false
        case .processed, .both: return image.originalSize != image.size
        case .automatic:
            let original = image.originalSize.width.multiplied(by: image.originalSize.height)
            return original > 1_000_000 && original / 4 >= image.size.width * image.size.height
        }
    }
}
