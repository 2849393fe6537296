import Synchronization

/// Options for decoding an image.
public struct DecodeRequest: Sendable {
    /// Upper bounds for what the file may claim and what decoding may cost.
    public var limits: DecodeLimits
    /// The size to scale to, as far as possible while decoding. nil, the default, keeps the size.
    public var target: DecodeTarget?
    /// Whether to turn the image upright according to its EXIF orientation. Default: true.
    public var appliesOrientation = true
    /// What to decode from a file with several frames. Default: ``Frames/all``.
    public var frames = Frames.all
    /// Whether to convert colours from the file's embedded profile to sRGB. Default: false, and the profile is handed
    /// on.
    ///
    /// The conversion costs about 20 ms per megapixel. A profile that can't be used, because it is damaged or isn't a
    /// profile for light (CMYK), is handed on in any case, along with unconverted pixels. Requires the trait
    /// `ColorProfiles` on Linux; on Apple's systems colours are always converted.
    public var convertsToSRGB = false
    /// Stops the decode when cancelled.
    public var cancellation: DecodeCancellation

    /// Creates a request with the default options, which keeps the image's size unless there is a target.
    public init(
        limits: DecodeLimits = DecodeLimits(), target: DecodeTarget? = nil,
        cancellation: DecodeCancellation = DecodeCancellation()
    ) {
        self.limits = limits
        self.target = target
        self.cancellation = cancellation
    }

    /// What to decode from a file with several frames.
    public enum Frames: Sendable, Hashable {
        /// The first frame, and an animation with all frames.
        case all
        /// The first frame only.
        case first
    }
}

/// Stops decodes that have already started: they check it between rows or frames and throw
/// ``ImageLoaderError/cancelled``.
public final class DecodeCancellation: Sendable {
    private let flag = Atomic(false)

    /// Creates one that isn't cancelled.
    public init() {}

    /// Whether ``cancel()`` has been called.
    public var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Cancels permanently, for all decodes that use this object.
    public func cancel() { flag.store(true, ordering: .relaxed) }

    /// Throws ``ImageLoaderError/cancelled`` once ``cancel()`` has been called.
    public func check() throws(ImageLoaderError) {
        if isCancelled { throw .cancelled }
    }
}
