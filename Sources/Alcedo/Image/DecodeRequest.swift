import Synchronization

/// How a picture is to be decoded.
public struct DecodeRequest: Sendable {
    /// What it may claim and cost.
    public var limits: DecodeLimits
    /// The size it is scaled to, as far as possible while it is decoded. nil, the default, leaves it as it is.
    public var target: DecodeTarget?
    /// Whether the picture is turned upright as its EXIF orientation says. Default: yes.
    public var appliesOrientation = true
    /// What is made of a file with several frames. Default: ``Frames/all``.
    public var frames = Frames.all
    /// Whether colours are converted to sRGB from those of the profile that the file brings, which costs some 20 ms per
    /// megapixel. Default: no, and the profile is handed on. One that can't be used, because it is damaged or not one
    /// of light (CMYK), is handed on in any case, beside pixels as they are. Needs the trait `ColorProfiles` on Linux;
    /// on Apple's systems it is always done.
    public var convertsToSRGB = false
    /// To stop it with.
    public var cancellation: DecodeCancellation

    /// The defaults, for a picture as it is.
    public init(
        limits: DecodeLimits = DecodeLimits(), target: DecodeTarget? = nil,
        cancellation: DecodeCancellation = DecodeCancellation()
    ) {
        self.limits = limits
        self.target = target
        self.cancellation = cancellation
    }

    /// What is made of a file with several frames.
    public enum Frames: Sendable, Hashable {
        /// The first frame, and an animation that brings them all.
        case all
        /// The first frame.
        case first
    }
}

/// Stops decodes that have begun: they look at it between rows or frames, and throw ``ImageLoaderError/cancelled``.
public final class DecodeCancellation: Sendable {
    private let flag = Atomic(false)

    /// One that nobody has cancelled.
    public init() {}

    /// Whether it has been cancelled.
    public var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// For good, and for all who look at it.
    public func cancel() { flag.store(true, ordering: .relaxed) }

    /// Throws ``ImageLoaderError/cancelled`` once it has been cancelled.
    public func check() throws(ImageLoaderError) {
        if isCancelled { throw .cancelled }
    }
}
