/// How images are decoded, on a loader's own threads.
public struct DecodeSettings: Sendable {
    /// The maximum number of images decoded at once; at least 1.
    ///
    /// Their bitmaps together take at most twice ``DecodeLimits/bitmapBytes``. An image that needs more is decoded
    /// alone. Default: the number of cores that the process may run on.
    public var maximumConcurrentDecodes = CoreNumber.count
    /// The limits for what an image may claim.
    public var limits = DecodeLimits()
    /// The decoders for the formats.
    ///
    /// Default: those available on the platform.
    public var decoders = ImageDecoders.builtIn

    /// Creates settings with the default values.
    public init() {}

    func validate() throws(ImageLoaderError) {
        try ImageLoaderError.require("decode.maximumConcurrentDecodes", maximumConcurrentDecodes, least: 1)
        let all = [
            ("side", limits.side), ("pixels", limits.pixels), ("bitmapBytes", limits.bitmapBytes),
            ("metadataBytes", limits.metadataBytes), ("jpegScans", limits.jpegScans), ("frames", limits.frames),
            ("animationPixels", limits.animationPixels), ("animationBufferBytes", limits.animationBufferBytes),
        ]
        for (name, limit) in all { try ImageLoaderError.require("decode.limits.\(name)", limit, least: 0) }
    }
}
