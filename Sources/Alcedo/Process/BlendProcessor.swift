/// Blends a picture with a colour or with another picture of any size. Made with
/// ``ImageProcessing/overlay(_:mode:)`` and ``ImageProcessing/blend(_:mode:opacity:)-(Bitmap,_,_)``.
public struct BlendProcessor: ImageProcessing {
    private enum Source: Sendable {
        case color(PixelColor)
        case picture(IdentifiedPicture, opacity: Double)
    }

    private let source: Source
    /// How the source, which lies above, is combined with the picture.
    public let mode: BlendMode

    /// Creates a processor that blends a colour above pictures.
    public init(_ color: PixelColor, mode: BlendMode = .normal) {
        source = .color(color)
        self.mode = mode
    }

    /// Creates a processor that blends a picture, scaled to their size, above pictures.
    ///
    /// Its colours are taken as sRGB. Computes a digest of its pixels.
    public init(_ picture: Bitmap, mode: BlendMode = .normal, opacity: Double = 1) {
        source = .picture(IdentifiedPicture(picture), opacity: opacity)
        self.mode = mode
    }

    /// Creates a processor that blends an image, or an animation's first frame, scaled to their size, above pictures.
    ///
    /// Computes a digest of its pixels and of its colour profile.
    public init(_ image: DecodedImage, mode: BlendMode = .normal, opacity: Double = 1) {
        source = .picture(IdentifiedPicture(image.bitmap, image.profile), opacity: opacity)
        self.mode = mode
    }

    public func identify(in identity: inout ProcessorIdentity) {
        identity.add(mode)
        switch source {
        case .color(let color): identity.add(color)
        case .picture(let picture, let opacity):
            picture.identify(in: &identity)
            identity.add(opacity)
        }
    }

    public func validate() throws(ImageLoaderError) {
        if case .picture(_, let opacity) = source { try require("opacity", opacity, in: 0...1) }
    }

    public func process(_ picture: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        try validate()
        switch source {
        case .color(let color): return try picture.blended(with: context.converted(color).pixel, mode, context)
        case .picture(let source, let opacity):
            return try picture.blended(with: source.bitmap(in: context), mode, opacity: opacity, context)
        }
    }
}

extension ImageProcessing where Self == BlendProcessor {
    /// Blends a colour above the picture. Where the picture is transparent, most modes show the colour.
    ///
    /// - Parameters:
    ///   - color: Its alpha determines how strongly it covers the picture.
    ///   - mode: Default: ``BlendMode/normal``.
    public static func overlay(_ color: PixelColor, mode: BlendMode = .normal) -> BlendProcessor {
        BlendProcessor(color, mode: mode)
    }

    /// Blends another picture, scaled to the size of this one, above it. Its colours are taken as sRGB.
    ///
    /// - Parameters:
    ///   - picture: Identified by its size and the SHA-256 digest of its pixels, which is computed here: some
    ///     7 ms per megabyte.
    ///   - mode: Default: ``BlendMode/normal``.
    ///   - opacity: The factor for the picture's alpha, from 0 to 1. Default: 1.
    public static func blend(
        _ picture: Bitmap, mode: BlendMode = .normal, opacity: Double = 1
    ) -> BlendProcessor {
        BlendProcessor(picture, mode: mode, opacity: opacity)
    }

    /// Blends another image, scaled to the size of this one, above it. Of an animation, the first frame.
    ///
    /// Its colours are converted to those of this picture, where their profiles differ: some 20 ms per megapixel.
    ///
    /// - Parameters:
    ///   - image: Identified by its size, its colour profile and the SHA-256 digest of its pixels, which is computed
    ///     here: some 7 ms per megabyte.
    ///   - mode: Default: ``BlendMode/normal``.
    ///   - opacity: The factor for the image's alpha, from 0 to 1. Default: 1.
    public static func blend(
        _ image: DecodedImage, mode: BlendMode = .normal, opacity: Double = 1
    ) -> BlendProcessor {
        BlendProcessor(image, mode: mode, opacity: opacity)
    }
}
