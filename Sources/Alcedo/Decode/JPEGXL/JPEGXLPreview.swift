#if os(Linux) && JPEGXL
import CJxl
public import Foundation

extension JPEGXLDecoder: PreviewDecoding {
    public func previewHeader(_ head: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> ImageHeader? {
        let file = try Self.still(head, request.limits)
        return file.frames.hasFrame ? Self.header(of: file) : nil
    }

    /// The codec's samples and its output, the latest preview, and the file but for its metadata.
    public func previewBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int {
        try request.limits.bitmapBytes(for: header.size).multiplied(by: 2 + Self.fileBitmaps(header))
            .plus(header.bandBytes)
    }

    /// How many bitmaps are as large as any file of an image.
    private static func fileBitmaps(_ header: ImageHeader) -> Int { (header.bitsPerSample ?? 16) > 8 ? 2 : 1 }

    public func previewReader(
        _ head: Data, _ header: ImageHeader, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> any PreviewReading {
        let bytes = try request.limits.bitmapBytes(for: header.size).multiplied(by: Self.fileBitmaps(header))
        return try JPEGXLPreviewReader(
            Self.still(head, request.limits), request.limits, mostBytes: bytes.plus(request.limits.metadataBytes))
    }

    /// The head of a file whose previews are made.
    private static func still(_ head: Data, _ limits: DecodeLimits) throws(ImageLoaderError) -> JPEGXLFile {
        let file = try JPEGXLFile.open(head, limits)
        guard file.info.have_animation == 0, file.colors.toneMapping == nil else {
            throw .unsupportedImage(.jxl, reason: "no previews of animations and of HDR")
        }
        return file
    }
}

/// Decodes a JPEG XL as it arrives, with libjxl: as soon as an eighth of its resolution is there, then group by group.
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

    /// Decodes nothing: libjxl is given the bytes of those frames only whose heads are there.
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
            // libjxl needs more bytes at once.
            if left == piece.count {
                if piece.count < length { return }
                length *= 2
            }
        }
    }

    /// Nil if it hasn't begun. It is in any file whose head could be read.
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

    /// libjxl writes into these pixels for as long as the decoder lives.
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
