/// A processor that makes an image more transparent. Create it with ``ImageProcessing/opacity(_:)``.
public struct OpacityProcessor: ImageProcessing, Hashable {
    /// The factor for alpha, from 0 to 1.
    public let opacity: Double

    /// Creates a processor.
    public init(_ opacity: Double) { self.opacity = opacity }

    public func identify(in identity: inout ProcessorIdentity) { identity.add(opacity) }

    public func validate() throws(ImageLoaderError) { try require("opacity", opacity, in: 0...1) }

    public func process(_ image: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        try validate()
        let fader = Fader(opacity)
        guard fader.isNeeded else { return image }
        let width = image.size.width
        return try image.painted(image.size, context) { rows, memory in
            fader.fade(
                memory.source(rows.lowerBound), rows.count * width, to: memory.target(rows.lowerBound))
        }
    }
}

extension ImageProcessing where Self == OpacityProcessor {
    /// Multiplies the image's alpha.
    ///
    /// - Parameter opacity: The factor, from 0, which makes the image fully transparent, to 1, which changes nothing.
    public static func opacity(_ opacity: Double) -> OpacityProcessor { OpacityProcessor(opacity) }
}
