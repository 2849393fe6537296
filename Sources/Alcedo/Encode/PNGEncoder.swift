#if canImport(ImageIO) || os(Linux) && PNG
public import Foundation

/// Writes PNG of 8 bits with alpha: without loss, so decoding gives back the very same bitmap, if no colour is above
/// the alpha of its pixel.
///
/// Made to be fast, for a cache: one filter (Sub) and the lowest compression, some 50 ms per megapixel. On Apple's
/// systems ImageIO makes both choices.
public struct PNGEncoder: ImageEncoding {
    /// zlib's level from 0, stored as it is, to 9, smallest; 1 by default. Other values make ``encode(_:)`` throw.
    public var compressionLevel: Int

    /// Whether a picture that would not be decoded again as it is, is an error.
    var isExact = false

    public var format: ImageFormat { .png }

    /// - Parameter compressionLevel: from 0 to 9; see ``compressionLevel``.
    public init(compressionLevel: Int = 1) {
        self.compressionLevel = compressionLevel
    }

    /// For what must be decoded again as it is.
    static var exact: PNGEncoder {
        var encoder = PNGEncoder()
        encoder.isExact = true
        return encoder
    }

    public func encode(_ bitmap: Bitmap) throws(ImageLoaderError) -> Data {
        guard (0...9).contains(compressionLevel) else {
            throw .encodingFailed(.png, reason: "compression level \(compressionLevel) is not within 0...9")
        }
        // The file's colours are not multiplied by their alpha: those above it have no place there.
        if isExact, !bitmap.isPremultiplied {
            throw .encodingFailed(.png, reason: "a colour above the alpha of its pixel")
        }
        return try compress(bitmap)
    }
}
#endif
