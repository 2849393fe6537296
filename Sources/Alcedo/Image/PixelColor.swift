/// A color with 8 bits per channel. Its red, green and blue aren't multiplied by its alpha.
///
/// The color is in sRGB. Processors convert it to the color profile of their image, if there is one.
public struct PixelColor: Sendable, Hashable {
    /// Red, from 0 to 255.
    public var red: UInt8
    /// Green, from 0 to 255.
    public var green: UInt8
    /// Blue, from 0 to 255.
    public var blue: UInt8
    /// Alpha, from 0, transparent, to 255, opaque.
    public var alpha: UInt8

    /// Creates a color, by default an opaque one.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }

    /// Opaque black.
    public static let black = PixelColor(red: 0, green: 0, blue: 0)
    /// Opaque white.
    public static let white = PixelColor(red: 255, green: 255, blue: 255)
    /// Transparent black.
    public static let clear = PixelColor(red: 0, green: 0, blue: 0, alpha: 0)

    /// The premultiplied pixel, whose bytes in memory are red, green, blue, alpha.
    package var pixel: UInt32 { pixel(opacity: 1) }

    /// ``pixel`` with alpha multiplied by `opacity`, from 0 to 1. Rounds each channel once.
    func pixel(opacity: Double) -> UInt32 {
        let alpha = (Double(alpha) * opacity).rounded()
        // The exact product, but no more than the pixel's alpha.
        func premultiplied(_ value: UInt8) -> UInt32 {
            UInt32(min(alpha, (Double(value) * Double(self.alpha) / 255 * opacity).rounded()))
        }
        let colors = premultiplied(red) | premultiplied(green) << 8 | premultiplied(blue) << 16
        return (colors | UInt32(alpha) << 24).littleEndian
    }
}

extension PixelColor: CustomStringConvertible {
    /// The color as text, such as "#FF8000FF": red, green, blue and alpha in hexadecimal digits.
    public var description: String {
        "#" + [red, green, blue, alpha].map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}
