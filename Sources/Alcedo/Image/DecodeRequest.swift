import Synchronization

/// Options for decoding an image.
public struct DecodeRequest: Sendable {
    /// The limits for what the file may claim and what decoding may cost.
    public var limits: DecodeLimits
    /// The size to scale to, as far as possible while decoding.
    ///
    /// Default: nil, which doesn't scale.
    public var target: DecodeTarget?
    /// Whether to turn the image upright according to its EXIF orientation.
    ///
    /// Default: true.
    public var appliesOrientation = true
    /// The frames to decode from a file with several.
    ///
    /// Default: ``Frames/all``.
    public var frames = Frames.all
    /// Whether to convert colours from the file's embedded profile to sRGB.
    ///
    /// Default: false, which passes the profile on with the image. The conversion costs about 20 ms per megapixel. A
    /// damaged profile is passed on in any case, along with unconverted pixels. A profile for other colours than those
    /// of the pixels is dropped in any case. CMYK is always converted. Requires the trait `ColorProfiles` on Linux; on
    /// Apple platforms colours are always converted.
    public var convertsToSRGB = false
    /// Whether to read ``DecodedImage/metadata``, of the formats that ``ImageMetadata/init(of:limits:)`` knows.
    ///
    /// Default: false. Metadata that can't be read is no error.
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

    /// The part of the stored pixels that ``DecodeTarget/region`` asks for, however they are oriented.
    ///
    /// - Returns: Nil for all pixels. For a region that lies outside the image, its first pixel.
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

    /// The frames to decode from a file with several.
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
        /// Decoding it is an error, ``ImageLoaderError/corruptImage(_:reason:)``.
        case refuse
        /// The decodable part is shown, and ``DecodedImage/isComplete`` is false.
        ///
        /// Of a still image, that is the rows before the damage, with transparent pixels instead of the others; of a
        /// progressive JPEG and an interlaced PNG, usually the whole area, in less detail. Of an animation, it is the
        /// frames before the damage. An image of which nothing can be decoded is an error nevertheless.
        ///
        /// Costs nothing for whole images but memory reserved for a second bitmap, and a second or third decode for
        /// damaged ones. Alcedo's decoders of AVIF, HEIC, of JPEG XL that moves or is HDR, of PNGs in icons, and of
        /// JPEG and PNG on Apple's systems, refuse damaged images in any case.
        case showWhatIsThere
    }
}

/// Stops decodes that have already started.
///
/// They check it between rows or frames, and throw ``ImageLoaderError/cancelled``.
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
