/// A processor that changes the brightness, contrast, saturation and gamma of an image. Create it with
/// ``ImageProcessing/colorControls(brightness:contrast:saturation:gamma:)``.
///
/// Works on sRGB values as they are stored, in this order, and limits them to the valid range once, before gamma.
public struct ColorControlsProcessor: ImageProcessing, Hashable {
    /// The fraction of full scale to add, from -1 to 1. 0 changes nothing.
    public let brightness: Double
    /// The factor for the difference from medium gray, from 0 to 100. 1 changes nothing.
    public let contrast: Double
    /// The factor for the difference from gray, from 0 to 100. 0 makes the image gray, 1 changes nothing.
    public let saturation: Double
    /// The gamma, from 0.01 to 100: values from 0 to 1 are raised to the power of 1 / gamma. More than 1 lightens the
    /// image.
    public let gamma: Double

    /// Creates a processor.
    public init(brightness: Double = 0, contrast: Double = 1, saturation: Double = 1, gamma: Double = 1) {
        (self.brightness, self.contrast) = (brightness, contrast)
        (self.saturation, self.gamma) = (saturation, gamma)
    }

    public func identify(in identity: inout ProcessorIdentity) {
        for value in [brightness, contrast, saturation, gamma] { identity.add(value) }
    }

    public func validate() throws(ImageLoaderError) {
        try require("brightness", brightness, in: -1...1)
        try require("contrast", contrast, in: 0...100)
        try require("saturation", saturation, in: 0...100)
        try require("gamma", gamma, in: 0.01...100)
    }

    public func process(_ image: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        try validate()
        guard (brightness, contrast, saturation, gamma) != (0, 1, 1, 1) else { return image }
        let matrix = ColorMatrix(brightness: brightness, contrast: contrast, saturation: saturation)
        let curve = gamma == 1 ? nil : ColorCurve(exponent: 1 / gamma)
        let width = image.size.width
        return try image.painted(image.size, context) { rows, memory in
            let (source, target) = (memory.source(rows.lowerBound), memory.target(rows.lowerBound))
            if let curve {
                matrix.apply(curve, to: source, rows.count * width, target)
            } else {
                matrix.apply(to: source, rows.count * width, target)
            }
        }
    }
}

extension ImageProcessing where Self == ColorControlsProcessor {
    /// Changes brightness, contrast, saturation and gamma, in this order. The defaults change nothing.
    ///
    /// - Parameters:
    ///   - brightness: The fraction of full scale to add, from -1 to 1. Default: 0.
    ///   - contrast: The factor for the difference from medium gray, from 0 to 100. Default: 1.
    ///   - saturation: The factor for the difference from gray, from 0 to 100. Default: 1.
    ///   - gamma: Values are raised to the power of 1 / gamma, from 0.01 to 100. Default: 1.
    public static func colorControls(
        brightness: Double = 0, contrast: Double = 1, saturation: Double = 1, gamma: Double = 1
    ) -> ColorControlsProcessor {
        ColorControlsProcessor(brightness: brightness, contrast: contrast, saturation: saturation, gamma: gamma)
    }
}
