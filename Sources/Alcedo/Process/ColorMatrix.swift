import Foundation

/// Computes each channel of a pixel as a weighted sum of its channels and full scale.
struct ColorMatrix: Sendable {
    /// The weights of red, green, blue and full scale in the new red, green and blue.
    let red: SIMD4<Float>
    let green: SIMD4<Float>
    let blue: SIMD4<Float>

    /// The weights of the channels in the brightness of a color (ITU-R BT.709).
    static let luminance = SIMD3(0.2126, 0.7152, 0.0722)

    /// - Parameters:
    ///   - brightness: The fraction of full scale that is added first.
    ///   - contrast: The factor for the difference from medium gray, applied next.
    ///   - saturation: The factor for the difference from the gray of the same luminance, applied last.
    init(brightness: Double, contrast: Double, saturation: Double) {
        let weights = contrast * (1 - saturation) * Self.luminance
        let offset = contrast * (brightness - 0.5) + 0.5
        func row(_ channel: Int) -> SIMD4<Float> {
            var row = SIMD4(weights, offset)
            row[channel] += contrast * saturation
            return SIMD4<Float>(row)
        }
        (red, green, blue) = (row(0), row(1), row(2))
    }

    /// Writes the new pixels. Premultiplied colors are used as they are, with alpha as full scale. The compiler
    /// vectorizes this.
    func apply(to source: UnsafePointer<UInt32>, _ count: Int, _ target: UnsafeMutablePointer<UInt32>) {
        for index in 0..<count {
            let pixel = UInt32(littleEndian: source[index])
            let (r, g) = (Float(Int32(pixel & 0xFF)), Float(Int32(pixel >> 8 & 0xFF)))
            let (b, a) = (Float(Int32(pixel >> 16 & 0xFF)), Float(Int32(pixel >> 24)))
            let newRed = (red.x * r + red.y * g + red.z * b + red.w * a).clamped(to: a).roundedBits
            let newGreen = (green.x * r + green.y * g + green.z * b + green.w * a).clamped(to: a).roundedBits
            let newBlue = (blue.x * r + blue.y * g + blue.z * b + blue.w * a).clamped(to: a).roundedBits
            target[index] = (newRed | newGreen << 8 | newBlue << 16 | pixel & 0xFF00_0000).littleEndian
        }
    }

    /// Like ``apply(to:_:_:)``, but then applies the curve to each channel without premultiplication.
    func apply(
        _ curve: ColorCurve, to source: UnsafePointer<UInt32>, _ count: Int, _ target: UnsafeMutablePointer<UInt32>
    ) {
        for index in 0..<count {
            let bytes = UnsafeRawPointer(source + index).load(as: SIMD4<UInt8>.self)
            guard bytes.w > 0 else {
                target[index] = 0
                continue
            }
            let (r, g, b, a) = (Float(bytes.x), Float(bytes.y), Float(bytes.z), Float(bytes.w))
            func new(_ row: SIMD4<Float>) -> UInt32 {
                let color = (row.x * r + row.y * g + row.z * b + row.w * a).clamped(to: a)
                return (curve[color / a] * a).roundedBits
            }
            let colors = new(red) | new(green) << 8 | new(blue) << 16
            target[index] = (colors | UInt32(bytes.w) << 24).littleEndian
        }
    }
}

/// A power function from 0...1 to 0...1, as a table.
struct ColorCurve: Sendable {
    private static let last = 8_191
    private let table: [Float]

    init(exponent: Double) {
        table = (0...Self.last).map { Float(pow(Double($0) / Double(Self.last), exponent)) }
    }

    /// The value for a number from 0 to 1.
    subscript(_ number: Float) -> Float {
        table[min(Self.last, Int(number * Float(Self.last) + 0.5))]
    }
}
