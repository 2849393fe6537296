import Foundation

/// Maps HDR pixels to the range of sRGB.
///
/// Light of up to 1,000 cd/m² is compressed to 203 cd/m², the white of SDR in HDR (ITU-R BT.2408), by the curve of
/// ITU-R BT.2390, section 5.4.1. The curve is applied to the largest of the three colors, and all three are scaled
/// alike, so that hues are preserved. Colors outside the gamut of sRGB are clipped.
struct ToneMapping: Sendable {
    /// The coding of HDR (ITU-R BT.2100).
    enum Coding: Hashable, Sendable {
        /// Perceptual quantization, of absolute light.
        case pq
        /// Hybrid log-gamma, of light relative to that of a display with 1,000 cd/m².
        case hlg
    }

    private let coding: Coding
    /// The matrix from the colors of the file to those of sRGB.
    private let matrix: ColorMixing
    /// The contribution of each color to luminance.
    private let luminance: SIMD3<Float>
    private let tables: Tables
    private let curve = SRGBCurve.shared

    /// Creates a mapping. The first one for each coding takes about 15 ms, and 300 KiB that are never freed.
    init(_ coding: Coding, _ primaries: ColorDescription.Primaries) {
        self.coding = coding
        let toXYZ = ColorMixing(toXYZ: primaries)
        matrix = ColorMixing(toXYZ: .bt709).inverse * toXYZ
        luminance = SIMD3(toXYZ.rows[1])
        tables = coding == .pq ? .pq : .hlg
    }

    /// Maps samples of 16 bits, straight RGBA, to samples of 8 bits.
    func map(_ source: Span<UInt16>, to target: UnsafeMutableRawBufferPointer) {
        for start in stride(from: 0, to: min(source.count, target.count) - 3, by: 4) {
            let mapped = map(source[start], source[start + 1], source[start + 2])
            let alpha = UInt8((UInt32(source[start + 3]) + 128) / 257)
            target.storeBytes(
                of: SIMD4(mapped.x, mapped.y, mapped.z, alpha), toByteOffset: start, as: SIMD4<UInt8>.self)
        }
    }

    /// Maps samples of 8 bits, straight RGBA, in place.
    func map(_ pixels: UnsafeMutableRawBufferPointer) {
        for start in stride(from: 0, to: pixels.count - 3, by: 4) {
            let mapped = map(
                UInt16(pixels[start]) * 257, UInt16(pixels[start + 1]) * 257, UInt16(pixels[start + 2]) * 257)
            (pixels[start], pixels[start + 1], pixels[start + 2]) = (mapped.x, mapped.y, mapped.z)
        }
    }

    private func map(_ red: UInt16, _ green: UInt16, _ blue: UInt16) -> SIMD3<UInt8> {
        let light = tables.light
        var color = SIMD3(light[Int(red)], light[Int(green)], light[Int(blue)])
        if coding == .hlg { color *= Tables.value(at: (color * luminance).sum(), in: tables.displayGains) }
        color *= Tables.value(at: color.max(), in: tables.gains)
        return curve.samples(of: matrix.mix(color))
    }
}

/// The values of one coding for each sample, computed in advance.
private struct Tables: Sendable {
    /// The light of each 16-bit sample, in units of 1,000 cd/m².
    let light: [Float]
    /// The factors from the light of the scene to that of the display, by the light of the scene; only for HLG
    /// (BT.2100, table 5).
    let displayGains: [Float]
    /// The compression factors, by light. Afterwards, white is 1.
    let gains: [Float]

    static let pq = Tables(light: { min(1, PQ.light(of: $0) / peak) })
    static let hlg = Tables(light: HLG.light)

    private static let last = 4_095
    /// The peak and the white, in cd/m².
    private static let (peak, white) = (1_000.0, 203.0)

    private init(light: (Double) -> Double) {
        self.light = (0...65_535).map { Float(light(Double($0) / 65_535)) }
        displayGains = (0...Self.last).map { Float(pow(Self.light(at: $0), 0.2)) }
        gains = (0...Self.last).map { index in
            let light = Self.light(at: max(index, 1)) * Self.peak
            return Float(Self.compressed(light) / light * Self.peak / Self.white)
        }
    }

    /// The light whose fourth root is the index, so that dark colors have as many entries as bright ones.
    private static func light(at index: Int) -> Double { pow(Double(index) / Double(last), 4) }

    static func value(at light: Float, in table: [Float]) -> Float {
        let place = min(max(light, 0), 1).squareRoot().squareRoot() * Float(last)
        let index = min(Int(place), last - 1)
        let part = place - Float(index)
        return table[index] * (1 - part) + table[index + 1] * part
    }

    /// The curve of BT.2390, from light to light in cd/m².
    private static func compressed(_ light: Double) -> Double {
        let source = PQ.code(of: peak)
        let most = PQ.code(of: white) / source
        let knee = 1.5 * most - 0.5
        let code = min(1, PQ.code(of: light) / source)
        if code < knee { return light }
        let t = (code - knee) / (1 - knee)
        let (square, cube) = (t * t, t * t * t)
        let start = (2 * cube - 3 * square + 1) * knee + (cube - 2 * square + t) * (1 - knee)
        return PQ.light(of: (start + (3 * square - 2 * cube) * most) * source)
    }
}

/// Perceptual quantization (SMPTE ST 2084), between codes from 0 to 1 and light in cd/m².
private enum PQ {
    private static let (m1, m2) = (2_610.0 / 16_384, 2_523.0 / 32)
    private static let (c1, c2, c3) = (3_424.0 / 4_096, 2_413.0 / 128, 2_392.0 / 128)

    static func light(of code: Double) -> Double {
        let root = pow(code, 1 / m2)
        return 10_000 * pow(max(0, root - c1) / (c2 - c3 * root), 1 / m1)
    }

    static func code(of light: Double) -> Double {
        let root = pow(light / 10_000, m1)
        return pow((c1 + c2 * root) / (1 + c3 * root), m2)
    }
}

private enum HLG {
    /// The light of the scene, from 0 to 1 (BT.2100, table 5).
    static func light(of code: Double) -> Double {
        let (a, b, c) = (0.178_832_77, 0.284_668_92, 0.559_910_73)
        return code <= 0.5 ? code * code / 3 : (exp((code - c) / a) + b) / 12
    }
}
