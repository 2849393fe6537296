#if os(Linux) && JPEG
import CShims
public import Foundation

extension JPEGDecoder: PreviewDecoding {
    public func previewHeader(_ head: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> ImageHeader? {
        guard Self.hasReachedScan(head.span) else { return nil }
        return try ImageHeader(jpeg: head, limits: request.limits)
    }

    /// Whether all segments before the first scan have arrived, and the first scan's header as far as its component
    /// count, which tells whether more scans follow.
    private static func hasReachedScan(_ bytes: Span<UInt8>) -> Bool {
        var offset = 2
        while let marker = JPEGMarkers.nextMarker(in: bytes, at: &offset) {
            switch marker {
            case 0xD8, 0x01, 0xD0...0xD7: continue
            case 0xDA: return bytes.byte(at: offset + 2) != nil
            default: break
            }
            guard let length = bytes.word(at: offset) else { return false }
            offset += length
        }
        return false
    }

    public func previewBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int {
        let copy = try request.limits.bitmapBytes(for: Self.reduction(header, request).size)
        return try workingBytes(header, request) + copy
    }

    private static func reduction(_ header: ImageHeader, _ request: DecodeRequest) -> JPEGReduction {
        JPEGReduction(of: header.size, atLeast: PictureFitting(header, request).storedSize)
    }

    public func previewReader(
        _ head: Data, _ header: ImageHeader, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> any PreviewReading {
        try JPEGPreviewReader(Self.reduction(header, request), request.limits)
    }
}

/// Decodes a JPEG as it arrives: the rows of a baseline file, the scans of a progressive one.
private final class JPEGPreviewReader: PreviewReading {
    private let decode: JPEGPreviewDecode
    private let reduction: JPEGReduction
    private let limits: DecodeLimits
    private var pixels: BitmapBuilder
    private var shownRows: UInt32 = 0

    init(_ reduction: JPEGReduction, _ limits: DecodeLimits) throws(ImageLoaderError) {
        self.reduction = reduction
        self.limits = limits
        // Doesn't need zeroing: only rows that were written are copied from it.
        pixels = try BitmapBuilder(unwritten: reduction.size, limits: limits)
        decode = try JPEGPreviewDecode(reduction, limits)
    }

    func append(
        _ bytes: UnsafeRawBufferPointer, _ cancellation: DecodeCancellation
    ) throws(ImageLoaderError) {
        try decode.append(bytes)
        try step(cancellation, alcedo_jpeg_preview_read)
    }

    func preview(_ cancellation: DecodeCancellation) throws(ImageLoaderError) -> PartialImage? {
        let hasNews = decode.progress.has_news != 0
        if hasNews { try step(cancellation, alcedo_jpeg_preview_render) }
        let progress = decode.progress
        guard hasNews || progress.rows > shownRows, progress.rows > 0 else { return nil }
        shownRows = progress.rows
        return PartialImage(
            bitmap: try pixels.copy(rows: Int(progress.rows), limits: limits).freeze(),
            reduction: reduction.denominator,
            coverage: Double(progress.rows) / Double(reduction.size.height),
            quality: progress.has_scans != 0 && progress.is_complete == 0 ? .coarse(pass: Int(progress.scan)) : .final)
    }

    private func step(
        _ cancellation: DecodeCancellation, _ call: JPEGPreviewDecode.Call
    ) throws(ImageLoaderError) {
        try pixels.withBytes { (pixels) throws(ImageLoaderError) in
            try pixels.withUnsafeMutableBytes { (pixels) throws(ImageLoaderError) in
                while try decode.step(pixels, call) { try cancellation.check() }
            }
        }
    }
}

/// A decode by libjpeg, of bytes that arrive in pieces.
private struct JPEGPreviewDecode: ~Copyable {
    typealias Call = (
        OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<alcedo_message>?
    ) -> alcedo_status

    private let handle: OpaquePointer?
    private let limits: DecodeLimits

    var progress: alcedo_jpeg_progress { alcedo_jpeg_preview_progress(handle) }

    init(_ reduction: JPEGReduction, _ limits: DecodeLimits) throws(ImageLoaderError) {
        var size = reduction.forCodec
        var message = alcedo_message()
        var handle: OpaquePointer?
        let status = alcedo_jpeg_preview_begin(
            &size, Int32(clamping: limits.jpegScans), UInt64(limits.jpegCoefficientBytes), &handle, &message)
        self.handle = handle
        self.limits = limits
        try status.check(.jpeg, message)
    }

    deinit { alcedo_jpeg_preview_end(handle) }

    func append(_ bytes: UnsafeRawBufferPointer) throws(ImageLoaderError) {
        let status = alcedo_jpeg_preview_append(
            handle, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        if status != alcedo_done { throw .limitExceeded(.inputBytes, value: bytes.count, allowed: 0) }
    }

    /// Returns whether there is more to do.
    func step(_ pixels: UnsafeMutableRawBufferPointer, _ call: Call) throws(ImageLoaderError) -> Bool {
        var message = alcedo_message()
        let status = call(handle, pixels.bindMemory(to: UInt8.self).baseAddress, &message)
        return try limits.jpegHasMore(after: status, message)
    }
}
#endif
