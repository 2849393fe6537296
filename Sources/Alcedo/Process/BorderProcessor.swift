/// Draws a border within the edge of a picture. Made with ``ImageProcessing/border(width:color:)``.
public struct BorderProcessor: ImageProcessing, Hashable {
    /// The line.
    public let border: PixelBorder

    /// Creates a processor.
    public init(_ border: PixelBorder) { self.border = border }

    public func identify(in identity: inout ProcessorIdentity) { identity.add(border) }

    public func validate() throws(ImageLoaderError) { try require(border) }

    public func process(_ picture: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        try validate()
        guard border.width > 0, border.color.alpha > 0 else { return picture }
        return try picture.shaped(PixelRectangle(x: 0, y: 0, size: picture.size), radii: .zero, border, context)
    }
}

extension ImageProcessing where Self == BorderProcessor {
    /// Draws a border within the edge of the picture, whose size doesn't change.
    ///
    /// - Parameters:
    ///   - width: In pixels, from 0 to 32,767. A fraction covers a part of the innermost pixels.
    ///   - color: Its alpha determines how much of the picture shows through.
    public static func border(width: Double, color: PixelColor) -> BorderProcessor {
        BorderProcessor(PixelBorder(width: width, color: color))
    }
}
