import Foundation

/// The difference of two colors of sRGB as CIEDE2000, which is about 1 where people begin to see it.
///
/// G. Sharma, W. Wu, E. Dalal, "The CIEDE2000 color-difference formula", 2005.
func colorDifference(_ one: SIMD4<UInt8>, _ other: SIMD4<UInt8>) -> Double {
    one == other ? 0 : Lab(one).difference(to: Lab(other))
}

private struct Lab {
    let l: Double
    let a: Double
    let b: Double

    init(l: Double, a: Double, b: Double) { (self.l, self.a, self.b) = (l, a, b) }

    init(_ color: SIMD4<UInt8>) {
        // Without arrays, as this runs for each pixel.
        let (red, green, blue) = (Self.light(color.x), Self.light(color.y), Self.light(color.z))
        // Relative to D65.
        let x: Double = 0.4124564 * red + 0.3575761 * green + 0.1804375 * blue
        let y: Double = 0.2126729 * red + 0.7151522 * green + 0.0721750 * blue
        let z: Double = 0.0193339 * red + 0.1191920 * green + 0.9503041 * blue
        let (rootX, rootY, rootZ) = (Self.root(x / 0.95047), Self.root(y), Self.root(z / 1.08883))
        self.init(l: 116 * rootY - 16, a: 500 * (rootX - rootY), b: 200 * (rootY - rootZ))
    }

    /// From 0 to 1.
    private static func light(_ channel: UInt8) -> Double {
        let value = Double(channel) / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    private static func root(_ value: Double) -> Double {
        value > 216.0 / 24_389 ? cbrt(value) : (841.0 / 108) * value + 4.0 / 29
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
        let first: Double = 0.24 * Self.cosine(2 * meanH) - 0.17 * Self.cosine(meanH - 30)
        let second: Double = 0.32 * Self.cosine(3 * meanH + 6) - 0.20 * Self.cosine(4 * meanH - 63)
        let t: Double = 1 + first + second
        let fromMiddle: Double = (meanL - 50) * (meanL - 50)
        let lightness: Double = (other.l - l) / (1 + 0.015 * fromMiddle / (20 + fromMiddle).squareRoot())
        let chroma: Double = (c2 - c1) / (1 + 0.045 * mean)
        let hue: Double = 2 * (c1 * c2).squareRoot() * Self.sine(deltaH / 2) / (1 + 0.015 * mean * t)
        let seventh = pow(mean, 7)
        let strength: Double = (seventh / (seventh + pow(25, 7))).squareRoot()
        let inBlue: Double = (meanH - 275) / 25
        let rotation: Double = -2 * strength * Self.sine(60 * exp(-inBlue * inBlue))
        let squares: Double = lightness * lightness + chroma * chroma + hue * hue
        return (squares + rotation * chroma * hue).squareRoot()
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
