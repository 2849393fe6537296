import Synchronization

/// Options for decoding an image.
public struct DecodeRequest: Sendable {
    /// The limits for what the file may claim and what decoding may cost.
    public var limits: DecodeLimits
    /// The size to scale the image to. Where possible, it is scaled while it is decoded.
    ///
    /// Default: nil, which doesn't scale.
    public var target: DecodeTarget?
    /// Whether to turn the image upright according to its EXIF orientation.
    ///
    /// Default: true.
    public var appliesOrientation = true
    /// The frames to decode from a file that has several.
    ///
    /// Default: ``Frames/all``.
    public var frames = Frames.all
    /// Whether to convert colors from the file's embedded profile to sRGB.
    ///
    /// Default: false, which passes the profile on with the image. The conversion costs about 20 ms per megapixel. A
    /// damaged profile is always passed on, along with unconverted pixels. A profile that doesn't match the pixels'
    /// color space is always dropped. CMYK is always converted. Requires the trait `ColorProfiles` on Linux. On Apple
    /// platforms, ImageIO's gray images are always converted, and a gray profile of another format is passed on.
    public var convertsToSRGB = false
    /// Whether to read ``DecodedImage/metadata``, for the formats that ``ImageMetadata/init(of:limits:)`` knows.
    ///
    /// Default: false. Metadata that can't be read isn't an error.
    public var keepsMetadata = false
    /// How to handle an image with missing or damaged pixels or frames.
    ///
    /// Default: ``Damaged/refuse``.
    public var damaged = Damaged.refuse
    /// Stops the decode when cancelled.
    public var cancellation: DecodeCancellation

    /// Creates a request with the default options, which doesn't scale unless there is a target.
    public init(
        limits: DecodeLimits = DecodeLimits(), target: DecodeTarget? = nil,
        cancellation: DecodeCancellation = DecodeCancellation()
    ) {
        self.limits = limits
        self.target = target
        self.cancellation = cancellation
    }

    /// The part of the stored pixels that ``DecodeTarget/region`` selects, whatever their orientation.
    ///
    /// - Returns: Nil for all pixels. For a region that lies outside the image, the image's first pixel.
    public func storedRegion(_ header: ImageHeader) -> PixelRectangle? {
        guard let region = target?.region else { return nil }
        let orientation = appliesOrientation ? header.orientation : .up
        let upright = appliesOrientation ? header.uprightSize : header.size
        let part = region.clipped(to: upright) ?? .pixel
        return part.size == upright ? nil : orientation.stored(part, in: header.size)
    }

    /// Throws if the target's region lies outside the image.
    func checkRegion(_ header: ImageHeader) throws(ImageLoaderError) {
        let size = appliesOrientation ? header.uprightSize : header.size
        guard let region = target?.region, region.clipped(to: size) == nil else { return }
        throw .unsupportedConfiguration("a region of \(region), outside the image of \(size)")
    }

    /// The frames to decode from a file that has several.
    public enum Frames: Sendable, Hashable {
        /// The first frame and, if there is an animation, all of its frames.
        case all
        /// The first frame only.
        case first
    }

    /// How to handle a damaged image.
    ///
    /// A file that has all its pixels and only lacks its end isn't damaged.
    public enum Damaged: Sendable, Hashable {
        /// Decoding a damaged image is an error, ``ImageLoaderError/corruptImage(_:reason:)``.
        case refuse
        /// The decodable part is shown, and ``DecodedImage/isComplete`` is false.
        ///
        /// For a still image, the decodable part is the rows before the damage, with transparent pixels instead of the
        /// others; for a progressive JPEG or an interlaced PNG, it is usually the whole area, in less detail. For an
        /// animation, it is the frames before the damage. An image of which nothing can be decoded is still an error.
        ///
        /// For intact images, this only costs memory reserved for a second bitmap; damaged ones take a second or third
        /// decode. Some of Alcedo's decoders always refuse damaged images: those of AVIF and HEIC, of animated or HDR
        /// JPEG XL, and of PNGs in icons. On Apple's systems, ImageIO decides what is shown of a damaged image.
        case showWhatIsThere
    }
}

/// Stops decodes that have already started.
///
/// Decoders check this object between rows or frames, and throw ``ImageLoaderError/cancelled``.
public final class DecodeCancellation: Sendable {
    private let flag = Atomic(false)

    /// Creates an object that isn't cancelled.
    public init() {}

    /// Whether ``cancel()`` has been called.
    public var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Permanently cancels all decodes that use this object.
    public func cancel() { flag.store(true, ordering: .relaxed) }

    /// Throws ``ImageLoaderError/cancelled`` once ``cancel()`` has been called.
    public func check() throws(ImageLoaderError) {
        if isCancelled { throw .cancelled }
    }
}
