public import Foundation

/// A codec that reads one format.
///
/// Calls are synchronous and may run concurrently. A loader calls ``decode(_:_:)`` on its own threads, where it may
/// take as long as the image needs. ``header(of:limits:)`` should be quick: it is called on the cooperative pool for
/// files of up to 256 KiB, and on the loader's threads for larger ones.
public protocol ImageDecoding: Sendable {
    /// The format that this codec reads. It is only given bytes of this format.
    var format: ImageFormat { get }

    /// Reads the file's header. Allocates no pixels and checks the file's claims against `limits`.
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
    public func workingBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int {
        try request.limits.bitmapBytes(for: header.size)
    }

    /// Decodes the complete image, upright.
    public func decode(_ data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> DecodedImage {
        try decode(data, DecodeRequest(limits: limits))
    }
}
