import Alcedo
import Foundation

/// A picture with what photos have, made by a formula: a sun in clouds over hills and a lake.
enum Landscape {
    static func make(_ width: Int, _ height: Int) throws -> Bitmap {
        var builder = try BitmapBuilder(size: PixelSize(width: width, height: height))
        builder.withBytes { bytes in
            for y in 0..<height {
                for x in 0..<width {
                    // The sensor's grain.
                    let grain = 0.05 * (value(Double(x) + 0.5, Double(y)) + value(Double(x), Double(y) + 0.5) - 1)
                    let color = light(Double(x) / Double(width), Double(y) / Double(height)) + grain
                    var pixel = (color * 255).clamped(lowerBound: .zero, upperBound: .init(repeating: 255))
                    pixel.w = 255
                    bytes.storeBytes(
                        of: SIMD4<UInt8>(truncatingIfNeeded: SIMD4<Int>(pixel.rounded(.toNearestOrEven))),
                        toByteOffset: (y * width + x) * 4, as: SIMD4<UInt8>.self)
                }
            }
        }
        return builder.freeze()
    }

    private typealias Color = SIMD4<Double>

    private static func light(_ x: Double, _ y: Double) -> Color {
        let shore = 0.76 + 0.006 * clouds(x * 14, 3)
        if y < shore { return land(x, y) }
        // The lake shows what is above it, upside down, darker and torn by ripples.
        let depth = (y - shore) / (1 - shore)
        let ripple = (clouds(x * 30, y * 220) - 0.5) * (0.01 + 0.04 * depth)
        let mirrored = land(x + ripple * 0.6, shore - (y - shore) * 1.9 + ripple)
        return mix(mirrored * 0.82, [0.10, 0.19, 0.26, 1], 0.25 + 0.35 * depth)
    }

    private static func land(_ x: Double, _ y: Double) -> Color {
        let forest = 0.665 + 0.05 * clouds(x * 5 + 9, 1) - 0.022 * abs(sin(x * 260 + 6 * clouds(x * 40, 5)))
        if y > forest {
            return mix([0.07, 0.13, 0.09, 1], [0.20, 0.28, 0.14, 1], clouds(x * 90, y * 110))
        }
        if y > 0.50 + 0.16 * clouds(x * 4 + 3, 2) {
            return mix([0.24, 0.36, 0.30, 1], [0.40, 0.46, 0.33, 1], clouds(x * 26, y * 40))
        }
        if y > 0.38 + 0.22 * clouds(x * 2.6, 7) {
            let haze = mix([0.42, 0.48, 0.58, 1], [0.63, 0.62, 0.66, 1], clouds(x * 16, y * 34))
            return mix(haze, [0.86, 0.76, 0.68, 1], max(0, y - 0.40) * 1.6)
        }
        return sky(x, y)
    }

    private static func sky(_ x: Double, _ y: Double) -> Color {
        let open = mix([0.20, 0.42, 0.74, 1], [0.98, 0.80, 0.58, 1], min(1, max(0, y) * 1.9))
        let cover = max(0, min(1, (clouds(x * 5 + 2, y * 14) - 0.48) * 3.4))
        let clouded = mix(open, mix([1, 0.97, 0.93, 1], [0.72, 0.66, 0.72, 1], clouds(x * 9, y * 22)), cover * 0.85)
        let distance = ((x - 0.71) * (x - 0.71) * 2.2 + (y - 0.27) * (y - 0.27)).squareRoot()
        return mix(clouded, [1, 0.95, 0.78, 1], max(0, min(1, 1.25 - distance * 14)) + 0.35 * exp(-distance * 9))
    }

    /// Noise of six octaves, from 0 to 1.
    private static func clouds(_ x: Double, _ y: Double) -> Double {
        var (sum, size, scale) = (0.0, 0.5, 1.0)
        for _ in 0..<6 {
            sum += size * noise(x * scale, y * scale)
            size /= 2
            scale *= 2.03
        }
        return sum
    }

    /// Smooth between random values at whole numbers.
    private static func noise(_ x: Double, _ y: Double) -> Double {
        let (left, top) = (x.rounded(.down), y.rounded(.down))
        let (across, down) = (smooth(x - left), smooth(y - top))
        func row(_ y: Double) -> Double {
            let (one, other) = (value(left, y), value(left + 1, y))
            return one + (other - one) * across
        }
        let (one, other) = (row(top), row(top + 1))
        return one + (other - one) * down
    }

    private static func smooth(_ part: Double) -> Double { part * part * (3 - 2 * part) }

    private static func value(_ x: Double, _ y: Double) -> Double {
        var bits =
            UInt64(bitPattern: Int64(x * 2)) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(bitPattern: Int64(y * 2))
            &* 0xD1B5_4A32_D192_ED03
        bits ^= bits >> 31
        bits = bits &* 0xBF58_476D_1CE4_E5B9
        return Double(bits >> 40) / Double(1 << 24)
    }

    private static func mix(_ one: Color, _ other: Color, _ share: Double) -> Color {
        one + (other - one) * max(0, min(1, share))
    }
}
