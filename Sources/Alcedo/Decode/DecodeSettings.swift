/// How images are decoded, on threads of their own.
public struct DecodeSettings: Sendable {
    /// Images decoded at once; at least 1. Default: the number of cores the process may run on.
    ///
    /// Their bitmaps together take at most twice ``DecodeLimits/bitmapBytes``. An image that needs more is decoded
    /// alone.
    public var maximumConcurrentDecodes = CoreNumber.count
    /// What an image may claim.
    public var limits = DecodeLimits()
    /// What reads the formats. Default: what the platform has.
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
