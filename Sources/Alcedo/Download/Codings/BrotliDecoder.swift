#if os(Linux) && Curl && Brotli
import CBrotli

/// Decodes Brotli (RFC 7932) with the system's library, which holds addresses of input and output only during a call.
final class BrotliDecoder: ContentDecoder {
    private let state: OpaquePointer
    private(set) var hasEnded = false

    init?() {
        guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else { return nil }
        self.state = state
    }

    deinit { BrotliDecoderDestroyInstance(state) }

    func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> ContentDecoderStep {
        if hasEnded { return ContentDecoderStep(taken: input.count, isSurplus: true) }
        var (left, space) = (input.count, output.count)
        var next = input.bindMemory(to: UInt8.self).baseAddress
        var place = output.bindMemory(to: UInt8.self).baseAddress
        let result = BrotliDecoderDecompressStream(state, &left, &next, &space, &place, nil)
        hasEnded = result == BROTLI_DECODER_RESULT_SUCCESS
        return ContentDecoderStep(
            taken: input.count - left, made: output.count - space, isDamaged: result == BROTLI_DECODER_RESULT_ERROR)
    }
}
#endif
