import Alcedo
import AlcedoTestSupport

/// Pictures and keys for the tests of the memory cache.
enum MemoryPicture {
    /// 10 × 10 pixels unless said otherwise, of 4 bytes each, that show a number.
    static func make(_ side: Int = 10, number: Int = 0) throws -> DecodedImage {
        let bytes = (0..<3).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        return DecodedImage(bitmap: try Pictures.plain(side, side, [bytes[0], bytes[1], bytes[2], 255]), format: .png)
    }

    static func number(_ image: DecodedImage) -> Int {
        let pixel = image.bitmap[0, 0]
        return Int(pixel[0]) | Int(pixel[1]) << 8 | Int(pixel[2]) << 16
    }

    static func key(_ name: String, _ width: Int? = nil, _ height: Int = 1) -> ImageKey {
        ImageKey(
            ResourceKey(text: name), ImageVariant(fitting: width.map { PixelSize(width: $0, height: height) }))
    }
}
