#if os(Linux) && AVIF
public import Foundation

/// Reads AVIF with the system's libavif: stills and sequences, 8 to 12 bits, with and without alpha.
///
/// Samples of more than 8 bits are rounded to 8 bits. Colours aren't converted: a colour profile is handed on with the
/// image. Without one, a profile is made of the numbers in the box nclx if they stand for other colours than sRGB,
/// which requires the trait `ColorProfiles`. HDR, which is PQ or HLG there, becomes sRGB as ``PNGDecoder`` says; a gain
/// map is ignored. The image's own rotation and mirroring become its ``ImageHeader/orientation``; EXIF is ignored. A
/// sequence loops forever, as in browsers.
public struct AVIFDecoder: StoredImageDecoding, EstimatedDecoding {
    public var format: ImageFormat { .avif }

    /// Creates a decoder. It has no settings and no state.
    public init() {}

    public func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        let file = try AVIFFile.open(data, limits: limits)
        var header = ImageHeader(format: .avif, size: file.size, orientation: file.orientation)
        header.hasAlpha = file.hasAlpha
        header.bitsPerSample = file.bitsPerSample
        header.frameCount = file.frameCount
        header.profileBytes = file.profileBytes
        header.isHDR = file.isHDR
        return header
    }

    /// The bitmap, and the planes it is made from: up to four samples per pixel, of one byte each, or two if they have
    /// more than 8 bits. Between them, HDR has four of two bytes.
    public func cost(
        _ header: ImageHeader, byteCount: Int, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> DecodeCost {
        let bytes = try request.limits.bitmapBytes(for: header.size)
        let isDeep = header.bitsPerSample.map { $0 > 8 } ?? true
        return DecodeCost(workingBytes: bytes.multiplied(by: header.isHDR ? 5 : isDeep ? 3 : 2))
    }

    public func decodeStored(
        _ data: Data, _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage {
        let file = try AVIFFile.open(data, limits: request.limits)
        // The same check as for the bitmap, before libavif allocates the planes.
        _ = try request.limits.bitmapBytes(for: file.size)
        try file.requireAllFrames()
        let moves = file.frameCount > 1 && request.frames == .all
        if moves { try request.limits.check(animation: file.size, frames: file.frameCount) }
        try request.cancellation.check()
        var picture = StoredImage(
            bitmap: try file.nextFrame(request.limits, request.cancellation), isOpaque: !file.hasAlpha)
        picture.profile = file.profile
        if moves { picture.animation = AVIFAnimation(data, file, request.limits) }
        return picture
    }
}
#endif
