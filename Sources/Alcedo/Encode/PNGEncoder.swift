#if canImport(ImageIO) || os(Linux) && PNG
public import Foundation

/// Writes lossless PNG of 8 bits with alpha: decoding returns exactly the same bitmap, provided that no colour exceeds
/// the alpha of its pixel. An image's RGB colour profile is written.
///
/// Tuned for speed, for use in a cache: one filter (Sub) and the lowest compression, about 50 ms per megapixel. On
/// Apple's systems, ImageIO chooses both.
public struct PNGEncoder: ImageEncoding {
    /// zlib's level from 0, uncompressed, to 9, smallest; 1 by default. Other values make
    /// ``encode(_:)-(Bitmap)`` throw.
    public var compressionLevel: Int

    /// Whether to throw for a picture that wouldn't decode to the same pixels.
    var isExact = false

    public var format: ImageFormat { .png }

    /// Creates an encoder.
    ///
    /// - Parameter compressionLevel: from 0 to 9; see ``compressionLevel``.
    public init(compressionLevel: Int = 1) { self.compressionLevel = compressionLevel }

    /// An encoder whose files always decode to the same pixels.
    static var exact: PNGEncoder {
        var encoder = PNGEncoder()
        encoder.isExact = true
        return encoder
    }

    public func encode(_ bitmap: Bitmap) throws(ImageLoaderError) -> Data { try encode(bitmap, profile: nil) }

    public func encode(_ image: DecodedImage) throws(ImageLoaderError) -> Data {
        let colors = try WrittenColors(image.profile, room: Self.longestProfile)
        return try encode(colors.pixels(of: image.bitmap), profile: colors.profile)
    }

    private func encode(_ bitmap: Bitmap, profile: Data?) throws(ImageLoaderError) -> Data {
        guard (0...9).contains(compressionLevel) else {
            throw .encodingFailed(.png, reason: "compression level \(compressionLevel) is not within 0...9")
        }
        // PNG stores straight colours, which can't represent a premultiplied colour above its alpha.
        if isExact, !bitmap.isPremultiplied {
            throw .encodingFailed(.png, reason: "a colour above the alpha of its pixel")
        }
        return try compress(bitmap, profile)
    }

    /// A chunk may be twice as long; packing may make a profile a little longer.
    static let longestProfile = 1 << 30
}
#endif
