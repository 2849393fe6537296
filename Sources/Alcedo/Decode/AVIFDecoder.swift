#if os(Linux) && AVIF
public import Foundation

/// Reads AVIF with the system's libavif: stills and sequences, 8 to 12 bits, with and without alpha.
///
/// Samples of more than 8 bits are rounded to 8 bits. Colors aren't converted: a color profile is passed on with the
/// image. If there is none, a profile is made from the nclx box if it describes colors other than sRGB, which
/// requires the trait `ColorProfiles`. HDR (PQ or HLG in the nclx box) becomes sRGB as described in ``PNGDecoder``; a
/// gain map is ignored. The image's own rotation and mirroring become its ``ImageHeader/orientation``; EXIF is ignored.
/// A sequence loops forever, as in browsers.
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

    /// Returns the memory for the bitmap and the planes it is made from.
    ///
    /// The planes have up to four samples per pixel, of one byte each, or of two bytes if samples have more than 8
    /// bits. HDR also needs an intermediate copy with four two-byte samples per pixel.
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
        // Checks the bitmap's size before libavif allocates the planes.
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
