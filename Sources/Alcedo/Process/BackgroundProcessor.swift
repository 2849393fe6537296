/// A processor that puts a color beneath an image. Create it with ``ImageProcessing/background(_:)``.
public struct BackgroundProcessor: ImageProcessing, Hashable {
    /// The color to show where the image is transparent.
    public let color: PixelColor

    /// Creates a processor.
    public init(_ color: PixelColor) { self.color = color }

    public func identify(in identity: inout ProcessorIdentity) { identity.add(color) }

    public func process(_ image: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        guard color.alpha > 0, !image.isOpaque else { return image }
        return try image.blended(with: context.converted(color).pixel, .destinationOver, context)
    }
}

extension ImageProcessing where Self == BackgroundProcessor {
    /// Puts a color beneath the image. With an opaque color, the result is opaque.
    public static func background(_ color: PixelColor) -> BackgroundProcessor { BackgroundProcessor(color) }
}
