/// What a picture may claim before it is refused with ``ImageLoaderError/limitExceeded(_:value:allowed:)``.
public struct DecodeLimits: Sendable, Hashable {
    /// The longer side, in pixels. Default 32,768.
    public var side = 32_768
    /// Width × height. Default 100 million.
    public var pixels = 100_000_000
    /// Bytes of the decoded bitmap. Default 256 MiB.
    public var bitmapBytes = 256 << 20
    /// Bytes of one metadata block. Default 4 MiB.
    public var metadataBytes = 4 << 20
    /// Scans of a progressive JPEG; each one costs a pass over all pixels. Default 100, real files have up to some 50.
    public var jpegScans = 100

    public init() {}
}
