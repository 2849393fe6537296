#if os(Linux) && Curl
/// Decodes the body of one response in one content coding.
protocol ContentDecoder: AnyObject {
    /// Whether the coded body has ended as its format requires. Bytes after that are ignored.
    var hasEnded: Bool { get }

    /// Decodes from `input` until `output` is full or more input is needed.
    func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> ContentDecoderStep
}

/// The result of one call of a decoder.
struct ContentDecoderStep {
    /// The number of input bytes that were consumed. The next call begins with the rest.
    var taken = 0
    /// The number of bytes that were decoded.
    var made = 0
    /// Whether the input violates the format.
    var isDamaged = false
    /// Whether the taken bytes come after the end of the coded body, where nothing more is decoded.
    var isSurplus = false
}

extension ContentCoding {
    /// Whether this build has a decoder.
    var isDecodable: Bool {
        switch self {
        case .gzip, .deflate: true
        case .brotli: brotliDecoder != nil
        case .zstandard: zstandardDecoder != nil
        }
    }

    /// A new decoder; nil if this build has none, or memory is short.
    func makeDecoder() -> (any ContentDecoder)? {
        switch self {
        case .gzip, .deflate: Inflater(isGzip: self == .gzip)
        case .brotli: brotliDecoder?()
        case .zstandard: zstandardDecoder?()
        }
    }
}

#if Brotli
private let brotliDecoder: (@Sendable () -> (any ContentDecoder)?)? = { BrotliDecoder() }
#else
private let brotliDecoder: (@Sendable () -> (any ContentDecoder)?)? = nil
#endif
#if Zstandard
private let zstandardDecoder: (@Sendable () -> (any ContentDecoder)?)? = { ZstandardDecoder() }
#else
private let zstandardDecoder: (@Sendable () -> (any ContentDecoder)?)? = nil
#endif
#endif
