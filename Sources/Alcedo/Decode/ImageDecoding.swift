public import Foundation

/// A codec: reads one format.
///
/// Calls are synchronous and take as long as the picture needs; Alcedo makes them on threads of its own, never on the
/// cooperative pool.
public protocol ImageDecoding: Sendable {
    var format: ImageFormat { get }

    /// What the head of the file says; allocates no pixels and holds the claims against `limits`.
    func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader

    /// The picture, upright, whole or not at all: bytes that end too early are an error.
    func decode(_ data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> DecodedImage
}
