/// The files that the disk cache stores for an image that was scaled or processed for its request.
///
/// The original bytes of an animation are always stored. With ``processed`` and ``both``, a processed animation is
/// stored as animated PNG as well, with all frames, on Linux with the trait PNG, if all frames together have at most
/// 50 million pixels. An animation that was only scaled isn't: decoding its bytes again takes about as long as reading
/// PNG would.
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
    /// estimated. Waiting for a turn doesn't count, nor does decoding if the unprocessed image was in memory. It is
    /// assumed if the original has more than a million pixels and at least four times as many as the image. Animations
    /// are stored as received only.
    case automatic

    /// Whether the image is stored as it was made.
    ///
    /// - Parameters:
    ///   - isProcessed: Whether a processor made it.
    ///   - time: How long making it took; zero if that isn't known.
    func includes(_ image: DecodedImage, isProcessed: Bool, madeIn time: Duration) -> Bool {
        if image.animation != nil { return isProcessed && (self == .processed || self == .both) }
        switch self {
        case .originals: return false
        case .processed, .both: return isProcessed || image.originalSize != image.size
        case .automatic:
            let pixels = image.size.width * image.size.height
            let original = image.originalSize.width.multiplied(by: image.originalSize.height)
            if original > 1_000_000, original / 4 >= pixels { return true }
            return isProcessed && time > Self.timeToReadPixel * (4 * pixels)
        }
    }

    /// Decoding PNG takes about that long.
    private static let timeToReadPixel = Duration.nanoseconds(20)
}
