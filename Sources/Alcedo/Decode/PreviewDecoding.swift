package import Foundation

/// A decoder that can show a picture before all of its bytes have arrived.
package protocol PreviewDecoding: ImageDecoding {
    /// Reads the header from the first bytes of a file; returns nil when they aren't enough yet.
    ///
    /// - Throws: as ``ImageDecoding/header(of:limits:)``, and ``ImageLoaderError/unsupportedImage(_:reason:)`` for a
    ///   file that can only be shown once it is complete. ``ImageLoaderError/corruptImage(_:reason:)`` may also mean
    ///   too few bytes.
    func previewHeader(_ head: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> ImageHeader?

    /// The maximum memory, in bytes, of a reader and the last picture that it returned, apart from a few kilobytes.
    ///
    /// - Throws: ``ImageLoaderError/limitExceeded(_:value:allowed:)`` when the limits don't allow its pixels.
    func previewBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int

    /// Creates a reader for a file. It expects all bytes, starting with the first one.
    ///
    /// - Parameter head: the bytes that ``previewHeader(_:_:)`` read the header from.
    func previewReader(
        _ head: Data, _ header: ImageHeader, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> any PreviewReading
}

/// Decodes the bytes of one file as they arrive. Not used any more after an error.
package protocol PreviewReading: AnyObject {
    /// Decodes the next bytes, and copies those it needs later.
    ///
    /// - Throws: ``ImageLoaderError/cancelled`` when cancelled: the bytes have been taken, and the next call does the
    ///   remaining work. Otherwise an error that describes what is wrong with the file.
    func append(
        _ bytes: UnsafeRawBufferPointer, _ cancellation: DecodeCancellation
    ) throws(ImageLoaderError)

    /// Returns the part of the picture decoded so far; nil when it shows nothing that the previous one didn't.
    ///
    /// - Throws: as ``append(_:_:)``.
    func preview(_ cancellation: DecodeCancellation) throws(ImageLoaderError) -> PartialPicture?
}

/// A picture that has arrived in part, as stored in the file.
package struct PartialPicture: Sendable {
    /// As ``StoredPicture/bitmap``. Parts that haven't arrived are transparent.
    package let bitmap: Bitmap
    /// As ``StoredPicture/reduction``.
    package var reduction = 1
    /// The share of the picture that is drawn, from its first row on: 0 to 1.
    package let coverage: Double
    /// How fine the drawn part is.
    package let quality: ImagePreview.Quality
}

extension BitmapBuilder {
    /// Copies the first rows of `source`, each at least as long as a row of this bitmap, over the existing ones.
    mutating func copy(rows: Int, of source: UnsafeRawBufferPointer, bytesPerRow: Int) {
        let length = self.bytesPerRow
        precondition((0...size.height).contains(rows) && bytesPerRow >= length, "rows of another picture")
        precondition(rows == 0 || source.count >= (rows - 1) * bytesPerRow + length, "more rows than there are")
        withBytes { target in
            target.withUnsafeMutableBytes { target in
                for row in 0..<rows {
                    let start = row * bytesPerRow
                    UnsafeMutableRawBufferPointer(rebasing: target[row * length..<(row + 1) * length])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[start..<start + length]))
                }
            }
        }
    }

    /// A copy of the first rows; the other rows are transparent.
    mutating func copy(rows: Int, limits: DecodeLimits) throws(ImageLoaderError) -> BitmapBuilder {
        var copy = try BitmapBuilder(size: size, limits: limits)
        let bytesPerRow = bytesPerRow
        withBytes { bytes in
            bytes.withUnsafeBytes { copy.copy(rows: rows, of: $0, bytesPerRow: bytesPerRow) }
        }
        return copy
    }
}
