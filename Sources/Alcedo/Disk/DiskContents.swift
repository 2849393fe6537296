/// What the disk cache keeps of a picture that was scaled down for its request.
public enum DiskContents: String, Sendable, Hashable, CaseIterable {
    /// The bytes as they came.
    case originals
    /// The picture that was made of them, as PNG, which loses nothing; of requests that change nothing, the bytes.
    case processed
    /// Both.
    case both
    /// The bytes as they came, and the picture too when those have more than a million pixels and four times as many as
    /// the picture: they would take long to decode again.
    case automatic

    /// Whether a scaled picture is kept.
    func includes(_ image: DecodedImage) -> Bool {
        switch self {
        case .originals: return false
        case .processed, .both: return image.originalSize != image.size
        case .automatic:
            let (original, overflows) = image.originalSize.width.multipliedReportingOverflow(
                by: image.originalSize.height)
            return !overflows && original > 1_000_000 && original / 4 >= image.size.width * image.size.height
        }
    }
}
