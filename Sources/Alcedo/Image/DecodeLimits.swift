/// What a picture may claim before it is refused with ``ImageLoaderError/limitExceeded(_:value:allowed:)``.
///
/// The claims are read from the head of a file, so a breach costs no memory for pixels.
public struct DecodeLimits: Sendable, Hashable {
    /// Pixels of the longer side. Default 32,767.
    public var side = 32_767
    /// Width × height. Default 100 million.
    public var pixels = 100_000_000
    /// Bytes of the decoded bitmap. Default 256 MiB. While a progressive JPEG is decoded, and while a picture is turned
    /// upright, up to three times as much is in use.
    public var bitmapBytes = 256 << 20
    /// Bytes of one metadata block that Alcedo reads (EXIF, ICC profile). Default 4 MiB. Blocks it does not read are
    /// skipped, whatever their size.
    public var metadataBytes = 4 << 20
    /// Scans of a progressive JPEG; each one costs a pass over all pixels. Default 100, real files have up to some 50.
    public var jpegScans = 100
    /// Frames of an animation. Default 10,000.
    public var frames = 10_000
    /// Width × height of an animation, of which two or three canvases are in use while it plays. Default 16,777,216.
    public var animationPixels = 1 << 24
    /// Bytes of an animation's frames that are in memory: the one asked for last and the one that is being made,
    /// however large, and as many of those that come next as there is room for. Default 4 MiB: 2 frames of 800 × 600,
    /// so none is made ahead of time, and 16 of 256 × 256. No claim of a file's, and no reason to refuse it.
    public var animationBufferBytes = 4 << 20

    /// The defaults.
    public init() {}

    /// Holds what a file claims to be the size of its picture against ``side`` and ``pixels``.
    ///
    /// - Returns: width × height.
    /// - Throws: ``ImageLoaderError/limitExceeded(_:value:allowed:)``, also for a side below 1.
    @discardableResult
    public func check(_ size: PixelSize) throws(ImageLoaderError) -> Int {
        for value in [size.width, size.height] where !(1...max(1, side)).contains(value) {
            throw .limitExceeded(.imageSide, value: value, allowed: side)
        }
        let area = size.width.multipliedReportingOverflow(by: size.height)
        guard !area.overflow, area.partialValue <= pixels else {
            throw .limitExceeded(.imagePixels, value: area.overflow ? .max : area.partialValue, allowed: pixels)
        }
        return area.partialValue
    }

    /// Holds the canvas and the count of frames of an animation against their limits.
    func check(animation size: PixelSize, frames count: Int) throws(ImageLoaderError) {
        let area = try check(size)
        guard area <= animationPixels else {
            throw .limitExceeded(.animationPixels, value: area, allowed: animationPixels)
        }
        try check(frames: count)
    }

    /// Holds the count of frames of an animation against its limit.
    func check(frames count: Int) throws(ImageLoaderError) {
        guard count <= frames else { throw .limitExceeded(.frames, value: count, allowed: frames) }
    }

    /// The memory that a bitmap of `size` takes, once all limits allow it.
    ///
    /// - Throws: as ``check(_:)``, and when that is more than ``bitmapBytes``.
    public func bitmapBytes(for size: PixelSize) throws(ImageLoaderError) -> Int {
        let bytes = try check(size).multipliedReportingOverflow(by: 4)
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
