/// What a picture may claim before it is refused with ``ImageLoaderError/limitExceeded(_:value:allowed:)``.
///
/// The claims are read from the head of a file, so a breach costs no memory for pixels.
public struct DecodeLimits: Sendable, Hashable {
    /// Pixels of the longer side. Default 32,768.
    public var side = 32_768
    /// Width × height. Default 100 million.
    public var pixels = 100_000_000
    /// Bytes of the decoded bitmap. Default 256 MiB. While a progressive JPEG is decoded, and while a picture is turned
    /// upright, up to three times as much is in use.
    public var bitmapBytes = 256 << 20
    /// Bytes of one metadata block that Alcedo reads (EXIF). Default 4 MiB. Blocks it does not read are skipped,
    /// whatever their size.
    public var metadataBytes = 4 << 20
    /// Scans of a progressive JPEG; each one costs a pass over all pixels. Default 100, real files have up to some 50.
    public var jpegScans = 100

    /// The defaults.
    public init() {}

    /// The memory that a bitmap of `size` takes, once all limits allow it.
    func bitmapBytes(for size: PixelSize) throws(ImageLoaderError) -> Int {
        for value in [size.width, size.height] where !(1...max(1, side)).contains(value) {
            throw .limitExceeded(.imageSide, value: value, allowed: side)
        }
        let area = size.width.multipliedReportingOverflow(by: size.height)
        guard !area.overflow, area.partialValue <= pixels else {
            throw .limitExceeded(.imagePixels, value: area.overflow ? .max : area.partialValue, allowed: pixels)
        }
        let bytes = area.partialValue.multipliedReportingOverflow(by: 4)
        guard !bytes.overflow, bytes.partialValue <= bitmapBytes else {
            throw .limitExceeded(.bitmapBytes, value: bytes.overflow ? .max : bytes.partialValue, allowed: bitmapBytes)
        }
        return bytes.partialValue
    }

    /// Holds the length of a metadata block against its limit.
    func check(metadataBytes count: Int) throws(ImageLoaderError) {
        guard count <= metadataBytes else {
            throw .limitExceeded(.metadataBytes, value: count, allowed: metadataBytes)
        }
    }
}
