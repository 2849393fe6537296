public import Foundation

/// A codec that reads one format.
///
/// Calls are synchronous, and several may run concurrently. A loader calls ``decode(_:_:)`` on its own threads, where
/// it may take as long as the image requires. ``header(of:limits:)`` should be quick: it is called on the cooperative
/// pool for files of up to 256 KiB, and on those threads for larger ones.
///
/// A codec that needs less or more memory than all pixels take, or that is quick, should also conform to
/// ``EstimatedDecoding``. A codec that can show an image before all of its bytes have arrived should also conform to
/// ``PreviewDecoding``.
public protocol ImageDecoding: Sendable {
    /// The format that the codec reads. Its ``ImageFormat/mediaTypes`` are requested from servers.
    var format: ImageFormat { get }

    /// Whether the codec reads files that begin with `head`.
    ///
    /// Default: whether `detected` is ``format``.
    ///
    /// - Parameters:
    ///   - head: The first 512 bytes, or all bytes of a shorter file.
    ///   - detected: The format that ``ImageFormat/init(sniffing:)`` detects.
    func recognizes(_ head: Data, detected: ImageFormat?) -> Bool

    /// Identifies the codec's results for a file's bytes.
    ///
    /// Loaders whose decoders have different identities never find each other's images. Default: the name of the
    /// codec's type. If values of that type decode differently, return different identities.
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
}

extension ImageDecoding {
    public func recognizes(_ head: Data, detected: ImageFormat?) -> Bool { detected == format }

    public var identity: String { String(reflecting: Self.self) }

    /// Decodes the complete image and turns it upright.
    public func decode(_ data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> DecodedImage {
        try decode(data, DecodeRequest(limits: limits))
    }

    /// The decoder's own estimate of a decode, or else the memory of all pixels.
    package func estimatedCost(
        _ header: ImageHeader, byteCount: Int, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> DecodeCost {
        guard let decoder = self as? any EstimatedDecoding else {
            return DecodeCost(workingBytes: try request.limits.bitmapBytes(for: header.size))
        }
        return try decoder.cost(header, byteCount: byteCount, request)
    }
}
