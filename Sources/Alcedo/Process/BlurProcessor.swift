/// A processor that blurs an image. Create it with ``ImageProcessing/blur(radius:)``.
public struct BlurProcessor: ImageProcessing, Hashable {
    /// The standard deviation of the Gaussian function in pixels, from 0 to 5,000.
    public let radius: Double

    /// Creates a processor.
    public init(radius: Double) { self.radius = radius }

    public func identify(in identity: inout ProcessorIdentity) { identity.add(radius) }

    public func validate() throws(ImageLoaderError) { try require("radius", radius, in: 0...5_000) }

    public func process(_ image: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        try validate()
        // Below this radius, no pixel changes by as much as one level.
        guard radius > 0.02 else { return image }
        let size = image.size
        let box = BoxBlur(deviation: radius, within: 64 * image.bytesPerRow)
        let lanes = BoxBlur.mostLanes
        return try image.withBands(size, context) { (memory) throws(ImageLoaderError) in
            // Blurs rows from the source to the target, then columns within the target.
            try context.forEachBand(of: size.height, least: 4 * lanes) { rows in
                box.blur(
                    rows, step: size.width, from: memory.source, to: memory.target,
                    line: BoxBlur.Line(count: size.width, step: 1))
            }
            try context.forEachBand(of: size.width, least: 4 * lanes) { columns in
                box.blur(
                    columns, step: 1, from: UnsafePointer(memory.target), to: memory.target,
                    line: BoxBlur.Line(count: size.height, step: size.width))
            }
        }
    }
}

extension ImageProcessing where Self == BlurProcessor {
    /// Blurs the image. The result differs from that of a Gaussian function by no more than 2 % of full scale.
    ///
    /// Takes about the same time for all radii that are small compared to the image: a row or column takes as long as
    /// one that is longer by three times the radius. Rows and columns of a single pixel are only copied. Besides the
    /// two images, each thread needs no more memory than 64 rows take, unless the radius is several times the width.
    /// Beyond its edges, the image continues with the pixels at the edges.
    ///
    /// - Parameter radius: The standard deviation in pixels, from 0, which changes nothing, to 5,000. Default: 8.
    public static func blur(radius: Double = 8) -> BlurProcessor { BlurProcessor(radius: radius) }
}
