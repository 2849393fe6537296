/// The properties of an image that its file states before the pixels.
public struct ImageHeader: Sendable, Hashable {
    /// The format, detected from the first bytes.
    public var format: ImageFormat
    /// The stored size, before the orientation is applied.
    public var size: PixelSize
    /// The orientation of the stored pixels in the upright image.
    public var orientation: Orientation
    /// Whether pixels may be transparent; nil when the header doesn't say.
    public var hasAlpha: Bool?
    /// Bits per color sample; nil when the header doesn't say.
    public var bitsPerSample: Int?
    /// The number of frames: 1 for a still image, nil when it can't be known without reading the whole file.
    public var frameCount: Int?
    /// The size in bytes of the ICC color profile as stored, possibly compressed; nil if there is none.
    public var profileBytes: Int?
    /// Whether the file is HDR, coded as PQ or HLG. Decoding maps it to the range of sRGB.
    public var isHDR = false
    /// Whether the codec holds all pixels in memory even when it scales the image down.
    package var needsAllPixels = true
    /// Whether decoding begins by computing color tables, which takes milliseconds: for inks with a profile, for HDR,
    /// and for colors described without a profile.
    package var makesColorTables = false
    /// The number of bytes that the codec holds for all scans until it has read the last one; 0 if it holds none.
    package var coefficientBytes = 0
    /// The number of bytes of the rows that the codec reads at a time, which it holds besides the bitmap.
    package var bandBytes = 0
    /// Whether rows arrive in several passes, so that none is complete before the last pass.
    package var isInterlaced = false

    /// Creates a header with these values.
    public init(format: ImageFormat, size: PixelSize, orientation: Orientation = .up) {
        self.format = format
        self.size = size
        self.orientation = orientation
    }

    /// The size of the upright image.
    public var uprightSize: PixelSize { orientation.swapsSides ? size.turned : size }
}
