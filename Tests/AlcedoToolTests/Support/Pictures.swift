import Alcedo
import Foundation

/// Pictures made for tests.
enum Pictures {
    /// A picture whose pixels `paint` tells, as red, green, blue, alpha.
    static func make(
        _ width: Int, _ height: Int, _ paint: (_ x: Int, _ y: Int) -> SIMD4<UInt8>
    ) throws -> Bitmap {
        var builder = try BitmapBuilder(size: PixelSize(width: width, height: height))
        builder.withBytes { bytes in
            for y in 0..<height {
                for x in 0..<width {
                    bytes.storeBytes(
                        of: paint(x, y), toByteOffset: (y * width + x) * 4, as: SIMD4<UInt8>.self)
                }
            }
        }
        return builder.freeze()
    }

    static func plain(_ width: Int, _ height: Int, _ colour: SIMD4<UInt8> = [200, 40, 20, 255]) throws -> Bitmap {
        try make(width, height) { _, _ in colour }
    }

    static func png(_ width: Int = 8, _ height: Int = 6) throws -> Data {
        try PNGEncoder().encode(plain(width, height))
    }

    static func jpeg(_ width: Int = 32, _ height: Int = 24) throws -> Data {
        try JPEGEncoder().encode(plain(width, height))
    }
}
