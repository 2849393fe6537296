/// The settings for decoding images on a loader's own threads.
public struct DecodeSettings: Sendable {
    /// The maximum number of images decoded at a time; at least 1.
    ///
    /// Their bitmaps together take at most twice ``DecodeLimits/bitmapBytes`` or a quarter of the memory that the
    /// process may use, whichever is less. An image that needs more is decoded alone. Default: the number of cores that
    /// the process may run on.
    public var maximumConcurrentDecodes = CoreCount.current
    /// The maximum number of ``AsyncImageProcessing`` processors that run at a time; at least 1.
    ///
    /// Their bitmaps have a separate limit of the same size. Default: 4.
    public var maximumWaitingProcessors = 4
    /// The limits on the size and the contents of images.
    public var limits = DecodeLimits()
    /// How to handle an image with missing or damaged pixels or frames. Part of the loader's scope.
    /// Default: ``DecodeRequest/Damaged/refuse``.
    public var damaged = DecodeRequest.Damaged.refuse
    /// Whether all images are converted to sRGB, regardless of their requests; see ``ImageRequest/convertsToSRGB``.
    /// Part of the loader's scope. Default: false; ``ImageLoader/Configuration/server`` sets it.
    public var convertsToSRGB = false
    /// How to handle an image whose bitmap would exceed ``DecodeLimits/bitmapBytes``, unless its request has a target
    /// size. Part of the loader's scope. Default: ``Oversized/refused``.
    public var oversized = Oversized.refused
    /// The decoders for the formats.
    ///
    /// Default: the decoders available on the platform.
    public var decoders = ImageDecoders.builtIn
    /// The formats to leave out of the `Accept` field although a decoder reads them.
    ///
    /// Has no effect on a download coordinator that is passed to the loader. Default: none.
    /// ``ImageLoader/Configuration/server`` leaves out AVIF and JPEG XL, which cost several times as much to decode as
    /// other formats.
    public var unrequestedFormats: Set<ImageFormat> = []

    /// Creates settings with the default values.
    public init() {}

    /// The handling of an image that is too large.
    public enum Oversized: Sendable, Hashable {
        /// The load ends with ``ImageLoaderError/limitExceeded(_:value:allowed:)``.
        case refused
        /// The image is scaled down to the largest size whose bitmap is within the limit.
        ///
        /// Decoding may take more memory: up to four times as much for JPEG, and as much as the whole image for other
        /// formats. ``DecodeLimits/side`` and ``DecodeLimits/pixels`` still apply.
        case scaledDown
    }

    /// Distinguishes settings that produce different images from the same bytes; 0 for the default settings.
    var identity: UInt64 {
        var identity = decoders.identity
        func mix(_ seed: UInt64) {
            var mixed = SplitMix64(seed: seed)
            identity ^= mixed.next()
        }
        if oversized == .scaledDown { mix(UInt64(limits.bitmapBytes)) }
        if damaged == .showWhatIsThere { mix(.max) }
        if convertsToSRGB { mix(.max - 1) }
        return identity
    }

    var accept: String { decoders.accept(without: unrequestedFormats) }

    func validate() throws(ImageLoaderError) {
        try ImageLoaderError.require("decode.maximumConcurrentDecodes", maximumConcurrentDecodes, least: 1)
        try ImageLoaderError.require("decode.maximumWaitingProcessors", maximumWaitingProcessors, least: 1)
        let all = [
            ("side", limits.side), ("pixels", limits.pixels), ("bitmapBytes", limits.bitmapBytes),
            ("metadataBytes", limits.metadataBytes), ("jpegScans", limits.jpegScans), ("frames", limits.frames),
            ("animationPixels", limits.animationPixels), ("animationBufferBytes", limits.animationBufferBytes),
        ]
        for (name, limit) in all { try ImageLoaderError.require("decode.limits.\(name)", limit, least: 0) }
    }
}
