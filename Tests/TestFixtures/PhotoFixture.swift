import Alcedo
import Foundation

/// An image with the properties of photos: soft gradients, edges, and fine detail of little contrast.
enum PhotoFixture {
    /// A bitmap whose sides aren't divisible by any reduction.
    static let bitmap = Result { try make(803, 601) }

    static func make(_ width: Int, _ height: Int) throws -> Bitmap {
        var builder = try BitmapBuilder(size: PixelSize(width: width, height: height))
        builder.withBytes { bytes in
            for y in 0..<height {
                for x in 0..<width {
                    bytes.storeBytes(
                        of: pixel(Double(x), Double(y)), toByteOffset: (y * width + x) * 4, as: SIMD4<UInt8>.self)
                }
            }
        }
        return builder.freeze()
    }

    private static func pixel(_ x: Double, _ y: Double) -> SIMD4<UInt8> {
        let sky = 128 + 60 * sin(x / 97) * cos(y / 71)
        let hill = y > 300 + 80 * sin(x / 130) ? -50.0 : 20
        let grain = 9 * sin(x * 1.9 + y * 0.7) * sin(y * 1.3)
        func byte(_ value: Double) -> UInt8 { UInt8(max(0, min(255, value.rounded()))) }
        return [byte(sky + hill + grain), byte(sky - hill / 2 + grain), byte(150 + hill + grain / 2), 255]
    }

    /// The similarity of two images of the same size, in dB; infinite if they are equal.
    static func likeness(_ one: Bitmap, _ other: Bitmap) -> Double {
        var sum = 0.0
        for y in 0..<one.size.height {
            for x in 0..<one.size.width {
                let (a, b) = (one[x, y], other[x, y])
                for channel in 0..<3 {
                    let difference = Double(a[channel]) - Double(b[channel])
                    sum += difference * difference
                }
            }
        }
        return 10 * log10(255 * 255 / (sum / Double(one.size.width * one.size.height * 3)))
    }
}
