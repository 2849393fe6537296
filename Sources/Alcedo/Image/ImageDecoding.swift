public import Foundation

/// A codec that reads one format.
///
/// Calls are synchronous, and several may run at once. A loader calls ``decode(_:_:)`` on threads of its own, where it
/// may take as long as the image needs. ``header(of:limits:)`` should be quick: for a file of up to 256 KiB it is
/// called on the cooperative pool, for a larger one on those threads.
///
/// A codec that can show an image before all of its bytes are there conforms to ``PreviewDecoding`` too.
public protocol ImageDecoding: Sendable {
    /// The format it reads.
    var format: ImageFormat { get }

    /// Whether it reads files that begin with `head`. Default: whether `detected` is ``format``.
    ///
    /// - Parameters:
    ///   - head: the first 512 bytes, or all bytes of a shorter file.
    ///   - detected: what ``ImageFormat/init(sniffing:)`` detects.
    func recognizes(_ head: Data, detected: ImageFormat?) -> Bool

    /// Media types a server is asked for in the `Accept` field. Default: those of ``format``.
    var mediaTypes: [String] { get }

    /// Identifies what it makes of a file's bytes. Loaders whose decoders differ in this never find each other's
    /// images. Default: the name of its type; a type whose values decode differently tells them apart here.
    var identity: String { get }

    /// What the head of the file says; allocates no pixels and holds the claims against `limits`.
    ///
    /// - Throws: ``ImageLoaderError/corruptImage(_:reason:)``, ``ImageLoaderError/unsupportedImage(_:reason:)`` or
    ///   ``ImageLoaderError/limitExceeded(_:value:allowed:)``.
    func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader

    /// Decodes the image completely, or throws: truncated bytes are an error.
    ///
    /// The image has the size that ``DecodeRequest/target`` asks for, and is upright unless
    /// ``DecodeRequest/appliesOrientation`` is false.
    ///
    /// - Throws: as ``header(of:limits:)``, and ``ImageLoaderError/cancelled``.
    func decode(_ data: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> DecodedImage

    /// The peak memory that a decode needs, in bytes. A loader reserves it before the decode starts.
    ///
    /// By default the memory of all pixels. A codec that scales while it reads needs less; one that collects all scans
    /// first needs more.
    ///
    /// - Throws: ``ImageLoaderError/limitExceeded(_:value:allowed:)`` when the bitmap exceeds a limit.
    func workingBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int
}

extension ImageDecoding {
    public func recognizes(_ head: Data, detected: ImageFormat?) -> Bool { detected == format }

    public var mediaTypes: [String] { format.mediaTypes }

    public var identity: String { String(reflecting: Self.self) }

    public func workingBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int {
        try request.limits.bitmapBytes(for: header.size)
    }

    /// Decodes the complete image, upright.
    public func decode(_ data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> DecodedImage {
        try decode(data, DecodeRequest(limits: limits))
    }
}
