@testable import Alcedo

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
                    let pixel = paint(x, y)
                    for channel in 0..<4 {
                        bytes.storeBytes(
                            of: pixel[channel], toByteOffset: (y * width + x) * 4 + channel, as: UInt8.self)
                    }
                }
            }
        }
        return builder.freeze()
    }

    /// A smooth picture without transparency: JPEG keeps it nearly as it is.
    static func gradient(_ width: Int, _ height: Int) throws -> Bitmap {
        try make(width, height) { x, y in
            [UInt8(x * 255 / max(1, width - 1)), UInt8(y * 255 / max(1, height - 1)), 96, 255]
        }
    }

    /// Noise with all alphas, correctly premultiplied.
    static func noise(_ width: Int, _ height: Int, seed: UInt64) throws -> Bitmap {
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

/// SeededRandom: the same sequence for the same seed on every machine.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
