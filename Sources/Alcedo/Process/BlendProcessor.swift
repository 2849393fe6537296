/// A processor that blends an image with a color or with another image of any size. Create it with
/// ``ImageProcessing/overlay(_:mode:)`` or ``ImageProcessing/blend(_:mode:opacity:)-(Bitmap,_,_)``.
public struct BlendProcessor: ImageProcessing {
    private enum Source: Sendable {
        case color(PixelColor)
        case bitmap(IdentifiedPicture, opacity: Double)
    }

    private let source: Source
    /// The way the source, which lies above, is combined with the image.
    public let mode: BlendMode

    /// Creates a processor that blends a color over images.
    public init(_ color: PixelColor, mode: BlendMode = .normal) {
        source = .color(color)
        self.mode = mode
    }

    /// Creates a processor that scales `bitmap` to the size of an image and blends it over the image.
    ///
    /// The colors of `bitmap` are taken as sRGB. Computes a digest of its pixels.
    public init(_ bitmap: Bitmap, mode: BlendMode = .normal, opacity: Double = 1) {
        source = .bitmap(IdentifiedPicture(bitmap), opacity: opacity)
        self.mode = mode
    }

    /// Creates a processor that scales `image`, or an animation's first frame, to the size of another image and blends
    /// it over that image.
    ///
    /// Computes a digest of the pixels and the color profile of `image`.
    public init(_ image: DecodedImage, mode: BlendMode = .normal, opacity: Double = 1) {
        source = .bitmap(IdentifiedPicture(image.bitmap, image.profile), opacity: opacity)
        self.mode = mode
    }

    public func identify(in identity: inout ProcessorIdentity) {
        identity.add(mode)
        switch source {
        case .color(let color): identity.add(color)
        case .bitmap(let bitmap, let opacity):
            bitmap.identify(in: &identity)
            identity.add(opacity)
        }
    }

    public func validate() throws(ImageLoaderError) {
        if case .bitmap(_, let opacity) = source { try require("opacity", opacity, in: 0...1) }
    }

    public func process(_ bitmap: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        try validate()
        switch source {
        case .color(let color): return try bitmap.blended(with: context.converted(color).pixel, mode, context)
        case .bitmap(let source, let opacity):
            return try bitmap.blended(with: source.bitmap(in: context), mode, opacity: opacity, context)
        }
    }
}

extension ImageProcessing where Self == BlendProcessor {
    /// Blends a color over the image. Where the image is transparent, most modes show the color.
    ///
    /// - Parameters:
    ///   - color: The color. Its alpha determines how strongly it covers the image.
    ///   - mode: The blend mode. Default: ``BlendMode/normal``.
    public static func overlay(_ color: PixelColor, mode: BlendMode = .normal) -> BlendProcessor {
        BlendProcessor(color, mode: mode)
    }

    /// Blends another image over this one, scaled to its size. The other image's colors are taken as sRGB.
    ///
    /// - Parameters:
    ///   - bitmap: The other image. It is identified by its size and the SHA-256 digest of its pixels, which is
    ///     computed here and takes about 7 ms per megabyte.
    ///   - mode: The blend mode. Default: ``BlendMode/normal``.
    ///   - opacity: The factor for the other image's alpha, from 0 to 1. Default: 1.
    public static func blend(
        _ bitmap: Bitmap, mode: BlendMode = .normal, opacity: Double = 1
    ) -> BlendProcessor {
        BlendProcessor(bitmap, mode: mode, opacity: opacity)
    }

    /// Blends another image, or an animation's first frame, over this one, scaled to its size.
    ///
    /// The other image's colors are converted to those of this image if their profiles differ, which takes about 20 ms
    /// per megapixel.
    ///
    /// - Parameters:
    ///   - image: The other image. It is identified by its size, its color profile and the SHA-256 digest of its
    ///     pixels, which is computed here and takes about 7 ms per megabyte.
    ///   - mode: The blend mode. Default: ``BlendMode/normal``.
    ///   - opacity: The factor for the other image's alpha, from 0 to 1. Default: 1.
    public static func blend(
        _ image: DecodedImage, mode: BlendMode = .normal, opacity: Double = 1
    ) -> BlendProcessor {
        BlendProcessor(image, mode: mode, opacity: opacity)
    }
}
