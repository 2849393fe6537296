/// Puts a colour beneath a picture. Made with ``ImageProcessing/background(_:)``.
public struct BackgroundProcessor: ImageProcessing, Hashable {
    /// Shown where the picture is transparent.
    public let color: PixelColor

    /// Creates a processor.
    public init(_ color: PixelColor) { self.color = color }

    public func identify(in identity: inout ProcessorIdentity) { identity.add(color) }

    public func process(_ picture: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        guard color.alpha > 0, !picture.isOpaque else { return picture }
        return try picture.blended(with: context.converted(color).pixel, .destinationOver, context)
    }
}

extension ImageProcessing where Self == BackgroundProcessor {
    /// Puts a colour beneath the picture: with an opaque one, the result is opaque.
    public static func background(_ color: PixelColor) -> BackgroundProcessor { BackgroundProcessor(color) }
}
