/// A processor that removes the colors of an image. Create it with ``ImageProcessing/gray()``.
public struct GrayProcessor: ImageProcessing, Hashable {
    /// Creates a processor.
    public init() {}

    public func identify(in identity: inout ProcessorIdentity) {}

    public func process(_ image: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        let matrix = ColorMatrix(brightness: 0, contrast: 1, saturation: 0)
        let width = image.size.width
        return try image.painted(image.size, context) { rows, memory in
            matrix.apply(to: memory.source(rows.lowerBound), rows.count * width, memory.target(rows.lowerBound))
        }
    }
}

extension ImageProcessing where Self == GrayProcessor {
    /// Replaces each color with the gray of the same luminance (ITU-R BT.709, from sRGB values as they are stored).
    public static func gray() -> GrayProcessor { GrayProcessor() }
}
