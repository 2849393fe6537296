#if os(Linux) && WebP
public import Foundation

/// Reads WebP with the system's libwebp: lossy and lossless, with and without alpha, stills and animations.
///
/// Colors aren't converted: a color profile is passed on but not applied. Missing or damaged pixel data are an
/// error, as is a truncated animation. Costs about 10 ms per megapixel. An opaque lossy image with a much smaller
/// target is scaled while it is decoded, without memory for its full-size pixels.
public struct WebPDecoder: StoredImageDecoding, EstimatedDecoding, ProfileReading {
    public var format: ImageFormat { .webp }

    /// Creates a decoder. It has no settings and no state.
    public init() {}

    public func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        try ImageHeader(webP: data, limits: limits)
    }

    func workingBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int {
        let size = Self.size(header, atLeast: PictureFitting(header, request).wholeSize)
        guard let part = Self.part(header, request) else { return try request.limits.bitmapBytes(for: size) }
        return try request.limits.bitmapBytes(for: part.size) + Self.heldBytes(header, request)
    }

    public func cost(
        _ header: ImageHeader, byteCount: Int, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> DecodeCost {
        DecodeCost(
            workingBytes: try workingBytes(header, request),
            time: CodecSpeed.webP.time(header, byteCount: byteCount, request))
    }

    public func decodeStored(
        _ data: Data, _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage {
        let chunks = try WebPChunks(scanning: data.span, limits: request.limits)
        // A still image that lacks only metadata has all its pixels. An animation may lack further frames.
        let isCut = chunks.isAnimated && !chunks.isWhole
        guard !isCut || request.damaged == .showWhatIsThere && !chunks.frames.isEmpty else {
            throw .corruptImage(.webp, reason: "ends too early")
        }
        var picture =
            chunks.isAnimated
            ? try animation(data, chunks, request) : try still(data, header, atLeast: least, request)
        picture.profile = profile(of: data, chunks)
        picture.isComplete = !isCut
        return picture
    }

    func profile(of data: Data, _ header: ImageHeader, _ limits: DecodeLimits) throws(ImageLoaderError) -> Data? {
        try profile(of: data, WebPChunks(scanning: data.span, limits: limits))
    }

    private func profile(of data: Data, _ chunks: WebPChunks) -> Data? {
        chunks.profile.flatMap { Data(data.part($0)).profile(of: [.rgb]) }
    }

    private func still(
        _ data: Data, _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage {
        let part = Self.part(header, request)
        if part != nil { _ = try Self.heldBytes(header, request) }
        let size = part?.size ?? Self.size(header, atLeast: least)
        var builder = try BitmapBuilder(size: size, limits: request.limits)
        let bytesPerRow = builder.bytesPerRow
        let bytes = data.bytes
        try builder.withUnsafeMutableBytes { (pixels) throws(ImageLoaderError) in
            try bytes.withUnsafeBytes { (input) throws(ImageLoaderError) in
                try WebPPixels.decode(
                    input, of: header.size, part, to: pixels, size: size, bytesPerRow: bytesPerRow,
                    request.cancellation)
            }
        }
        var isOpaque = header.hasAlpha == false
        if !isOpaque {
            isOpaque = builder.premultiplyUnlessOpaque()
        } else if header.needsAllPixels {
            // Lossless pixels always have alpha; if the header denies it, other decoders ignore it as well.
            builder.makeOpaque()
        }
        var picture = StoredImage(bitmap: builder.freeze(), isOpaque: isOpaque)
        picture.part = part
        return picture
    }

    /// The bytes that the codec holds itself while it decodes a part of an image.
    private static func heldBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int {
        if header.needsAllPixels { return try request.limits.bitmapBytes(for: header.size) }
        // Alpha is a separate plane.
        return header.hasAlpha == false ? 0 : try request.limits.bitmapBytes(for: header.size) / 4
    }

    /// The part of a still image that the codec decodes, which begins at even coordinates; nil for all. It is larger
    /// than the region, because chroma is interpolated from its neighbors.
    private static func part(_ header: ImageHeader, _ request: DecodeRequest) -> PixelRectangle? {
        guard header.frameCount == 1, let region = request.storedRegion(header) else { return nil }
        let columns = region.x - 2..<region.columns.upperBound + 2
        let rows = region.y - 2..<region.rows.upperBound + 2
        return PixelRectangle(columns, rows).clipped(to: header.size)?.fromEvenPlace
    }

    private func animation(
        _ data: Data, _ chunks: WebPChunks, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage {
        guard !chunks.frames.isEmpty else { throw .corruptImage(.webp, reason: "an animation without frames") }
        let animation = WebPAnimation(data, chunks, request.limits)
        var frames = WebPFrames(animation, request.cancellation)
        let (bitmap, isOpaque) = try frames.nextFrame()
        return StoredImage(
            bitmap: bitmap, isOpaque: isOpaque && !chunks.hasAlpha, animation: chunks.frames.count > 1 ? animation : nil
        )
    }

    /// The size that the codec decodes to if the final size is `least`: twice as large in both dimensions.
    ///
    /// The codec averages areas, and the final scaling step gives a sharper result.
    static func size(_ header: ImageHeader, atLeast least: PixelSize?) -> PixelSize {
        guard !header.needsAllPixels, let least, least.width <= header.size.width / smallestReduction,
            least.height <= header.size.height / smallestReduction
        else { return header.size }
        return PixelSize(width: least.width * 2, height: least.height * 2)
    }

    /// For smaller reductions all pixels are decoded, as scaling would gain less.
    private static let smallestReduction = 3
}
#endif
