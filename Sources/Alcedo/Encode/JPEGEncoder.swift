#if canImport(ImageIO) || os(Linux) && JPEG
public import Foundation

/// Writes JPEG: by default baseline, with halved color resolution, the usual choice for photos.
///
/// JPEG doesn't support transparency: transparent pixels are blended over white. An image's RGB color profile is
/// written. Without a profile, an image whose pixels are all gray is stored without colors, which changes nothing else.
///
/// Costs about 3 ms per megapixel, and a multiple of that with ``isProgressive`` or ``optimizesHuffmanTables``.
public struct JPEGEncoder: MetadataEncoding {
    /// The quality from 0, smallest, to 100, best; 85 by default. Other values make ``encode(_:)-(Bitmap)``
    /// throw.
    public var quality: Int
    /// Whether to write several scans, each finer than the previous one, so that a viewer can show the whole image
    /// early. Default: false.
    ///
    /// Such files are 3 to 20 percent smaller. Encoding takes some five times as long and needs 3 bytes of memory per
    /// pixel, or 6 with colors in full resolution. Decoding takes some three times as long.
    public var isProgressive = false
    /// The resolution of colors. Default: ``ChromaSubsampling/yuv420``. On Apple's systems, ImageIO chooses it.
    public var subsampling = ChromaSubsampling.yuv420
    /// Whether to compute the Huffman tables for the image instead of using standard ones, for a file that is 3 to 15
    /// percent smaller. Default: false. Progressive files always have computed tables.
    ///
    /// Takes twice as long, and as much memory as ``isProgressive``. On Apple's systems, ImageIO chooses the tables.
    public var optimizesHuffmanTables = false
    /// The number of rows of blocks between two restart markers, after which a damaged file becomes readable again:
    /// from 0, the default, for no markers, to 65,535. Other values make ``encode(_:)-(Bitmap)`` throw.
    ///
    /// A row is 8 or, in ``ChromaSubsampling/yuv420``, 16 pixels high. Has no effect on Apple's systems.
    public var restartRows = 0
    /// The part of an image's metadata that is written. Default: ``MetadataWriting/strip``. A segment holds 65,527
    /// bytes; more make ``encode(_:)-(DecodedImage)`` throw.
    public var metadata = MetadataWriting.strip

    public var format: ImageFormat { .jpeg }

    public var identity: String {
        "JPEG 1 \(quality) \(isProgressive) \(subsampling) \(optimizesHuffmanTables) \(restartRows) \(metadata)"
    }

    /// Creates an encoder.
    ///
    /// - Parameter quality: from 0 to 100; see ``quality``.
    public init(quality: Int = 85) { self.quality = quality }

    public func encode(_ bitmap: Bitmap) throws(ImageLoaderError) -> Data { try encode(bitmap, profile: nil) }

    public func encode(_ image: DecodedImage) throws(ImageLoaderError) -> Data {
        let colors = try WrittenColors(image.profile, room: Self.longestProfile)
        let file = try encode(colors.pixels(of: image.bitmap), profile: colors.profile)
        guard let exif = exif(of: image) else { return file }
        return try Self.embedded(exif: exif, in: file)
    }

    private func encode(_ bitmap: Bitmap, profile: Data?) throws(ImageLoaderError) -> Data {
        guard (0...100).contains(quality) else {
            throw .encodingFailed(.jpeg, reason: "quality \(quality) is not within 0...100")
        }
        guard (0...65_535).contains(restartRows) else {
            throw .encodingFailed(.jpeg, reason: "\(restartRows) rows between restarts are not within 0...65535")
        }
        return try compress(bitmap, profile)
    }

    /// The longest part of a profile that a segment holds, in bytes.
    static let profilePart = 65_519
    /// Segments are counted with one byte.
    static let longestProfile = 255 * profilePart
}
#endif
