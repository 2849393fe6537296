package import Alcedo

/// Small images for tests.
public enum Pictures {
    /// Returns a bitmap whose pixels are the red, green, blue and alpha that `paint` returns.
    package static func make(
        _ width: Int, _ height: Int, _ paint: (_ x: Int, _ y: Int) -> SIMD4<UInt8>
    ) throws -> Bitmap {
        var builder = try BitmapBuilder(size: PixelSize(width: width, height: height))
        builder.withBytes { bytes in
            for y in 0..<height {
                for x in 0..<width {
                    bytes.storeBytes(of: paint(x, y), toByteOffset: (y * width + x) * 4, as: SIMD4<UInt8>.self)
                }
            }
        }
        return builder.freeze()
    }

    /// Returns a bitmap of one color, by default an opaque red.
    package static func plain(
        _ width: Int, _ height: Int, _ color: SIMD4<UInt8> = [200, 40, 20, 255]
    ) throws -> Bitmap {
        try make(width, height) { _, _ in color }
    }

    /// Returns a smooth, opaque bitmap that JPEG preserves almost exactly.
    package static func gradient(_ width: Int, _ height: Int) throws -> Bitmap {
        try make(width, height) { x, y in
            [UInt8(x * 255 / max(1, width - 1)), UInt8(y * 255 / max(1, height - 1)), 96, 255]
        }
    }

    /// Returns noise with all alpha values, correctly premultiplied.
    package static func noise(_ width: Int, _ height: Int, seed: UInt64) throws -> Bitmap {
        var random = SeededRandom(seed: seed)
        return try make(width, height) { _, _ in
            let alpha = UInt8.random(in: 0...255, using: &random)
            return [
                UInt8.random(in: 0...alpha, using: &random), UInt8.random(in: 0...alpha, using: &random),
                UInt8.random(in: 0...alpha, using: &random), alpha,
            ]
        }
    }
}
