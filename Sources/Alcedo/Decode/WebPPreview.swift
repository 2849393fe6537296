#if os(Linux) && WebP
import CWebP
public import Foundation

extension WebPDecoder: PreviewDecoding {
    public func previewHeader(_ head: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> ImageHeader? {
        let chunks = try WebPChunks(scanning: head.span, isPart: true, limits: request.limits)
        if chunks.isAnimated { throw .unsupportedImage(.webp, reason: "no previews of animations") }
        guard chunks.hasPicture else { return nil }
        if chunks.lacksOrientation, request.appliesOrientation {
            throw .unsupportedImage(.webp, reason: "no previews when the orientation comes last")
        }
        try request.limits.check(chunks.size)
        return ImageHeader(chunks)
    }

    public func previewBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int {
        // The codec holds a lossless image in memory twice. Sides are at most 16,384, so this can't overflow.
        try request.limits.bitmapBytes(for: Self.size(header, request)) * (header.needsAllPixels ? 3 : 2)
    }

    public func previewReader(
        _ head: Data, _ header: ImageHeader, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> any PreviewReading {
        try WebPPreviewReader(header, Self.size(header, request), request.limits)
    }

    private static func size(_ header: ImageHeader, _ request: DecodeRequest) -> PixelSize {
        size(header, atLeast: PictureFitting(header, request).wholeSize)
    }
}

/// Decodes a WebP with libwebp as it arrives, row by row. libwebp owns the pixels' memory.
private final class WebPPreviewReader: PreviewReading {
    /// The configuration, which the decoder reads until it is deleted.
    private let config: UnsafeMutablePointer<WebPDecoderConfig>
    private let decoder: OpaquePointer?
    private let header: ImageHeader
    private let size: PixelSize
    private let limits: DecodeLimits
    private var shownRows = 0
    private var isDone = false

    init(_ header: ImageHeader, _ size: PixelSize, _ limits: DecodeLimits) throws(ImageLoaderError) {
        self.header = header
        self.size = size
        self.limits = limits
        let byteCount = try limits.bitmapBytes(for: size)
        config = .allocate(capacity: 1)
        config.initialize(to: WebPDecoderConfig())
        let isReady = WebPInitDecoderConfig(config) != 0
        config.pointee.output.colorspace = MODE_RGBA
        if size != header.size { config.pointee.scale(to: size) }
        decoder = isReady ? WebPIDecode(nil, 0, config) : nil
        if decoder == nil { throw .limitExceeded(.bitmapBytes, value: byteCount, allowed: 0) }
    }

    deinit {
        if let decoder { WebPIDelete(decoder) }
        WebPFreeDecBuffer(&config.pointee.output)
        config.deallocate()
    }

    /// Ignores the cancellation: decoding one piece of a file takes little time.
    func append(_ bytes: UnsafeRawBufferPointer, _ cancellation: DecodeCancellation) throws(ImageLoaderError) {
        // libwebp accepts neither empty input nor bytes after the end of the image.
        if bytes.isEmpty || isDone { return }
        switch WebPIAppend(decoder, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count) {
        case VP8_STATUS_OK: isDone = true
        case VP8_STATUS_SUSPENDED: break
        case let status: try status.check(size)
        }
    }

    func preview(_ cancellation: DecodeCancellation) throws(ImageLoaderError) -> PartialImage? {
        // The number of finished rows.
        var rows: Int32 = 0
        var (width, height, stride) = (Int32(0), Int32(0), Int32(0))
        guard let pixels = WebPIDecGetRGB(decoder, &rows, &width, &height, &stride), rows > shownRows else {
            return nil
        }
        guard width == size.width, height == size.height, rows <= height else {
            throw .corruptImage(.webp, reason: "its image has another size than its head says")
        }
        shownRows = Int(rows)
        var picture = try BitmapBuilder(size: size, limits: limits)
        let source = UnsafeRawBufferPointer(start: pixels, count: shownRows * Int(stride))
        picture.copy(rows: shownRows, of: source, bytesPerRow: Int(stride))
        if header.hasAlpha != false {
            picture.premultiply()
        } else if header.needsAllPixels {
            // Lossless pixels always have alpha; if the header denies it, other decoders ignore it as well.
            picture.makeOpaque(rows: shownRows)
        }
        return PartialImage(bitmap: picture.freeze(), coverage: Double(rows) / Double(height), quality: .final)
    }
}
#endif
