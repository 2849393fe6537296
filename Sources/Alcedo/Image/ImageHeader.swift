/// What a file says of itself before its pixels are decoded.
public struct ImageHeader: Sendable, Hashable {
    /// The format, as its first bytes tell.
    public var format: ImageFormat
    /// The stored size, before the orientation is applied.
    public var size: PixelSize
    /// How the stored pixels lie in the upright picture.
    public var orientation: Orientation
    /// Whether pixels may be transparent; nil when the head does not tell.
    public var hasAlpha: Bool?
    /// Bits of one colour of one pixel; nil when the head does not tell.
    public var bitsPerSample: Int?
    /// 1 for a still picture; nil when that is not known without reading the whole file.
    public var frameCount: Int?
    /// Bytes of the ICC colour profile as it is stored, perhaps compressed; nil without one.
    public var profileBytes: Int?
    /// Whether its codec has all pixels in memory at once even when it makes the picture smaller.
    package var needsAllPixels = true
    /// What its codec keeps of all its scans until the last one has been read, in bytes; 0 when that is nothing.
    package var coefficientBytes = 0
    /// Whether its rows come in several passes, so that none is whole before the last one.
    package var isInterlaced = false

    /// A header with these values.
    public init(format: ImageFormat, size: PixelSize, orientation: Orientation = .up) {
        self.format = format
        self.size = size
        self.orientation = orientation
    }

    /// The size of the upright picture.
    public var uprightSize: PixelSize {
        orientation.swapsSides ? PixelSize(width: size.height, height: size.width) : size
    }
}
