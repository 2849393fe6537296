public import Foundation

/// The properties of the image that a processor works on, besides its pixels, and the limits for the result.
public struct ProcessingContext: Sendable {
    /// The URL that the image is loaded from, normalized and without user name and password, or the key or id that its
    /// request names instead. Nil if the program calls the processor itself.
    ///
    /// A result may depend on the source, because it is part of the image's key.
    public var source: String?
    /// The format of the bytes that the image was decoded from; nil for an image that the program created.
    public var format: ImageFormat?
    /// Width and height of the upright image in the file, before it was scaled.
    public var originalSize: PixelSize
    /// The number of pixels per point of the screen, in each dimension; see ``ImageRequest/scale``. Default: 1.
    public var scale = 1.0
    /// The ICC profile of the pixels' colors; nil for sRGB.
    public var profile: Data?
    /// The limits for the processor's result.
    public var limits: DecodeLimits
    /// Cancelled when the last caller has left. The later frames of an animation are processed after the load has
    /// ended, and aren't cancelled.
    public var cancellation: DecodeCancellation
    /// Threads that may help.
    var idleThreads = IdleThreads.none

    /// Creates a context, for a program that calls a processor itself.
    public init(
        originalSize: PixelSize, format: ImageFormat? = nil, profile: Data? = nil,
        limits: DecodeLimits = DecodeLimits(), cancellation: DecodeCancellation = DecodeCancellation()
    ) {
        self.originalSize = originalSize
        self.format = format
        self.profile = profile
        self.limits = limits
        self.cancellation = cancellation
    }

    init(
        _ image: DecodedImage, from source: String?, _ limits: DecodeLimits, _ cancellation: DecodeCancellation
    ) {
        self.init(
            originalSize: image.originalSize, format: image.format, profile: image.profile, limits: limits,
            cancellation: cancellation)
        self.source = source
        scale = image.scale
    }

    /// Throws ``ImageLoaderError/cancelled`` once the last caller has left.
    public func checkCancellation() throws(ImageLoaderError) { try cancellation.check() }

    /// Converts an sRGB color to the colors of the image, in order to draw with it.
    ///
    /// Returns the same color if the image has no ``profile``, or one that can't be used. On Linux, a conversion
    /// requires the trait `ColorProfiles`.
    public func converted(_ color: PixelColor) -> PixelColor {
        ColorConversion(from: nil, to: profile)?.apply(to: color) ?? color
    }

    /// Converts a bitmap to the colors of the image. Returns it unchanged if its colors can't be converted.
    ///
    /// - Parameter source: The profile of the bitmap's colors; nil for sRGB.
    func converted(_ bitmap: Bitmap, from source: Data?) throws(ImageLoaderError) -> Bitmap {
        try ColorConversion(from: source, to: profile)?.apply(to: bitmap, limits: limits) ?? bitmap
    }

    /// Calls `body` with ranges that together are `0..<count`, possibly several at a time on different threads, and
    /// returns when all have returned.
    ///
    /// - Parameter least: The smallest number of rows that is worth a separate thread.
    /// - Throws: ``ImageLoaderError/cancelled`` once the last caller has left. Ranges that haven't started are skipped.
    func forEachBand(
        of count: Int, least: Int = 64, _ body: @escaping @Sendable (Range<Int>) -> Void
    ) throws(ImageLoaderError) {
        BandWork(count, rows: least, cancellation, body).run(with: idleThreads)
        try checkCancellation()
    }
}
