#if canImport(ImageIO) || os(Linux) && PNG
public import Alcedo
public import Foundation

extension Pictures {
    /// Returns a PNG file of one color.
    ///
    /// On Linux, this function requires the trait PNG.
    ///
    /// - Parameters:
    ///   - width: The width in pixels, at least 1.
    ///   - height: The height in pixels, at least 1.
    ///   - color: The color of all pixels. Default: opaque red. In the decoded image, red, green and blue are
    ///     multiplied by alpha.
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
    /// Returns a gradient of the given size as a PNG file.
    package static func png(_ width: Int = 8, _ height: Int = 6) throws -> Data {
        try PNGEncoder().encode(gradient(width, height))
    }

    /// Returns a gradient of the given size as a JPEG file.
    package static func jpeg(_ width: Int = 64, _ height: Int = 48) throws -> Data {
        try JPEGEncoder().encode(gradient(width, height))
    }
}
#endif
