import Foundation

/// The difference of two colors of sRGB as CIEDE2000, which is about 1 where people begin to see it.
///
/// G. Sharma, W. Wu, E. Dalal, "The CIEDE2000 color-difference formula", 2005.
func colorDifference(_ one: SIMD4<UInt8>, _ other: SIMD4<UInt8>) -> Double { Lab(one).difference(to: Lab(other)) }

private struct Lab {
    let l: Double
    let a: Double
    let b: Double

    init(l: Double, a: Double, b: Double) { (self.l, self.a, self.b) = (l, a, b) }

    init(_ color: SIMD4<UInt8>) {
        let light = [color.x, color.y, color.z].map { value in
            let value = Double(value) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        func sum(_ row: [Double]) -> Double { zip(row, light).map { $0 * $1 }.reduce(0, +) }
        // Relative to D65.
        let x = sum([0.4124564, 0.3575761, 0.1804375]) / 0.95047
        let y = sum([0.2126729, 0.7151522, 0.0721750])
        let z = sum([0.0193339, 0.1191920, 0.9503041]) / 1.08883
        func root(_ value: Double) -> Double { value > 216.0 / 24_389 ? cbrt(value) : (841.0 / 108) * value + 4.0 / 29 }
        self.init(l: 116 * root(y) - 16, a: 500 * (root(x) - root(y)), b: 200 * (root(y) - root(z)))
    }

    func difference(to other: Lab) -> Double {
        let meanC = (hypot(a, b) + hypot(other.a, other.b)) / 2
        let g = 0.5 * (1 - (pow(meanC, 7) / (pow(meanC, 7) + pow(25, 7))).squareRoot())
        let (a1, a2) = (a * (1 + g), other.a * (1 + g))
        let (c1, c2) = (hypot(a1, b), hypot(a2, other.b))
        let (h1, h2) = (Self.hue(a1, b), Self.hue(a2, other.b))
        var deltaH = c1 * c2 == 0 ? 0 : h2 - h1
        if deltaH > 180 { deltaH -= 360 } else if deltaH < -180 { deltaH += 360 }
        var meanH = h1 + h2
        if c1 * c2 != 0 {
            if abs(h1 - h2) > 180 { meanH += meanH < 360 ? 360 : -360 }
            meanH /= 2
        }
        let (meanL, mean) = ((l + other.l) / 2, (c1 + c2) / 2)
        let t =
            1 - 0.17 * Self.cosine(meanH - 30) + 0.24 * Self.cosine(2 * meanH) + 0.32 * Self.cosine(3 * meanH + 6)
            - 0.20 * Self.cosine(4 * meanH - 63)
        let fromMiddle = (meanL - 50) * (meanL - 50)
        let lightness = (other.l - l) / (1 + 0.015 * fromMiddle / (20 + fromMiddle).squareRoot())
        let chroma = (c2 - c1) / (1 + 0.045 * mean)
        let hue = 2 * (c1 * c2).squareRoot() * Self.sine(deltaH / 2) / (1 + 0.015 * mean * t)
        let rotation =
            -2 * (pow(mean, 7) / (pow(mean, 7) + pow(25, 7))).squareRoot()
            * Self.sine(60 * exp(-pow((meanH - 275) / 25, 2)))
        return (lightness * lightness + chroma * chroma + hue * hue + rotation * chroma * hue).squareRoot()
    }

    /// In degrees from 0 to 360.
    private static func hue(_ a: Double, _ b: Double) -> Double {
        if a == 0, b == 0 { return 0 }
        let degrees = atan2(b, a) * 180 / .pi
        return degrees < 0 ? degrees + 360 : degrees
    }

    private static func cosine(_ degrees: Double) -> Double { cos(degrees * .pi / 180) }
    private static func sine(_ degrees: Double) -> Double { sin(degrees * .pi / 180) }
}
