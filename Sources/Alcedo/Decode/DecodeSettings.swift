/// How images are decoded, on dedicated threads.
public struct DecodeSettings: Sendable {
    /// The number of images decoded at once; at least 1.
    ///
    /// Their bitmaps together take no more than twice ``DecodeLimits/bitmapBytes``. Default: the number of cores that
    /// the process may run on.
    public var width = CoreNumber.count
    /// Upper bounds for what an image may claim.
    public var limits = DecodeLimits()
    /// The number of bytes, received or read, that may wait to be decoded, including those of running downloads; at
    /// least 1. Default 64 MiB.
    ///
    /// Above the limit, no download starts and no file is read, but running downloads continue: at most one additional
    /// body per running download is held.
    public var undecodedByteLimit = 64 << 20
    /// The decoders for the formats. Default: the ones the platform provides.
    public var decoders = ImageDecoders.builtIn

    /// Creates settings with the default values.
    public init() {}
}
