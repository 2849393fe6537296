/// A processor that draws a border inside the edge of an image. Create it with
/// ``ImageProcessing/border(width:color:)``.
public struct BorderProcessor: ImageProcessing, Hashable {
    /// The border to draw.
    public let border: PixelBorder

    /// Creates a processor.
    public init(_ border: PixelBorder) { self.border = border }

    public func identify(in identity: inout ProcessorIdentity) { identity.add(border) }

    public func validate() throws(ImageLoaderError) { try require(border) }

    public func process(_ image: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        try validate()
        guard border.width > 0, border.color.alpha > 0 else { return image }
        return try image.shaped(PixelRectangle(x: 0, y: 0, size: image.size), radii: .zero, border, context)
    }
}

extension ImageProcessing where Self == BorderProcessor {
    /// Draws a border inside the edge of the image, whose size doesn't change.
    ///
    /// - Parameters:
    ///   - width: The width in pixels, from 0 to 32,767. A fraction covers a part of the innermost pixels.
    ///   - color: The border's color. Its alpha determines how much of the image shows through.
    public static func border(width: Double, color: PixelColor) -> BorderProcessor {
        BorderProcessor(PixelBorder(width: width, color: color))
    }
}
