#if canImport(ImageIO) || os(Linux) && PNG
public import Alcedo
public import Foundation

extension Pictures {
    /// A PNG file of one colour.
    ///
    /// On Linux it exists only with the trait PNG.
    ///
    /// - Parameters:
    ///   - width: In pixels, at least 1.
    ///   - height: In pixels, at least 1.
    ///   - color: The colour of all pixels. Default: opaque red. The decoded image has it with its red, green and blue
    ///     multiplied by its alpha.
    /// - Throws: `ImageLoaderError` if an image can't have that size.
    public static func png(
        width: Int, height: Int, color: PixelColor = PixelColor(red: 200, green: 40, blue: 20)
    ) throws(ImageLoaderError) -> Data {
        var builder = try BitmapBuilder(size: PixelSize(width: width, height: height))
        builder.withBytes { bytes in
            for offset in stride(from: 0, to: bytes.byteCount, by: 4) {
                bytes.storeBytes(of: color.pixel, toByteOffset: offset, as: UInt32.self)
            }
        }
        return try PNGEncoder().encode(builder.freeze())
    }
}
#endif

#if canImport(ImageIO) || os(Linux) && JPEG && PNG
extension Pictures {
    /// The gradient in that size as a PNG file.
    package static func png(_ width: Int = 8, _ height: Int = 6) throws -> Data {
        try PNGEncoder().encode(gradient(width, height))
    }

    /// The gradient in that size as a JPEG file.
    package static func jpeg(_ width: Int = 64, _ height: Int = 48) throws -> Data {
        try JPEGEncoder().encode(gradient(width, height))
    }
}
#endif
