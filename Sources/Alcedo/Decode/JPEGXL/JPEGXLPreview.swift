#if os(Linux) && JPEGXL
import CJxl
public import Foundation

extension JPEGXLDecoder: PreviewDecoding {
    public func previewHeader(_ head: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> ImageHeader? {
        let file = try Self.still(head, request.limits)
        return file.frames.hasFrame ? Self.header(of: file) : nil
    }

    /// Returns the size of the codec's samples and output, the latest preview, and the file without its metadata.
    public func previewBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int {
        try request.limits.bitmapBytes(for: header.size).multiplied(by: 2 + Self.fileBitmaps(header))
            .plus(header.bandBytes)
    }

    /// The number of bitmaps that are at least as large as any file of the image.
    private static func fileBitmaps(_ header: ImageHeader) -> Int { (header.bitsPerSample ?? 16) > 8 ? 2 : 1 }

    public func previewReader(
        _ head: Data, _ header: ImageHeader, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> any PreviewReading {
        let bytes = try request.limits.bitmapBytes(for: header.size).multiplied(by: Self.fileBitmaps(header))
        return try JPEGXLPreviewReader(
            Self.still(head, request.limits), request.limits, mostBytes: bytes.plus(request.limits.metadataBytes))
    }

    /// Opens the head of a file. Throws for animations and HDR, which have no previews.
    private static func still(_ head: Data, _ limits: DecodeLimits) throws(ImageLoaderError) -> JPEGXLFile {
        let file = try JPEGXLFile.open(head, limits)
        guard file.info.have_animation == 0, file.colors.toneMapping == nil else {
            throw .unsupportedImage(.jxl, reason: "no previews of animations and of HDR")
        }
        return file
    }
}

/// Decodes a JPEG XL with libjxl as it arrives: first at an eighth of its resolution, then group by group.
private final class JPEGXLPreviewReader: PreviewReading {
    /// The file's head.
    private let file: JPEGXLFile
    private let limits: DecodeLimits
    private let mostBytes: Int
    private let decoder: OpaquePointer
    private var pixels: BitmapBuilder
    private var received = Data()
    /// The number of bytes of the codestream that libjxl won't need again.
    private var position = 0
    private var shown = 0
    private var passes = 0
    private var isDone = false

    init(_ file: JPEGXLFile, _ limits: DecodeLimits, mostBytes: Int) throws(ImageLoaderError) {
        (self.file, self.limits, self.mostBytes) = (file, limits, mostBytes)
        pixels = try BitmapBuilder(size: file.size, limits: limits)
        decoder = try JPEGXLFile.makeDecoder()
    }

    deinit { JxlDecoderDestroy(decoder) }

    /// Only collects the bytes: libjxl receives a frame's bytes once its head is complete.
    func append(_ bytes: UnsafeRawBufferPointer, _ cancellation: DecodeCancellation) throws(ImageLoaderError) {
        if isDone { return }
        guard received.count + bytes.count <= mostBytes else {
            throw .limitExceeded(.inputBytes, value: received.count + bytes.count, allowed: mostBytes)
        }
        received.append(contentsOf: bytes)
    }

    func preview(_ cancellation: DecodeCancellation) throws(ImageLoaderError) -> PartialImage? {
        if !isDone { try decode(cancellation) }
        guard position > shown, isDone || JxlDecoderFlushImage(decoder) == JXL_DEC_SUCCESS else { return nil }
        shown = position
        passes += 1
        var picture = try pixels.copy(rows: file.size.height, limits: limits)
        file.finish(&picture)
        return PartialImage(
            bitmap: picture.freeze(), coverage: 1, quality: isDone ? .final : .coarse(pass: passes))
    }

    private func decode(_ cancellation: DecodeCancellation) throws(ImageLoaderError) {
        guard let codestream = receivedCodestream else { return }
        let end = try min(file.frames(in: codestream, limits).readableEnd, codestream.count)
        var length = Self.pieceBytes
        while position < end, !isDone {
            try cancellation.check()
            let piece = codestream.dropFirst(position).prefix(length).prefix(end - position)
            let bytes = piece.bytes
            let left = try bytes.withUnsafeBytes { (bytes) throws(ImageLoaderError) in try decode(bytes) }
            position += piece.count - left
            // libjxl needs more bytes at a time.
            if left == piece.count {
                if piece.count < length { return }
                length *= 2
            }
        }
    }

    /// The received part of the codestream; nil if there is none, which can't happen here.
    private var receivedCodestream: Data? {
        do throws(ImageLoaderError) { return try received.jpegXLCodestream } catch { return nil }
    }

    /// - Returns: The number of bytes that must be given again.
    private func decode(_ bytes: UnsafeRawBufferPointer) throws(ImageLoaderError) -> Int {
        JxlDecoderSetInput(decoder, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        while true {
            let status = JxlDecoderProcessInput(decoder)
            switch status {
            case JXL_DEC_BASIC_INFO: continue
            case JXL_DEC_COLOR_ENCODING: _ = try JPEGXLColors(decoder, file.info, limits)
            case JXL_DEC_NEED_IMAGE_OUT_BUFFER: try setOutput()
            case JXL_DEC_NEED_MORE_INPUT: return JxlDecoderReleaseInput(decoder)
            case JXL_DEC_FULL_IMAGE, JXL_DEC_SUCCESS:
                isDone = true
                return JxlDecoderReleaseInput(decoder)
            default: throw .corruptImage(.jxl, reason: "damaged data")
            }
        }
    }

    /// libjxl writes into these pixels until the decoder is destroyed.
    private func setOutput() throws(ImageLoaderError) {
        var format = JPEGXLFile.format(JXL_TYPE_UINT8)
        let status = pixels.withUnsafeMutableBytes {
            JxlDecoderSetImageOutBuffer(decoder, &format, $0.baseAddress, $0.count)
        }
        guard status == JXL_DEC_SUCCESS else { throw .unsupportedImage(.jxl, reason: "no pixels of this kind") }
    }

    private static let pieceBytes = 64 << 10
}
#endif
