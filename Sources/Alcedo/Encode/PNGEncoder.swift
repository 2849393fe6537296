#if canImport(ImageIO) || os(Linux) && PNG
public import Foundation

/// Writes lossless PNG in the smallest suitable layout: decoding returns exactly the same bitmap, provided that no
/// color exceeds the alpha of its pixel. An image's RGB color profile is written.
///
/// Opaque images are stored without alpha, gray ones without color unless they have a profile, and images of at most
/// 256 colors with a palette where that is smaller. The choice takes at most 2 ms per megapixel. Images of up to 65,536
/// pixels that suit a palette are compressed with and without it.
///
/// The default compresses as other programs do, which takes 150 to 350 ms per megapixel of a photo. A
/// ``compressionLevel`` of 1 takes about 30 ms, for files that are a tenth to a fifth larger. On Apple's systems,
/// ImageIO chooses how pixels are stored and compressed.
public struct PNGEncoder: MetadataEncoding {
    /// The filters that prepare rows for compression (PNG third edition, section 9): each byte is replaced by its
    /// difference from a prediction. All of them are lossless.
    public enum Filter: Sendable, Hashable, CaseIterable {
        /// ``none`` for palettes (except those of a gray image), for fewer than 8 bits, and without compression;
        /// ``sub`` for the lowest compression level, which takes two thirds of the time of ``adaptive`` for slightly
        /// larger files; otherwise ``adaptive``.
        case automatic
        /// The bytes as they are.
        case none
        /// Differences from the pixel to the left.
        case sub
        /// Differences from the pixel above.
        case up
        /// Differences from the mean of both.
        case average
        /// Differences from the pixel to the left, above, or above to the left, whichever is nearest to the sum of the
        /// first two minus the third.
        case paeth
        /// For each row, whichever of the five leaves the smallest differences.
        case adaptive
    }

    /// zlib's level from 0, uncompressed, to 9, smallest; 6 by default. Other values make
    /// ``encode(_:)-(Bitmap)`` throw. Has no effect on Apple's systems.
    public var compressionLevel: Int
    /// The filter that prepares rows for compression. Default: ``Filter/automatic``. Has no effect on Apple's systems.
    public var filter: Filter
    /// The part of an image's metadata that is written. Default: ``MetadataWriting/strip``. Has no effect on Apple's
    /// systems.
    public var metadata = MetadataWriting.strip

    /// Whether to throw for an image that wouldn't decode to the same pixels, and to store no image as gray, so that
    /// any RGB profile can be added.
    var isExact = false

    public var format: ImageFormat { .png }

    public var identity: String { "PNG 1 \(compressionLevel) \(filter) \(metadata) \(isExact)" }

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - compressionLevel: from 0 to 9; see ``compressionLevel``.
    ///   - filter: see ``filter``.
    public init(compressionLevel: Int = 6, filter: Filter = .automatic) {
        self.compressionLevel = compressionLevel
        self.filter = filter
    }

    /// An encoder for a cache: fast, and its files always decode to the same pixels.
    static var exact: PNGEncoder {
        var encoder = PNGEncoder(compressionLevel: 1)
        encoder.isExact = true
        return encoder
    }

    public func encode(_ bitmap: Bitmap) throws(ImageLoaderError) -> Data { try encode(bitmap, nil, nil) }

    public func encode(_ image: DecodedImage) throws(ImageLoaderError) -> Data {
        let colors = try WrittenColors(image.profile, room: Self.longestProfile)
        return try encode(colors.pixels(of: image.bitmap), colors.profile, exif(of: image))
    }

    private func encode(_ bitmap: Bitmap, _ profile: Data?, _ exif: Data?) throws(ImageLoaderError) -> Data {
        try check(bitmap)
        return try compress(bitmap, profile, exif)
    }

    /// Throws for a bad setting, and for a bitmap that an exact encoder can't write.
    func check(_ bitmap: Bitmap) throws(ImageLoaderError) {
        guard (0...9).contains(compressionLevel) else {
            throw .encodingFailed(.png, reason: "compression level \(compressionLevel) is not within 0...9")
        }
        // PNG stores straight colors, which can't represent a premultiplied color above its alpha.
        if isExact, !bitmap.isPremultiplied {
            throw .encodingFailed(.png, reason: "a color above the alpha of its pixel")
        }
    }

    /// A chunk may be twice as long; packing may make a profile a little longer.
    static let longestProfile = 1 << 30
}
#endif
