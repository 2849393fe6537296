public import Foundation

/// A decoder that can show an image before all of its bytes are there, for ``LoadTask/previews``.
///
/// Calls are made on the loader's decode threads, while those have nothing else to do.
public protocol PreviewDecoding: ImageDecoding {
    /// What the first bytes of a file say of its image; nil if they aren't enough yet.
    ///
    /// - Throws: as ``ImageDecoding/header(of:limits:)``, and ``ImageLoaderError/unsupportedImage(_:reason:)`` for a
    ///   file that can be shown only as a whole. ``ImageLoaderError/corruptImage(_:reason:)`` may also mean that bytes
    ///   are missing.
    func previewHeader(_ head: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> ImageHeader?

    /// Bytes that a reader and its latest image hold at most, besides a few kilobytes.
    ///
    /// - Throws: ``ImageLoaderError/limitExceeded(_:value:allowed:)`` if the limits don't allow its pixels.
    func previewBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int

    /// A reader for a file, which is given its bytes from the first one on.
    ///
    /// - Parameters:
    ///   - head: what ``previewHeader(_:_:)`` made `header` of.
    ///   - header: what ``previewHeader(_:_:)`` returned.
    ///   - request: how the image is to be decoded; a reader may ignore its target.
    func previewReader(
        _ head: Data, _ header: ImageHeader, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> any PreviewReading
}

/// Decodes the bytes of one file as they arrive. It isn't used any more after an error.
public protocol PreviewReading: AnyObject {
    /// Takes the next bytes, copies what it needs later, and decodes what they bring.
    ///
    /// - Throws: ``ImageLoaderError/cancelled`` if it was stopped: the bytes are taken, and the next call does what was
    ///   left to do. Otherwise what is wrong with the file.
    func append(
        _ bytes: UnsafeRawBufferPointer, _ cancellation: DecodeCancellation
    ) throws(ImageLoaderError)

    /// The image as far as it has arrived; nil if there is nothing that the previous one didn't show.
    ///
    /// - Throws: as ``append(_:_:)``.
    func preview(_ cancellation: DecodeCancellation) throws(ImageLoaderError) -> PartialImage?
}

/// An image that hasn't arrived completely, as the file stores it: not turned upright.
public struct PartialImage: Sendable {
    /// The pixels; those that haven't arrived are transparent.
    public let bitmap: Bitmap
    /// By how much it is smaller than the whole image, in each direction: 1, 2, 4 or 8.
    public let reduction: Int
    /// How much of it is drawn, from its first row on: 0 to 1.
    public let coverage: Double
    /// How fine what is drawn is, compared with the whole image.
    public let quality: ImagePreview.Quality

    /// An image of which not all has arrived.
    public init(bitmap: Bitmap, reduction: Int = 1, coverage: Double, quality: ImagePreview.Quality) {
        self.bitmap = bitmap
        self.reduction = reduction
        self.coverage = coverage
        self.quality = quality
    }
}
