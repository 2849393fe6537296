import Alcedo
import AlcedoTestSupport
import Foundation

/// An image with the smooth areas, edges and grain of a photo. It is always the same.
enum PhotoPicture {
    static func make(width: Int, height: Int) throws -> Bitmap {
        var random = SeededRandom(seed: 12)
        let waves = (0..<width).map { wave(at: Double($0)) }
        var builder = try BitmapBuilder(size: PixelSize(width: width, height: height))
        builder.withBytes { bytes in
            for y in 0..<height {
                let sky = 70 + y * 120 / height
                for x in 0..<width {
                    let wave = waves[(x + y / 3) % width]
                    // Some blocks are lighter and flatter than their surroundings.
                    let isWall = (x / 173 + y / 211) % 5 == 0
                    let light = sky + (isWall ? wave / 3 + 45 : wave)
                    bytes.storeBytes(
                        of: pixel(light, grain: random.next()), toByteOffset: (y * width + x) * 4,
                        as: SIMD4<UInt8>.self)
                }
            }
        }
        return builder.freeze()
    }

    private static func wave(at x: Double) -> Int { Int(sin(x / 97) * 40 + sin(x / 11) * 12) }

    private static func pixel(_ light: Int, grain: UInt64) -> SIMD4<UInt8> {
        func channel(_ number: UInt64, _ percent: Int) -> UInt8 {
            let grain = Int(grain >> (8 * number) & 15) - 7
            return UInt8(max(0, min(255, light * percent / 100 + grain)))
        }
        return [channel(0, 90), channel(1, 100), channel(2, 110), 255]
    }
}
