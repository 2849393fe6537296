public import Foundation

/// A codec: reads one format.
///
/// Calls are synchronous. A loader makes those of ``decode(_:_:)`` on threads of its own, where they may take as long
/// as the picture needs. Those of ``header(of:limits:)`` should be quick: for a file of up to 256 KiB they are made on
/// the cooperative pool, for a larger one on those threads. Several may run at once.
public protocol ImageDecoding: Sendable {
    /// The one format it reads; bytes of no other are given to it.
    var format: ImageFormat { get }

    /// What the head of the file says; allocates no pixels and holds the claims against `limits`.
    ///
    /// - Throws: ``ImageLoaderError/corruptImage(_:reason:)``, ``ImageLoaderError/unsupportedImage(_:reason:)`` or
    ///   ``ImageLoaderError/limitExceeded(_:value:allowed:)``.
    func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader

    /// The picture, whole or not at all: bytes that end too early are an error. It is as large as
    /// ``DecodeRequest/target`` asks for, and upright unless ``DecodeRequest/appliesOrientation`` is false.
    ///
    /// - Throws: as ``header(of:limits:)``, and ``ImageLoaderError/cancelled``.
    func decode(_ data: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> DecodedImage

    /// The memory that a decode needs at once, in bytes: what a loader counts before it begins. By default that of all
    /// pixels; a codec that can scale while it reads needs less, one that gathers its scans before more.
    ///
    /// - Throws: ``ImageLoaderError/limitExceeded(_:value:allowed:)`` when the bitmap breaks a limit.
    func workingBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int
}

extension ImageDecoding {
    public func workingBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int {
        try request.limits.bitmapBytes(for: header.size)
    }

    /// The whole picture, upright.
    public func decode(_ data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> DecodedImage {
        try decode(data, DecodeRequest(limits: limits))
    }
}
