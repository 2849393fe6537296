#if canImport(ImageIO) || os(Linux) && JPEG
public import Foundation

/// Writes baseline JPEG with halved colour resolution (4:2:0), the usual choice for photos.
///
/// JPEG knows no transparency: what is transparent is laid over white. Costs some 3 ms per megapixel.
public struct JPEGEncoder: ImageEncoding {
    /// From 0, smallest, to 100, best; 85 by default. Other values make ``encode(_:)`` throw.
    public var quality: Int

    /// Whether it writes the picture in several scans, each finer than the one before; for tests of what reads them.
    package var isProgressive = false

    public var format: ImageFormat { .jpeg }

    /// - Parameter quality: from 0 to 100; see ``quality``.
    public init(quality: Int = 85) {
        self.quality = quality
    }

    public func encode(_ bitmap: Bitmap) throws(ImageLoaderError) -> Data {
        guard (0...100).contains(quality) else {
            throw .encodingFailed(.jpeg, reason: "quality \(quality) is not within 0...100")
        }
        return try compress(bitmap)
    }
}
#endif
