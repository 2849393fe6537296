public import Foundation

/// The properties of the image that a processor works on, besides its pixels, and the limits for the result.
public struct ProcessingContext: Sendable {
    /// The URL that the image is loaded from, in its normal form and without user name and password, or the key or id
    /// that its request names instead. Nil if a program calls the processor itself.
    ///
    /// A result may depend on it, as it is part of the image's key.
    public var source: String?
    /// The format of the bytes that the image was decoded from; nil for an image that the program made.
    public var format: ImageFormat?
    /// Width and height of the upright image in the file, before it was scaled.
    public var originalSize: PixelSize
    /// How many pixels of the picture make a point of the screen, in each dimension; see ``ImageRequest/scale``.
    /// Default: 1.
    public var scale = 1.0
    /// The ICC profile of the pixels' colours; nil for sRGB.
    public var profile: Data?
    /// The limits of what the processor makes.
    public var limits: DecodeLimits
    /// Cancelled when the last caller has left. The frames of an animation after the first are made once the load is
    /// over, and not cancelled.
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

    /// Returns a colour of sRGB in the colours of the picture, to be drawn there.
    ///
    /// The same colour if the picture has no ``profile``, or one that can't be used. On Linux, a conversion requires
    /// the trait `ColorProfiles`.
    public func converted(_ color: PixelColor) -> PixelColor {
        ColorConversion(from: nil, to: profile)?.apply(to: color) ?? color
    }

    /// Returns a bitmap in the colours of the picture, or as it is if they can't be converted.
    ///
    /// - Parameter source: The profile of its colours; nil for sRGB.
    func converted(_ bitmap: Bitmap, from source: Data?) throws(ImageLoaderError) -> Bitmap {
        try ColorConversion(from: source, to: profile)?.apply(to: bitmap, limits: limits) ?? bitmap
    }

    /// Calls `body` with ranges that together are `0..<count`, possibly several at a time on different threads, and
    /// returns when all have returned.
    ///
    /// - Parameter least: The least number of rows that are worth a thread of their own.
    /// - Throws: ``ImageLoaderError/cancelled`` once the last caller has left. Ranges that haven't begun are left out.
    func forEachBand(
        of count: Int, least: Int = 64, _ body: @escaping @Sendable (Range<Int>) -> Void
    ) throws(ImageLoaderError) {
        BandWork(count, rows: least, cancellation, body).run(with: idleThreads)
        try checkCancellation()
    }
}
