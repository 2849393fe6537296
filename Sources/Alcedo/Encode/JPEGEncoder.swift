#if canImport(ImageIO) || os(Linux) && JPEG
public import Foundation

/// Writes baseline JPEG with halved colour resolution (4:2:0), the usual choice for photos.
///
/// JPEG doesn't support transparency: transparent pixels are blended over white. An image's RGB colour
/// profile is written. Costs about 3 ms per megapixel.
public struct JPEGEncoder: ImageEncoding {
    /// The quality from 0, smallest, to 100, best; 85 by default. Other values make ``encode(_:)-(Bitmap)``
    /// throw.
    public var quality: Int

    /// Whether to write the picture in several scans, each finer than the previous one; for tests that read such files.
    package var isProgressive = false

    public var format: ImageFormat { .jpeg }

    /// Creates an encoder.
    ///
    /// - Parameter quality: from 0 to 100; see ``quality``.
    public init(quality: Int = 85) { self.quality = quality }

    public func encode(_ bitmap: Bitmap) throws(ImageLoaderError) -> Data { try encode(bitmap, profile: nil) }

    public func encode(_ image: DecodedImage) throws(ImageLoaderError) -> Data {
        let colors = try WrittenColors(image.profile, room: Self.longestProfile)
        return try encode(colors.pixels(of: image.bitmap), profile: colors.profile)
    }

    private func encode(_ bitmap: Bitmap, profile: Data?) throws(ImageLoaderError) -> Data {
        guard (0...100).contains(quality) else {
            throw .encodingFailed(.jpeg, reason: "quality \(quality) is not within 0...100")
        }
        return try compress(bitmap, profile)
    }

    /// The longest part of a profile that a segment holds, in bytes.
    static let profilePart = 65_519
    /// Segments are counted with one byte.
    static let longestProfile = 255 * profilePart
}
#endif
