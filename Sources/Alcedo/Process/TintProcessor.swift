/// Replaces the colours of a picture by a single one. Made with ``ImageProcessing/tint(_:strength:)``.
public struct TintProcessor: ImageProcessing, Hashable {
    /// The colour that replaces others. Its alpha reduces the strength.
    public let color: PixelColor
    /// From 0, which changes nothing, to 1, which leaves nothing of the other colours.
    public let strength: Double

    /// Creates a processor.
    public init(_ color: PixelColor, strength: Double = 1) { (self.color, self.strength) = (color, strength) }

    public func identify(in identity: inout ProcessorIdentity) {
        identity.add(color)
        identity.add(strength)
    }

    public func validate() throws(ImageLoaderError) { try require("strength", strength, in: 0...1) }

    public func process(_ picture: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        try validate()
        let pixel = context.converted(color).pixel(opacity: strength)
        guard pixel != 0 else { return picture }
        return try picture.blended(with: pixel, .sourceAtop, context)
    }
}

extension ImageProcessing where Self == TintProcessor {
    /// Replaces the picture's colours by a single one, and keeps its alpha, for example to recolour an icon.
    ///
    /// - Parameters:
    ///   - color: Its alpha reduces the strength.
    ///   - strength: From 0, which changes nothing, to 1, which leaves nothing of the other colours. Default: 1.
    public static func tint(_ color: PixelColor, strength: Double = 1) -> TintProcessor {
        TintProcessor(color, strength: strength)
    }
}
