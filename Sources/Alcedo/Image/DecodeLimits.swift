/// Limits for what a file may claim and what decoding it may cost; a file that exceeds one fails with
/// ``ImageLoaderError/limitExceeded(_:value:allowed:)``.
///
/// ``side`` and ``pixels`` limit the image in the file, and thereby the decoding time; ``bitmapBytes`` limits memory.
/// The default values allow thumbnails of phone photos with 200 megapixels: JPEG, PNG that isn't interlaced, opaque
/// lossy WebP, BMP and TIFF are scaled down while they are decoded; on Apple's systems, JPEG and BMP are. Without a
/// target size, and in all other formats, images may have up to 67 megapixels.
///
/// All limits but ``jpegScans`` are checked before memory for pixels is allocated, against the claims of the file's
/// header. ``animationBufferBytes`` never rejects a file.
public struct DecodeLimits: Sendable, Hashable {
    /// The length of the longer side, in pixels. Default 65,535, the most that JPEG and GIF can state.
    public var side = 65_535
    /// Width × height of the image in the file. Default 268,435,456, which is 16,384 × 16,384 pixels.
    ///
    /// Scaling down while decoding saves memory but not all of the time: reading every pixel of a PNG takes about 22 ms
    /// per megapixel, and reading a JPEG at an eighth of its size about 1.5 ms.
    public var pixels = 1 << 28
    /// The size of the decoded bitmap in bytes, after scaling if the format is scaled while it is decoded. Default 256
    /// MiB, which is 67 megapixels.
    ///
    /// While an image is turned upright, twice as much is in use. A progressive JPEG needs its coefficients in
    /// addition, even at a reduced size: 3 to 8 bytes per pixel of the file, and at most twice this limit.
    public var bitmapBytes = 256 << 20
    /// The size of one metadata block that Alcedo reads (EXIF, XMP, ICC profile), in bytes. Default 4 MiB.
    ///
    /// Blocks that Alcedo doesn't read are skipped, whatever their size.
    public var metadataBytes = 4 << 20
    /// The number of scans of a progressive JPEG; each one costs a pass over all pixels. Default 100.
    ///
    /// Real files have up to about 50.
    public var jpegScans = 100
    /// The number of frames of an animation. Default 10,000.
    public var frames = 10_000
    /// Width × height of an animation; two or three canvases are in use while it plays. Default 16,777,216.
    public var animationPixels = 1 << 24
    /// The size of an animation's frames held in memory, in bytes. Default 4 MiB.
    ///
    /// The frame requested last and the one being decoded are always held, however large; the frames that follow are
    /// buffered while there is room. The default holds 2 frames of 800 × 600, so none is decoded ahead of time, or 16
    /// of 256 × 256. This isn't something a file claims, so it is never a reason to reject one.
    public var animationBufferBytes = 4 << 20

    /// Creates limits with the default values.
    public init() {}

    /// No limits, for bitmaps that are made from others in memory.
    static var unlimited: DecodeLimits {
        var limits = DecodeLimits()
        (limits.side, limits.pixels, limits.bitmapBytes, limits.metadataBytes) = (.max, .max, .max, .max)
        return limits
    }

    /// Checks the image size that a file claims against ``side`` and ``pixels``.
    ///
    /// - Returns: width × height.
    /// - Throws: ``ImageLoaderError/limitExceeded(_:value:allowed:)``, even for a side below 1.
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

    /// Checks an animation's canvas and frame count.
    func check(animation size: PixelSize, frames count: Int) throws(ImageLoaderError) {
        let area = try check(size)
        guard area <= animationPixels else {
            throw .limitExceeded(.animationPixels, value: area, allowed: animationPixels)
        }
        try check(frames: count)
    }

    /// Checks an animation's frame count.
    func check(frames count: Int) throws(ImageLoaderError) {
        guard count <= frames else { throw .limitExceeded(.frames, value: count, allowed: frames) }
    }

    /// Checks all limits and returns the memory that a bitmap of `size` takes, in bytes.
    ///
    /// - Throws: as ``check(_:)``, and when the bitmap takes more than ``bitmapBytes``.
    public func bitmapBytes(for size: PixelSize) throws(ImageLoaderError) -> Int {
        let bytes = try check(size).multipliedReportingOverflow(by: 4)
        guard !bytes.overflow, bytes.partialValue <= bitmapBytes else {
            throw .limitExceeded(.bitmapBytes, value: bytes.overflow ? .max : bytes.partialValue, allowed: bitmapBytes)
        }
        return bytes.partialValue
    }

    /// Checks the length of a metadata block.
    func check(metadataBytes count: Int) throws(ImageLoaderError) {
        guard count <= metadataBytes else { throw .limitExceeded(.metadataBytes, value: count, allowed: metadataBytes) }
    }
}
