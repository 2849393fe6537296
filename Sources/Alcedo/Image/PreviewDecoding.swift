public import Foundation

/// A decoder that can show an image before all of its bytes have arrived, for ``LoadTask/previews``.
///
/// Calls are made on the loader's decode threads when these are idle.
public protocol PreviewDecoding: ImageDecoding {
    /// Reads an image's header from the first bytes of a file; nil if more bytes are needed.
    ///
    /// - Throws: The errors of ``ImageDecoding/header(of:limits:)``, and
    ///   ``ImageLoaderError/unsupportedImage(_:reason:)`` for a file that can be shown only as a whole.
    ///   ``ImageLoaderError/corruptImage(_:reason:)`` may also mean that bytes are missing.
    func previewHeader(_ head: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> ImageHeader?

    /// The maximum number of bytes that a reader and its latest preview hold, besides a few kilobytes.
    ///
    /// - Throws: ``ImageLoaderError/limitExceeded(_:value:allowed:)`` if the limits don't allow the image's pixels.
    func previewBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int

    /// Creates a reader for a file; the reader receives all of the file's bytes, starting with the first one.
    ///
    /// - Parameters:
    ///   - head: The bytes that `header` was read from.
    ///   - header: The result of ``previewHeader(_:_:)``.
    ///   - request: How to decode the image; a reader may ignore the target.
    func previewReader(
        _ head: Data, _ header: ImageHeader, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> any PreviewReading
}

/// Decodes the bytes of one file as they arrive.
///
/// A reader isn't used again after it has thrown an error, except ``ImageLoaderError/cancelled``.
public protocol PreviewReading: AnyObject {
    /// Takes the next bytes, copies what it needs later, and decodes as much as possible.
    ///
    /// - Throws: ``ImageLoaderError/cancelled`` if the reader was stopped: the bytes have been taken, and the next call
    ///   does the remaining work. Any other error says what is wrong with the file.
    func append(_ bytes: UnsafeRawBufferPointer, _ cancellation: DecodeCancellation) throws(ImageLoaderError)

    /// The part of the image that has arrived; nil if it shows nothing that the previous one didn't.
    ///
    /// - Throws: The errors of ``append(_:_:)``.
    func preview(_ cancellation: DecodeCancellation) throws(ImageLoaderError) -> PartialImage?
}

/// An image that hasn't arrived completely, oriented as in the file: not turned upright.
public struct PartialImage: Sendable {
    /// The pixels; those that haven't arrived are transparent.
    public let bitmap: Bitmap
    /// The factor by which the bitmap is smaller than the whole image in each direction: 1, 2, 4 or 8.
    public let reduction: Int
    /// The drawn share of the image, starting with its first row, from 0 to 1.
    public let coverage: Double
    /// The quality of the drawn part, compared with the whole image.
    public let quality: ImagePreview.Quality

    /// Creates an image of which only a part has arrived.
    public init(bitmap: Bitmap, reduction: Int = 1, coverage: Double, quality: ImagePreview.Quality) {
        self.bitmap = bitmap
        self.reduction = reduction
        self.coverage = coverage
        self.quality = quality
    }
}
