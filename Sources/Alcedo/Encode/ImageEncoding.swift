public import Foundation

/// A codec that writes one format.
///
/// Calls are synchronous and take as long as the image needs, so make them on threads that may block.
public protocol ImageEncoding: Sendable {
    /// The format that this codec writes.
    var format: ImageFormat { get }

    /// Returns the bytes of a file that shows `bitmap`.
    ///
    /// - Throws: ``ImageLoaderError/encodingFailed(_:reason:)`` when the format doesn't support a setting or the
    ///   bitmap's size, or when memory runs out.
    func encode(_ bitmap: Bitmap) throws(ImageLoaderError) -> Data
}
