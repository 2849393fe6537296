public import Foundation

/// A codec that reads one format.
///
/// Calls are synchronous, and several may run at once. A loader calls ``decode(_:_:)`` on its own threads, where it may
/// take as long as the image requires, unless ``estimatedTime(_:byteCount:_:)`` is short. ``header(of:limits:)`` should
/// be quick: it is called on the cooperative pool for files of up to 256 KiB, and on those threads for larger ones.
///
/// A codec that can show an image before all of its bytes have arrived also conforms to ``PreviewDecoding``.
public protocol ImageDecoding: Sendable {
    /// The format that the codec reads.
    var format: ImageFormat { get }

    /// Whether the codec reads files that begin with `head`.
    ///
    /// Default: whether `detected` is ``format``.
    ///
    /// - Parameters:
    ///   - head: The first 512 bytes, or all bytes of a shorter file.
    ///   - detected: The format that ``ImageFormat/init(sniffing:)`` detects.
    func recognizes(_ head: Data, detected: ImageFormat?) -> Bool

    /// The media types to request from a server in the `Accept` field.
    ///
    /// Default: those of ``format``.
    var mediaTypes: [String] { get }

    /// Identifies what the codec makes from a file's bytes.
    ///
    /// Loaders whose decoders differ in this never find each other's images. Default: the name of the codec's type. If
    /// values of that type decode differently, return different identities.
    var identity: String { get }

    /// Reads the head of a file, without allocating pixels, and checks what it claims against `limits`.
    ///
    /// - Throws: ``ImageLoaderError/corruptImage(_:reason:)``, ``ImageLoaderError/unsupportedImage(_:reason:)`` or
    ///   ``ImageLoaderError/limitExceeded(_:value:allowed:)``.
    func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader

    /// Decodes the complete image.
    ///
    /// Missing pixels are an error, unless ``DecodeRequest/damaged`` says otherwise. The image has the size that
    /// ``DecodeRequest/target`` asks for, and is upright unless ``DecodeRequest/appliesOrientation`` is false.
    ///
    /// - Throws: The errors of ``header(of:limits:)``, and ``ImageLoaderError/cancelled``.
    func decode(_ data: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> DecodedImage

    /// The peak memory that a decode requires, in bytes.
    ///
    /// A loader reserves it before the decode starts. Default: the memory of all pixels. A codec that scales while it
    /// reads needs less; one that collects all scans first needs more.
    ///
    /// - Throws: ``ImageLoaderError/limitExceeded(_:value:allowed:)`` when the bitmap exceeds a limit.
    func workingBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int

    /// How long ``decode(_:_:)`` takes at most, usually; nil, the default, if that isn't known.
    ///
    /// Up to 150 µs, a loader decodes on the cooperative pool, because a change of threads would cost more than it
    /// saves. A codec that may block or wait must return nil.
    ///
    /// - Parameters:
    ///   - header: The result of ``header(of:limits:)``.
    ///   - byteCount: The size of the file in bytes.
    ///   - request: The request that the image would be decoded with.
    func estimatedTime(_ header: ImageHeader, byteCount: Int, _ request: DecodeRequest) -> Duration?
}

extension ImageDecoding {
    public func recognizes(_ head: Data, detected: ImageFormat?) -> Bool { detected == format }

    public var mediaTypes: [String] { format.mediaTypes }

    public var identity: String { String(reflecting: Self.self) }

    public func workingBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int {
        try request.limits.bitmapBytes(for: header.size)
    }

    public func estimatedTime(_ header: ImageHeader, byteCount: Int, _ request: DecodeRequest) -> Duration? { nil }

    /// Decodes the complete image and turns it upright.
    public func decode(_ data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> DecodedImage {
        try decode(data, DecodeRequest(limits: limits))
    }
}
