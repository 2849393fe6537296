#if os(Linux) && PNG
public import Foundation

/// Reads PNG with the system's libpng: all color types and depths, interlaced or not, and animations (APNG).
///
/// Samples of 16 bits are rounded to 8. Colors aren't converted: a color profile is passed on with the image. If there
/// is none, a profile is made from the cICP chunk, or from gAMA and cHRM, if they describe colors other than sRGB,
/// which requires the trait `ColorProfiles`. cICP also takes precedence over a profile, and sRGB over gAMA and cHRM
/// (PNG third edition, section 4.3).
///
/// HDR (PQ or HLG in cICP) becomes sRGB: light of up to 1,000 cd/m² is compressed to the range of a screen with the
/// curve of ITU-R BT.2390, from all 16 bits of a sample unless the image is interlaced or previewed. That costs about
/// 60 ms per megapixel for PQ and 90 ms for HLG.
///
/// Missing pixels, or a wrong checksum in data that the pixels need, are an error; pixel data after the last row is
/// ignored, as is a missing end. An animation with invalid chunks is decoded as the still image that any PNG viewer
/// shows.
///
/// Apple's variant for app resources (CgBI) is read too, without checking its checksums. Such files aren't previewed,
/// and damaged ones are always refused.
///
/// Costs about 22 ms per megapixel, mostly for decompression. For a smaller target, rows are scaled as they are
/// decoded, so the full-size image is never in memory; interlaced files and animations need all of it in memory.
public struct PNGDecoder: StoredImageDecoding, EstimatedDecoding, ProfileReading {
    public var format: ImageFormat { .png }

    /// Creates a decoder. It has no settings and no state.
    public init() {}

    public func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        var header = try ImageHeader(png: data, limits: limits)
        // An animation with invalid chunks is decoded as a still image.
        if header.frameCount == nil {
            header.frameCount = APNGAnimation(data, size: header.size, limits: limits)?.frameCount ?? 1
        }
        return header
    }

    func workingBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int {
        let fitting = PictureFitting(header, request)
        let isWhole = header.frameCount != 1 || header.isInterlaced
        let part = isWhole ? nil : fitting.streamedPart(of: header.size, atLeast: fitting.wholeSize)
        return try request.limits.bitmapBytes(for: part?.size ?? header.size)
    }

    public func cost(
        _ header: ImageHeader, byteCount: Int, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> DecodeCost {
        DecodeCost(
            workingBytes: try workingBytes(header, request),
            time: CodecSpeed.png.time(header, byteCount: byteCount, request))
    }

    public func decodeStored(
        _ data: Data, _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage {
        let chunks = try PNGChunks(scanning: data.span, limits: request.limits)
        var (animation, isComplete) = try animation(data, chunks, request)
        let toneMapping = chunks.codedColors?.toneMapping
        animation?.toneMapping = toneMapping
        let moves = (animation?.frameCount ?? 0) > 1 && request.frames == .all
        if let animation, moves { try request.limits.check(animation: animation.size, frames: animation.frameCount) }
        var picture: StoredImage
        if let animation, !animation.beginsWithStill {
            var frames = animation.frames()
            picture = StoredImage(bitmap: try frames.next(), isOpaque: !chunks.hasAlpha && animation.coversCanvas)
        } else {
            picture = try still(data, header, least, request, toneMapping, isCgBI: chunks.isCgBI)
        }
        if moves { picture.animation = animation }
        picture.profile = try profile(of: data, chunks, request.limits)
        picture.isComplete = isComplete
        return picture
    }

    /// The animation, or nil for a still image, and whether all its frames are present.
    private func animation(
        _ data: Data, _ chunks: PNGChunks, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> (APNGAnimation?, isComplete: Bool) {
        guard chunks.isAnimated else { return (nil, true) }
        let whole = APNGAnimation(data, size: chunks.size, limits: request.limits)
        if chunks.hasEnd ? whole != nil : try whole?.hasLastFrame() == true { return (whole, true) }
        if request.damaged == .showWhatIsThere {
            return (try APNGAnimation(upToDamageIn: data, size: chunks.size, limits: request.limits), false)
        }
        if chunks.hasEnd { return (nil, true) }
        throw .corruptImage(.png, reason: "ends too early")
    }

    func profile(of data: Data, _ header: ImageHeader, _ limits: DecodeLimits) throws(ImageLoaderError) -> Data? {
        try profile(of: data, PNGChunks(scanning: data.span, limits: limits), limits)
    }

    private func profile(
        of data: Data, _ chunks: PNGChunks, _ limits: DecodeLimits
    ) throws(ImageLoaderError) -> Data? {
        if let colors = chunks.codedColors {
            if colors.isHDR || colors.isSRGB(isGray: chunks.isGray) { return nil }
            if let profile = colors.profile(isGray: chunks.isGray) { return profile }
        }
        // The specification allows no other color spaces (PNG third edition, section 11.3.2.3), and libpng ignores
        // them.
        let spaces: [ProfileHeader.Space] = chunks.isGray ? [.gray] : [.rgb]
        if let place = chunks.profile,
            let profile = try PNGProfile.unpacked(data.part(place), limits: limits)?.profile(of: spaces)
        {
            return profile
        }
        return chunks.plainColors?.profile(isGray: chunks.isGray)
    }

    private func still(
        _ data: Data, _ header: ImageHeader, _ least: PixelSize?, _ request: DecodeRequest,
        _ toneMapping: ToneMapping?, isCgBI: Bool
    ) throws(ImageLoaderError) -> StoredImage {
        let fitting = PictureFitting(header, request)
        let part = header.isInterlaced ? nil : fitting.streamedPart(of: header.size, atLeast: least)
        let size = part?.size ?? header.size
        var builder = try BitmapBuilder(unwritten: size, limits: request.limits)
        let file = isCgBI ? data.withoutCgBI : data
        let bytes = file.bytes
        let hasAlpha = try builder.withUnsafeMutableBytes { (pixels) throws(ImageLoaderError) in
            try bytes.withUnsafeBytes { (input) throws(ImageLoaderError) in
                let decode = try PNGDecode(input, header.size, toneMapping, isCgBI: isCgBI)
                if let part {
                    try decode.read(part.region, scaledTo: part.size, into: pixels, request.cancellation)
                } else {
                    try decode.readAll(into: pixels, premultiplies: true, request.cancellation)
                }
                return decode.hasAlpha
            }
        }
        // A decode that ends without an error has written all rows.
        builder.wrote(rows: size.height)
        var picture = StoredImage(bitmap: builder.freeze(), isOpaque: !hasAlpha)
        picture.part = part?.region
        return picture
    }
}
#endif
