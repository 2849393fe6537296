import Foundation

/// The curve of sRGB, which converts between samples and light (IEC 61966-2-1).
struct SRGBCurve: Sendable {
    /// The light of each sample, from 0 to 1.
    let light: [Float]
    /// The samples by the square root of light, so that dark samples have as many entries as bright ones.
    private let samples: [UInt8]

    private static let last = 4_095

    static let shared = SRGBCurve()

    private init() {
        light = (0...255).map { sample in
            let value = Double(sample) / 255
            return Float(value <= 0.040_45 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4))
        }
        samples = (0...Self.last).map { index in
            let light = pow(Double(index) / Double(Self.last), 2)
            let value = light <= 0.003_130_8 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
            return UInt8(value * 255 + 0.5)
        }
    }

    /// The samples of light, which is clipped to the range from 0 to 1.
    func samples(of light: SIMD3<Float>) -> SIMD3<UInt8> {
        let clipped = light.clamped(lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 1))
        let index = SIMD3<Int32>(clipped.squareRoot() * Float(Self.last), rounding: .toNearestOrEven)
        return SIMD3(samples[Int(index.x)], samples[Int(index.y)], samples[Int(index.z)])
    }
}
