#if canImport(ImageIO)
import CoreGraphics
public import Foundation

/// Reads one format with ImageIO, by the same rules as the decoders on other platforms.
///
/// The limits are checked before ImageIO allocates pixels: for JPEG, PNG, WebP and TIFF against the file's own header,
/// for other formats against the header that ImageIO reads. For a smaller target, ImageIO is asked for an image of a
/// half, a quarter or an eighth of the size, as libjpeg is on Linux; only JPEG is known to need less memory then.
///
/// Wide colors keep their profile, with 8 bits per sample. Gray and inks are converted to sRGB. ImageIO maps HDR to
/// SDR, without gain maps; ``ImageHeader/isHDR`` is set only for PNG. The orientation is the one that ImageIO reports,
/// except for JPEG, PNG and WebP, whose EXIF is read as on Linux. If a file has several images, the primary or the
/// first one is read.
///
/// Animated PNG, WebP, and sequences of HEIC and AVIF are decoded frame by frame, with the delays of the file; ImageIO
/// composes the frames. An animated JPEG XL is decoded as its first frame, because ImageIO documents no property for
/// the delays of its frames.
///
/// ImageIO may show damaged files as if they were whole. Therefore, the chunks and checksums of a PNG, the end of a
/// JPEG, and the lengths of other formats' chunks and boxes are checked first. As on Linux, a file that only lacks its
/// end is whole. For such a JPEG, the check takes about 200 ms per megabyte, because the codes of all pixels are read.
/// Other damage is an error if ImageIO reports it.
public struct ImageIODecoder: StoredImageDecoding, EstimatedDecoding {
    /// The formats that are read with ImageIO.
    ///
    /// A raw value is the format's uniform type identifier.
    public enum Format: String, Sendable, CaseIterable {
        case jpeg = "public.jpeg"
        case png = "public.png"
        case webP = "org.webmproject.webp"
        case heic = "public.heic"
        case avif = "public.avif"
        case jpegXL = "public.jpeg-xl"
        case tiff = "public.tiff"
    }

    let kind: Format

    public var format: ImageFormat { kind.format }

    public var identity: String { "\(String(reflecting: Self.self)) \(kind.rawValue)" }

    /// Creates a decoder for `format`. It has no state.
    ///
    /// If ``Format/available`` doesn't contain the format, every image is an error.
    public init(_ format: Format) { kind = format }

    public func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        var header = try storedHeader(of: data, limits)
        header.frameCount = frameCount(of: data, header, limits)
        return header
    }

    private func storedHeader(of data: Data, _ limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        switch kind {
        case .jpeg: return try ImageHeader(jpeg: data, limits: limits)
        case .png: return try ImageHeader(png: data, limits: limits)
        case .webP: return try ImageHeader(webP: data, limits: limits)
        case .tiff: try limits.check(tiff: data)
        case .heic, .avif, .jpegXL: break
        }
        return try ImageIOFile(data, kind).header(limits)
    }

    /// Returns the memory for the bitmap and for the pixels that ImageIO holds beside it.
    public func cost(
        _ header: ImageHeader, byteCount: Int, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> DecodeCost {
        let least = header.frameCount == 1 ? PictureFitting(header, request).wholeSize : nil
        let reduction = reduction(header, atLeast: least, request.limits)
        let bytes = try request.limits.bitmapBytes(for: reduction.whole)
        let held = try heldBytes(header, reduction, request.limits)
        return DecodeCost(workingBytes: max(bytes.plus(held), partBytes(header, request)))
    }

    public func decodeStored(
        _ data: Data, _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage {
        do throws(ImageLoaderError) {
            return try whole(data, header, atLeast: least, request)
        } catch {
            guard case .corruptImage = error, request.damaged == .showWhatIsThere,
                let part = try part(of: data, header, request)
            else { throw error }
            return part
        }
    }

    private func whole(
        _ data: Data, _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage {
        let file = try ImageIOFile(intact(data, request.limits), kind)
        var animation = try animation(of: data, file, header, request)
        // All frames of an animation are decoded in full size.
        let least = animation == nil ? least : nil
        let reduction = reduction(header, atLeast: least, request.limits)
        // Checks the sizes before ImageIO allocates its pixels.
        _ = try heldBytes(header, reduction, request.limits)
        let image = try file.image(at: animation == nil ? file.stillIndex : 0, reduction)
        try request.cancellation.check()
        guard image.size == header.size || image.size == reduction.whole || covers(image.size, least) else {
            throw .corruptImage(format, reason: "two headers that differ")
        }
        let profile = try image.keptProfile(request.limits)
        let bitmap = try image.bitmap(in: profile, format, request.limits)
        // The first frame of an animation may leave out a part of the canvas.
        var stored = StoredImage(bitmap: bitmap, isOpaque: header.hasAlpha == false && animation == nil)
        // In a thumbnail, and in any other size, all pixels cover the same area.
        if kind.isSubsampled, image.size == reduction.whole { stored.reduction = reduction.denominator }
        stored.profile = profile
        animation?.profile = profile
        stored.animation = animation
        return stored
    }

    private func reduction(
        _ header: ImageHeader, atLeast least: PixelSize?, _ limits: DecodeLimits
    ) -> JPEGReduction {
        JPEGReduction(of: header.size, atLeast: least, bitmapBytes: limits.bitmapBytes)
    }

    /// The memory for the pixels that ImageIO holds.
    private func heldBytes(
        _ header: ImageHeader, _ reduction: JPEGReduction, _ limits: DecodeLimits
    ) throws(ImageLoaderError) -> Int {
        try heldBytes(header, kind.isSubsampled ? reduction.whole : header.size, limits)
    }

    /// The memory for an image of `size` that ImageIO holds: twice as much if its samples have more than 8 bits.
    func heldBytes(
        _ header: ImageHeader, _ size: PixelSize, _ limits: DecodeLimits
    ) throws(ImageLoaderError) -> Int {
        let isDeep = header.bitsPerSample.map { $0 > 8 } ?? false
        return try limits.bitmapBytes(for: size).multiplied(by: isDeep ? 2 : 1).plus(header.coefficientBytes)
    }

    private func covers(_ size: PixelSize, _ least: PixelSize?) -> Bool {
        least.map { size.width >= $0.width && size.height >= $0.height } ?? false
    }
}
#endif
