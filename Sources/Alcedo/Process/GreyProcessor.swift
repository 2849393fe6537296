/// Removes the colours of a picture. Made with ``ImageProcessing/grey()``.
public struct GreyProcessor: ImageProcessing, Hashable {
    /// Creates a processor.
    public init() {}

    public func identify(in identity: inout ProcessorIdentity) {}

    public func process(_ picture: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        let matrix = ColorMatrix(brightness: 0, contrast: 1, saturation: 0)
        let width = picture.size.width
        return try picture.painted(picture.size, context) { rows, memory in
            matrix.apply(to: memory.source(rows.lowerBound), rows.count * width, memory.target(rows.lowerBound))
        }
    }
}

extension ImageProcessing where Self == GreyProcessor {
    /// Replaces each colour by the grey of the same luminance (ITU-R BT.709, from sRGB values as they are stored).
    public static func grey() -> GreyProcessor { GreyProcessor() }
}
