#if os(Linux) && PNG
import CShims
public import Foundation

extension PNGDecoder: PreviewDecoding {
    /// Returns the image's header, or nil until all chunks before the pixels have arrived.
    ///
    /// An orientation after the pixels isn't found. The standard allows that position, but few files use it.
    ///
    /// - Throws: ``ImageLoaderError/unsupportedImage(_:reason:)`` for animations and for Apple's variant (CgBI), and
    ///   the errors of ``ImageDecoding/header(of:limits:)``.
    public func previewHeader(_ head: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> ImageHeader? {
        guard PNGChunks.hasReachedPixels(head.span) else { return nil }
        try Self.requireStandard(head)
        let header = try ImageHeader(png: head, limits: request.limits)
        if header.frameCount != 1 { throw .unsupportedImage(.png, reason: "no previews of animations") }
        return header
    }

    private static func requireStandard(_ head: Data) throws(ImageLoaderError) {
        guard !head.span.has("CgBI", at: 12) else {
            throw .unsupportedImage(.png, reason: "no previews of Apple's variant for apps (CgBI)")
        }
    }

    public func previewBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int {
        try request.limits.bitmapBytes(for: header.size).multiplied(by: 2)
    }

    public func previewReader(
        _ head: Data, _ header: ImageHeader, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> any PreviewReading {
        try Self.requireStandard(head)
        let colors = header.isHDR ? try PNGChunks(scanning: head.span, limits: request.limits).codedColors : nil
        // The color type is at a fixed offset.
        return try PNGPreviewReader(
            header.size, colorType: head.span.byte(at: 25) ?? 0, colors?.toneMapping, request.limits)
    }
}

/// Decodes a PNG with libpng as it arrives: its rows or, if it is interlaced, ever finer grids of pixels.
private final class PNGPreviewReader: PreviewReading {
    private let handle: OpaquePointer?
    private let toneMapping: ToneMapping?
    private let limits: DecodeLimits
    /// The pixels, with straight alpha because later pixels are combined with them.
    private var pixels: BitmapBuilder
    private var shownChanges: UInt64 = 0
    private var shownQuality = ImagePreview.Quality.final

    init(
        _ size: PixelSize, colorType: UInt8, _ toneMapping: ToneMapping?, _ limits: DecodeLimits
    ) throws(ImageLoaderError) {
        self.toneMapping = toneMapping
        self.limits = limits
        pixels = try BitmapBuilder(size: size, limits: limits)
        var message = alcedo_message()
        var handle: OpaquePointer?
        let status = alcedo_png_preview_begin(
            UInt32(clamping: size.width), UInt32(clamping: size.height), Int32(colorType), &handle, &message)
        self.handle = handle
        try status.check(.png, message)
    }

    deinit { alcedo_png_preview_end(handle) }

    /// Ignores the cancellation: decoding one piece of a file takes little time.
    func append(_ bytes: UnsafeRawBufferPointer, _ cancellation: DecodeCancellation) throws(ImageLoaderError) {
        var message = alcedo_message()
        let status = pixels.withUnsafeMutableBytes { pixels in
            alcedo_png_preview_append(
                handle, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count,
                pixels.bindMemory(to: UInt8.self).baseAddress, &message)
        }
        try status.check(.png, message)
    }

    func preview(_ cancellation: DecodeCancellation) throws(ImageLoaderError) -> PartialImage? {
        let progress = alcedo_png_preview_progress(handle)
        let isCoarse = progress.head.passes > 1 && progress.is_complete == 0
        let quality = isCoarse ? ImagePreview.Quality.coarse(pass: Int(progress.pass)) : .final
        guard progress.changes > shownChanges || quality != shownQuality, progress.rows > 0 else { return nil }
        shownChanges = progress.changes
        shownQuality = quality
        var picture = try pixels.copy(rows: Int(progress.rows), limits: limits)
        if let toneMapping { picture.withUnsafeMutableBytes { toneMapping.map($0) } }
        if progress.head.has_alpha != 0 { picture.premultiply() }
        return PartialImage(
            bitmap: picture.freeze(), coverage: Double(progress.rows) / Double(pixels.size.height), quality: quality)
    }
}
#endif
