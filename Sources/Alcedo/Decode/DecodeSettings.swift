/// How pictures are decoded, on threads of their own.
public struct DecodeSettings: Sendable {
    /// Pictures decoded at once; at least 1. Their bitmaps together take no more than twice
    /// ``DecodeLimits/bitmapBytes``. Default: the number of cores that the process may run on.
    public var width = CoreNumber.count
    /// What a picture may claim.
    public var limits = DecodeLimits()
    /// Bytes that were received or read and wait to be decoded, those of running downloads included; at least 1. While
    /// there are more, no download starts and no file is read, but what runs goes on: at most one body more for each
    /// running download is held. Default 64 MiB.
    public var undecodedByteLimit = 64 << 20
    /// What reads the formats. Default: what the platform has.
    public var decoders = ImageDecoders.builtIn

    /// The defaults.
    public init() {}
}
