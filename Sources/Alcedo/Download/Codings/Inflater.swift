#if os(Linux) && Curl
import CZlib

/// Decodes gzip (RFC 1952), including several members, and deflate with or without a zlib frame (RFC 1950, RFC 1951),
/// using the system's zlib.
///
/// zlib keeps the address of its stream, which is therefore allocated once and stays in place. It holds addresses of
/// input and output only during a call.
final class Inflater: ContentDecoder {
    private enum Place {
        /// Before the first byte.
        case start
        case inside
        /// After a gzip member, where another one may follow.
        case between
        /// After the end, where nothing more is decoded.
        case after
    }

    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let isGzip: Bool
    private var place = Place.start

    init(isGzip: Bool) {
        self.isGzip = isGzip
        stream.initialize(to: z_stream())
    }

    deinit {
        // Has no effect if decoding never began.
        inflateEnd(stream)
        stream.deallocate()
    }

    var hasEnded: Bool { place == .between || place == .after }

    func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> ContentDecoderStep {
        switch place {
        case .inside: return inflate(input, into: output)
        case .after: return ContentDecoderStep(taken: input.count, isSurplus: true)
        case .start, .between: break
        }
        // The first two bytes identify what follows.
        guard input.count >= 2 else { return ContentDecoderStep() }
        if place == .start {
            guard begin(input[0], input[1]) else { return ContentDecoderStep(isDamaged: true) }
        } else if input[0] == 0x1F, input[1] == 0x8B {
            inflateReset(stream)
            place = .inside
        } else {
            // Padding or garbage, which browsers ignore as well.
            place = .after
        }
        return decode(input, into: output)
    }

    private func begin(_ first: UInt8, _ second: UInt8) -> Bool {
        let hasFrame = first & 0x0F == 8 && (Int(first) << 8 | Int(second)).isMultiple(of: 31)
        let window = isGzip ? MAX_WBITS + 16 : hasFrame ? MAX_WBITS : -MAX_WBITS
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, window, ZLIB_VERSION, size) == Z_OK else { return false }
        place = .inside
        return true
    }

    private func inflate(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> ContentDecoderStep {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_out = UInt32(output.count)
        let status = CZlib.inflate(stream, Z_NO_FLUSH)
        if status == Z_STREAM_END { place = isGzip ? .between : .after }
        return ContentDecoderStep(
            taken: input.count - Int(stream.pointee.avail_in), made: output.count - Int(stream.pointee.avail_out),
            isDamaged: ![Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(status))
    }
}
#endif
