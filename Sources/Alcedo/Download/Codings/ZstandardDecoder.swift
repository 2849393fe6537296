#if os(Linux) && Curl && Zstandard
import CZstd

/// Decodes Zstandard (RFC 8878) with the system's library, which holds addresses of input and output only during a
/// call. The body may have several frames.
final class ZstandardDecoder: ContentDecoder {
    private let stream: OpaquePointer
    private(set) var hasEnded = false

    /// The largest window, 8 MiB, that a body for the Web may need (RFC 9659).
    private static let windowBits: Int32 = 23

    init?() {
        guard let stream = ZSTD_createDStream() else { return nil }
        self.stream = stream
        ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, Self.windowBits)
    }

    deinit { ZSTD_freeDStream(stream) }

    func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> ContentDecoderStep {
        var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        let result = ZSTD_decompressStream(stream, &target, &source)
        if hasEnded, ZSTD_isError(result) != 0 { return ContentDecoderStep(taken: input.count, isSurplus: true) }
        // The result is the number of bytes that the decoder expects next; 0 at the end of a frame.
        if source.pos > 0 || target.pos > 0 { hasEnded = result == 0 }
        return ContentDecoderStep(taken: source.pos, made: target.pos, isDamaged: ZSTD_isError(result) != 0)
    }
}
#endif
