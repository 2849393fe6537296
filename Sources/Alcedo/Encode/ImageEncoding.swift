public import Foundation

/// A codec: writes one format.
///
/// Calls are synchronous and take as long as the picture needs, so they belong on threads that may be kept busy.
public protocol ImageEncoding: Sendable {
    /// The format it writes.
    var format: ImageFormat { get }

    /// The bytes of a file that shows `bitmap`.
    ///
    /// - Throws: ``ImageLoaderError/encodingFailed(_:reason:)`` when a setting or the bitmap's size is not one of the
    ///   format, or memory runs out.
    func encode(_ bitmap: Bitmap) throws(ImageLoaderError) -> Data
}
