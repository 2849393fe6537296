/// What the disk cache stores for an image that was scaled or processed for its request.
///
/// An animation is always stored as received, unless nothing is. Once processed, it is stored as animated PNG too,
/// with all frames. If it was only scaled, it isn't: decoding its bytes again takes about as long as reading PNG would.
public enum DiskContents: String, Sendable, Hashable, CaseIterable {
    /// The bytes as received.
    case originals
    /// The image as it was made, as lossless PNG; for requests that don't change the image, the bytes as received.
    case processed
    /// Both the bytes as received and the image as it was made.
    case both
    /// The bytes as received, and the image as it was made too if making it again would be slow.
    ///
    /// That is so if decoding and processing took four times as long as reading the stored image would, which is
    /// estimated. It is assumed if the original has more than a million pixels and at least four times as many as the
    /// image. The first frame of an animation stands for all of them.
    case automatic

    /// Whether the image is stored as it was made.
    ///
    /// - Parameters:
    ///   - isProcessed: Whether a processor made it.
    ///   - time: How long making it took; nil if that isn't known.
    func includes(_ image: DecodedImage, isProcessed: Bool, madeIn time: Duration?) -> Bool {
        if image.animation != nil, !isProcessed { return false }
        switch self {
        case .originals: return false
        case .processed, .both: return isProcessed || image.originalSize != image.size
        case .automatic:
            let pixels = image.size.width * image.size.height
            let original = image.originalSize.width.multiplied(by: image.originalSize.height)
            if original > 1_000_000, original / 4 >= pixels { return true }
            return isProcessed && time.map { $0 > Self.timeToReadPixel * (4 * pixels) } ?? false
        }
    }

    /// Decoding PNG takes about that long.
    private static let timeToReadPixel = Duration.nanoseconds(20)
}
