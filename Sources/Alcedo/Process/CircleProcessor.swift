/// Cuts the largest circle out of the middle of a picture. Made with ``ImageProcessing/circle(border:)``.
public struct CircleProcessor: ImageProcessing, Hashable {
    /// A line within the edge; nil for none.
    public let border: PixelBorder?

    /// Creates a processor.
    public init(border: PixelBorder? = nil) { self.border = border }

    public func identify(in identity: inout ProcessorIdentity) { identity.add(border) }

    public func validate() throws(ImageLoaderError) { try require(border) }

    public func process(_ picture: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        try validate()
        let square = resultSize(of: picture.size)
        let (x, y) = PixelAnchor.center.place(square, in: picture.size)
        return try picture.shaped(
            PixelRectangle(x: x, y: y, size: square), radii: SIMD4(repeating: Double(square.width) / 2), border,
            context)
    }

    public func resultSize(of picture: PixelSize) -> PixelSize {
        let side = min(picture.width, picture.height)
        return PixelSize(width: side, height: side)
    }
}

extension ImageProcessing where Self == CircleProcessor {
    /// Cuts the largest circle out of the middle of the picture. The result is a square, transparent outside of the
    /// circle.
    ///
    /// - Parameter border: A line within the circle's edge. Default: none.
    public static func circle(border: PixelBorder? = nil) -> CircleProcessor { CircleProcessor(border: border) }
}
