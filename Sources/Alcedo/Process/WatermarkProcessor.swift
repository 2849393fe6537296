/// Draws a picture onto another one. Made with
/// ``ImageProcessing/watermark(_:at:x:y:opacity:mode:)-(Bitmap,_,_,_,_,_)``.
public struct WatermarkProcessor: ImageProcessing {
    private let picture: IdentifiedPicture
    /// The place of the drawn picture before it is moved.
    public let anchor: PixelAnchor
    /// How far it is moved to the right, in pixels. Negative values move it to the left.
    public let x: Int
    /// How far it is moved down, in pixels. Negative values move it up.
    public let y: Int
    /// The factor for its alpha, from 0 to 1.
    public let opacity: Double
    /// How it is combined with the picture beneath it.
    public let mode: BlendMode

    /// Creates a processor that draws a bitmap, with its colours taken as sRGB. Computes a digest of its pixels.
    public init(
        _ picture: Bitmap, at anchor: PixelAnchor = .bottomRight, x: Int = 0, y: Int = 0, opacity: Double = 1,
        mode: BlendMode = .normal
    ) {
        self.init(IdentifiedPicture(picture), anchor, x, y, opacity, mode)
    }

    /// Creates a processor that draws an image in its colours; of an animation, the first frame. Computes a digest of
    /// its pixels and of its colour profile.
    public init(
        _ image: DecodedImage, at anchor: PixelAnchor = .bottomRight, x: Int = 0, y: Int = 0, opacity: Double = 1,
        mode: BlendMode = .normal
    ) {
        self.init(IdentifiedPicture(image.bitmap, image.profile), anchor, x, y, opacity, mode)
    }

    private init(
        _ picture: IdentifiedPicture, _ anchor: PixelAnchor, _ x: Int, _ y: Int, _ opacity: Double, _ mode: BlendMode
    ) {
        self.picture = picture
        (self.anchor, self.x, self.y, self.opacity, self.mode) = (anchor, x, y, opacity, mode)
    }

    public func identify(in identity: inout ProcessorIdentity) {
        picture.identify(in: &identity)
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

    public func process(_ picture: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        try validate()
        let place = anchor.place(self.picture.size, in: picture.size)
        return try picture.placed(
            self.picture.bitmap(in: context), at: (place.x + x, place.y + y), mode, opacity: opacity, context)
    }
}

extension ImageProcessing where Self == WatermarkProcessor {
    /// Draws another picture onto this one. Parts outside are left out; in every mode, this picture changes only where
    /// the other one lies. Its colours are taken as sRGB.
    ///
    /// - Parameters:
    ///   - picture: Identified by its size and the SHA-256 digest of its pixels, which is computed here: some
    ///     7 ms per megabyte.
    ///   - anchor: Its place before it is moved. Default: ``PixelAnchor/bottomRight``.
    ///   - x: How far it is moved to the right, in pixels, from -32,767 to 32,767. Default: 0.
    ///   - y: How far it is moved down, in pixels, from -32,767 to 32,767. Default: 0.
    ///   - opacity: The factor for its alpha, from 0 to 1. Default: 1.
    ///   - mode: Default: ``BlendMode/normal``.
    public static func watermark(
        _ picture: Bitmap, at anchor: PixelAnchor = .bottomRight, x: Int = 0, y: Int = 0, opacity: Double = 1,
        mode: BlendMode = .normal
    ) -> WatermarkProcessor {
        WatermarkProcessor(picture, at: anchor, x: x, y: y, opacity: opacity, mode: mode)
    }

    /// Draws another image onto this picture, as
    /// ``ImageProcessing/watermark(_:at:x:y:opacity:mode:)-(Bitmap,_,_,_,_,_)`` does. Of an animation, the first frame.
    ///
    /// Its colours are converted to those of this picture, where their profiles differ.
    public static func watermark(
        _ image: DecodedImage, at anchor: PixelAnchor = .bottomRight, x: Int = 0, y: Int = 0, opacity: Double = 1,
        mode: BlendMode = .normal
    ) -> WatermarkProcessor {
        WatermarkProcessor(image, at: anchor, x: x, y: y, opacity: opacity, mode: mode)
    }
}
