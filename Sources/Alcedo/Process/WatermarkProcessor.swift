/// A processor that draws an image onto another one. Create it with
/// ``ImageProcessing/watermark(_:at:x:y:opacity:mode:)-(Bitmap,_,_,_,_,_)``.
public struct WatermarkProcessor: ImageProcessing {
    private let bitmap: IdentifiedPicture
    /// The place of the drawn image before it is moved.
    public let anchor: PixelAnchor
    /// The distance that the drawn image is moved to the right, in pixels. Negative values move it to the left.
    public let x: Int
    /// The distance that the drawn image is moved down, in pixels. Negative values move it up.
    public let y: Int
    /// The factor for the drawn image's alpha, from 0 to 1.
    public let opacity: Double
    /// The way the drawn image is combined with the image beneath it.
    public let mode: BlendMode

    /// Creates a processor that draws a bitmap, with its colors taken as sRGB. Computes a digest of its pixels.
    public init(
        _ bitmap: Bitmap, at anchor: PixelAnchor = .bottomRight, x: Int = 0, y: Int = 0, opacity: Double = 1,
        mode: BlendMode = .normal
    ) {
        self.init(IdentifiedPicture(bitmap), anchor, x, y, opacity, mode)
    }

    /// Creates a processor that draws an image, or an animation's first frame, in its own colors. Computes a digest of
    /// the image's pixels and color profile.
    public init(
        _ image: DecodedImage, at anchor: PixelAnchor = .bottomRight, x: Int = 0, y: Int = 0, opacity: Double = 1,
        mode: BlendMode = .normal
    ) {
        self.init(IdentifiedPicture(image.bitmap, image.profile), anchor, x, y, opacity, mode)
    }

    private init(
        _ bitmap: IdentifiedPicture, _ anchor: PixelAnchor, _ x: Int, _ y: Int, _ opacity: Double, _ mode: BlendMode
    ) {
        self.bitmap = bitmap
        (self.anchor, self.x, self.y, self.opacity, self.mode) = (anchor, x, y, opacity, mode)
    }

    public func identify(in identity: inout ProcessorIdentity) {
        bitmap.identify(in: &identity)
        identity.add(anchor)
        identity.add(x)
        identity.add(y)
        identity.add(opacity)
        identity.add(mode)
    }

    public func validate() throws(ImageLoaderError) {
        let farthest = Int(longestDistance)
        try require("x", x, in: -farthest...farthest)
        try require("y", y, in: -farthest...farthest)
        try require("opacity", opacity, in: 0...1)
    }

    public func process(_ bitmap: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        try validate()
        let place = anchor.place(self.bitmap.size, in: bitmap.size)
        return try bitmap.placed(
            self.bitmap.bitmap(in: context), at: (place.x + x, place.y + y), mode, opacity: opacity, context)
    }
}

extension ImageProcessing where Self == WatermarkProcessor {
    /// Draws another image onto this one. Parts outside this image are left out. In every mode, this image changes only
    /// where the other one lies. The other image's colors are taken as sRGB.
    ///
    /// - Parameters:
    ///   - bitmap: The image to draw. It is identified by its size and the SHA-256 digest of its pixels, which is
    ///     computed here and takes about 7 ms per megabyte.
    ///   - anchor: The place of the drawn image before it is moved. Default: ``PixelAnchor/bottomRight``.
    ///   - x: The distance that it is moved to the right, in pixels, from -32,767 to 32,767. Default: 0.
    ///   - y: The distance that it is moved down, in pixels, from -32,767 to 32,767. Default: 0.
    ///   - opacity: The factor for its alpha, from 0 to 1. Default: 1.
    ///   - mode: The blend mode. Default: ``BlendMode/normal``.
    public static func watermark(
        _ bitmap: Bitmap, at anchor: PixelAnchor = .bottomRight, x: Int = 0, y: Int = 0, opacity: Double = 1,
        mode: BlendMode = .normal
    ) -> WatermarkProcessor {
        WatermarkProcessor(bitmap, at: anchor, x: x, y: y, opacity: opacity, mode: mode)
    }

    /// Draws another image, or an animation's first frame, onto this one, as
    /// ``ImageProcessing/watermark(_:at:x:y:opacity:mode:)-(Bitmap,_,_,_,_,_)`` does.
    ///
    /// The other image's colors are converted to those of this image if their profiles differ.
    public static func watermark(
        _ image: DecodedImage, at anchor: PixelAnchor = .bottomRight, x: Int = 0, y: Int = 0, opacity: Double = 1,
        mode: BlendMode = .normal
    ) -> WatermarkProcessor {
        WatermarkProcessor(image, at: anchor, x: x, y: y, opacity: opacity, mode: mode)
    }
}
