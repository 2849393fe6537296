/// A processor that cuts the largest circle out of the middle of an image. Create it with
/// ``ImageProcessing/circle(border:)``.
public struct CircleProcessor: ImageProcessing, Hashable {
    /// The border inside the circle's edge; nil for none.
    public let border: PixelBorder?

    /// Creates a processor.
    public init(border: PixelBorder? = nil) { self.border = border }

    public func identify(in identity: inout ProcessorIdentity) { identity.add(border) }

    public func validate() throws(ImageLoaderError) { try require(border) }

    public func process(_ image: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        try validate()
        let square = resultSize(of: image.size)
        let (x, y) = PixelAnchor.center.place(square, in: image.size)
        return try image.shaped(
            PixelRectangle(x: x, y: y, size: square), radii: SIMD4(repeating: Double(square.width) / 2), border,
            context)
    }

    public func resultSize(of image: PixelSize) -> PixelSize {
        let side = min(image.width, image.height)
        return PixelSize(width: side, height: side)
    }
}

extension ImageProcessing where Self == CircleProcessor {
    /// Cuts the largest circle out of the middle of the image. The result is a square, transparent outside the circle.
    ///
    /// - Parameter border: A border inside the circle's edge. Default: none.
    public static func circle(border: PixelBorder? = nil) -> CircleProcessor { CircleProcessor(border: border) }
}
