/// A processor that replaces the colors of an image with a single one. Create it with
/// ``ImageProcessing/tint(_:strength:)``.
public struct TintProcessor: ImageProcessing, Hashable {
    /// The new color. Its alpha reduces the strength.
    public let color: PixelColor
    /// The strength, from 0, which changes nothing, to 1, which leaves nothing of the other colors.
    public let strength: Double

    /// Creates a processor.
    public init(_ color: PixelColor, strength: Double = 1) { (self.color, self.strength) = (color, strength) }

    public func identify(in identity: inout ProcessorIdentity) {
        identity.add(color)
        identity.add(strength)
    }

    public func validate() throws(ImageLoaderError) { try require("strength", strength, in: 0...1) }

    public func process(_ image: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        try validate()
        let pixel = context.converted(color).pixel(opacity: strength)
        guard pixel != 0 else { return image }
        return try image.blended(with: pixel, .sourceAtop, context)
    }
}

extension ImageProcessing where Self == TintProcessor {
    /// Replaces the image's colors with a single one, and keeps its alpha, for example to recolor an icon.
    ///
    /// - Parameters:
    ///   - color: The new color. Its alpha reduces the strength.
    ///   - strength: The strength, from 0, which changes nothing, to 1, which leaves nothing of the other colors.
    ///     Default: 1.
    public static func tint(_ color: PixelColor, strength: Double = 1) -> TintProcessor {
        TintProcessor(color, strength: strength)
    }
}
