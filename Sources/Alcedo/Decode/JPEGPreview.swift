#if os(Linux) && JPEG
import CShims
public import Foundation

extension JPEGDecoder: PreviewDecoding {
    public func previewHeader(_ head: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> ImageHeader? {
        guard JPEGMarkers.hasReachedScan(head.span) else { return nil }
        return try ImageHeader(jpeg: head, limits: request.limits)
    }

    public func previewBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int {
        2 * (try request.limits.bitmapBytes(for: Self.reduction(header, request).size)) + header.coefficientBytes
    }

    static func reduction(_ header: ImageHeader, _ request: DecodeRequest) -> JPEGReduction {
        JPEGReduction(
            of: header.size, atLeast: PictureFitting(header, request).wholeSize,
            bitmapBytes: request.limits.bitmapBytes)
    }

    public func previewReader(
        _ head: Data, _ header: ImageHeader, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> any PreviewReading {
        try JPEGPreviewReader(Self.reduction(header, request), request.limits)
    }
}

/// Decodes a JPEG as it arrives, with libjpeg: the rows of a baseline file, the scans of a progressive one.
private final class JPEGPreviewReader: PreviewReading {
    private typealias Call = (
        OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<alcedo_message>?
    ) -> alcedo_status

    private let handle: OpaquePointer?
    private let reduction: JPEGReduction
    private let limits: DecodeLimits
    private var pixels: BitmapBuilder
    private var shownRows: UInt32 = 0

    init(_ reduction: JPEGReduction, _ limits: DecodeLimits) throws(ImageLoaderError) {
        self.reduction = reduction
        self.limits = limits
        // The bitmap needn't be zeroed, because only rows that were written are copied from it.
        pixels = try BitmapBuilder(unwritten: reduction.size, limits: limits)
        var size = reduction.forCodec
        var message = alcedo_message()
        var handle: OpaquePointer?
        let status = alcedo_jpeg_preview_begin(
            &size, Int32(clamping: limits.jpegScans), UInt64(limits.jpegCoefficientBytes), &handle, &message)
        self.handle = handle
        try status.check(.jpeg, message)
    }

    deinit { alcedo_jpeg_preview_end(handle) }

    func append(_ bytes: UnsafeRawBufferPointer, _ cancellation: DecodeCancellation) throws(ImageLoaderError) {
        let status = alcedo_jpeg_preview_append(handle, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        if status != alcedo_done { throw .limitExceeded(.inputBytes, value: bytes.count, allowed: 0) }
        try run(alcedo_jpeg_preview_read, cancellation)
    }

    func preview(_ cancellation: DecodeCancellation) throws(ImageLoaderError) -> PartialImage? {
        let hasNews = alcedo_jpeg_preview_progress(handle).has_news != 0
        if hasNews { try run(alcedo_jpeg_preview_render, cancellation) }
        let progress = alcedo_jpeg_preview_progress(handle)
        guard hasNews || progress.rows > shownRows, progress.rows > 0 else { return nil }
        shownRows = progress.rows
        return PartialImage(
            bitmap: try pixels.copy(rows: Int(progress.rows), limits: limits).freeze(),
            reduction: reduction.denominator,
            coverage: Double(progress.rows) / Double(reduction.size.height),
            quality: progress.has_scans != 0 && progress.is_complete == 0 ? .coarse(pass: Int(progress.scan)) : .final)
    }

    /// Repeats `call` until there is no more to do.
    private func run(_ call: Call, _ cancellation: DecodeCancellation) throws(ImageLoaderError) {
        try pixels.withUnsafeMutableBytes { (pixels) throws(ImageLoaderError) in
            var message = alcedo_message()
            let pixels = pixels.bindMemory(to: UInt8.self).baseAddress
            while try limits.jpegHasMore(after: call(handle, pixels, &message), message) { try cancellation.check() }
        }
    }
}
#endif
