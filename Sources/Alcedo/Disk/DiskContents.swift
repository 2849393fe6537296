/// The files that the disk cache stores for an image that was scaled or processed for its request.
///
/// The original bytes of an animation are always stored. With ``processed`` and ``both``, a processed animation is also
/// stored as an animated PNG with all frames. This requires Linux, the trait PNG, and at most 50 million pixels in all
/// frames together. An animation that was only scaled isn't stored as PNG, because decoding its original bytes again
/// takes about as long as reading the PNG would.
public enum DiskContents: String, Sendable, Hashable, CaseIterable {
    /// The bytes as received.
    case originals
    /// The image made for the request, as lossless PNG; for requests that don't change the image, the bytes as
    /// received.
    case processed
    /// Both the bytes as received and the image made for the request.
    case both
    /// The bytes as received, and also the image made for the request if making it again would be slow.
    ///
    /// Making a processed image is slow if decoding and processing took more than four times as long as reading the
    /// stored image is estimated to take. Time spent waiting for a turn doesn't count, nor does decoding if the
    /// unprocessed image was in memory. Making any image is assumed to be slow if the original has more than a million
    /// pixels and at least four times as many as the image. Animations are stored only as received.
    case automatic

    /// Whether to store the image made for the request.
    ///
    /// - Parameters:
    ///   - isProcessed: Whether a processor made the image.
    ///   - time: The time it took to make the image; zero if unknown.
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

    /// The approximate time to decode one pixel of a PNG.
    private static let timeToReadPixel = Duration.nanoseconds(20)
}
