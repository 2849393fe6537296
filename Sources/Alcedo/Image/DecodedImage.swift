/// A picture, ready to be drawn: upright pixels and where they came from.
///
/// Copies share the pixels. The EXIF orientation has been applied, exactly once, when the picture was decoded.
public struct DecodedImage: Sendable {
    /// The pixels: premultiplied RGBA8, upright.
    public private(set) var bitmap: Bitmap
    /// The format of the bytes it was decoded from, nil for a picture the app made.
    public let format: ImageFormat?

    /// Width and height of the upright picture, in pixels.
    public var size: PixelSize { bitmap.size }

    /// Width and height of the upright picture that the bytes hold: larger than ``size`` when it was scaled down.
    public private(set) var originalSize: PixelSize

    /// Whether somebody else has the pixels too. May say so although nobody has, in a build that is not optimised.
    mutating func isSharedElsewhere() -> Bool { !isKnownUniquelyReferenced(&bitmap) }

    /// A picture of `bitmap`, whose pixels are upright; shares them.
    public init(bitmap: Bitmap, format: ImageFormat? = nil) {
        self.init(bitmap: bitmap, format: format, originalSize: bitmap.size)
    }

    init(bitmap: Bitmap, format: ImageFormat?, originalSize: PixelSize) {
        self.bitmap = bitmap
        self.format = format
        self.originalSize = originalSize
    }
}
