#if os(Linux) && JPEGXL
import CJxl
public import Foundation

/// Reads JPEG XL with the system's libjxl: stills and animations, as a codestream or in a container, with or without
/// alpha.
///
/// Samples of any depth are rounded to 8 bits. Colors are handled as in ``AVIFDecoder``: a color profile is passed on
/// with the image, or made if the file describes colors other than sRGB by numbers, which requires no trait here; HDR
/// becomes sRGB. Images that were made from a JPEG are decoded to pixels. The orientation is that of the codestream;
/// EXIF is ignored.
///
/// All pixels are decoded even for a smaller target. Costs about 30 ms per megapixel. A decode can be cancelled at
/// about 64 points of the file. If a still image ends too early, the part that is present can be shown. Animations and
/// HDR have no previews, and are refused if they are damaged.
///
/// An animation whose frames have sections in a custom order is refused with
/// ``ImageLoaderError/unsupportedImage(_:reason:)``, because the sizes of its frames can't be checked in advance.
public struct JPEGXLDecoder: StoredImageDecoding, EstimatedDecoding, ProfileReading {
    public var format: ImageFormat { .jxl }

    /// Creates a decoder. It has no settings and no state.
    public init() {}

    public func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        Self.header(of: try JPEGXLFile.open(data, limits))
    }

    static func header(of file: JPEGXLFile) -> ImageHeader {
        var header = ImageHeader(format: .jxl, size: file.size, orientation: file.orientation)
        header.hasAlpha = file.hasAlpha
        header.bitsPerSample = Int(file.info.bits_per_sample)
        header.frameCount = file.frames.isWhole || file.info.have_animation == 0 ? file.frameCount : nil
        header.profileBytes = file.colors.profile?.count
        header.isHDR = file.colors.toneMapping != nil
        let held = JPEGXLFrames.heldBytes(file.size.width.multiplied(by: file.size.height), file.picture)
        header.bandBytes = held.plus(file.frames.keptBytes)
        return header
    }

    func profile(of data: Data, _ header: ImageHeader, _ limits: DecodeLimits) throws(ImageLoaderError) -> Data? {
        try JPEGXLFile.open(data, limits).colors.profile
    }

    /// Returns the memory for the bitmap, the samples that HDR is mapped from, and the samples that the codec holds.
    public func cost(
        _ header: ImageHeader, byteCount: Int, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> DecodeCost {
        let bytes = try request.limits.bitmapBytes(for: header.size)
        return DecodeCost(workingBytes: bytes.multiplied(by: header.isHDR ? 3 : 1).plus(header.bandBytes))
    }

    public func decodeStored(
        _ data: Data, _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage {
        let file = try JPEGXLFile.open(data, request.limits)
        // Checks the bitmap's size before libjxl allocates its samples.
        _ = try request.limits.bitmapBytes(for: file.size)
        guard file.frames.isWhole else { throw .corruptImage(.jxl, reason: "ends too early") }
        let moves = file.frameCount > 1 && request.frames == .all
        if moves { try request.limits.check(animation: file.size, frames: file.frameCount) }
        try request.cancellation.check()
        var picture = StoredImage(
            bitmap: try file.nextFrame(request.limits, request.cancellation), isOpaque: !file.hasAlpha)
        picture.profile = file.colors.profile
        if moves { picture.animation = JPEGXLAnimation(data, file, request.limits) }
        return picture
    }
}
#endif
