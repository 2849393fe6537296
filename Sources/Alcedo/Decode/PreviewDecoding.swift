package import Foundation

/// A decoder that can show a picture before all of its bytes are there.
package protocol PreviewDecoding: ImageDecoding {
    /// What the first bytes of a file say of its picture; nil when they do not tell enough yet.
    ///
    /// - Throws: as ``ImageDecoding/header(of:limits:)``, and ``ImageLoaderError/unsupportedImage(_:reason:)`` for a
    ///   file that can be shown only when it is whole. ``ImageLoaderError/corruptImage(_:reason:)`` may mean too few
    ///   bytes too.
    func previewHeader(_ head: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> ImageHeader?

    /// Bytes that a reader and the last picture it has handed out hold at most, besides a few kilobytes.
    ///
    /// - Throws: ``ImageLoaderError/limitExceeded(_:value:allowed:)`` when the limits do not allow its pixels.
    func previewBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int

    /// Reads a file from its first byte on; it has been given none yet.
    ///
    /// - Parameter head: what ``previewHeader(_:_:)`` made the header of.
    func previewReader(
        _ head: Data, _ header: ImageHeader, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> any PreviewReading
}

/// Decodes the bytes of one file as they come. After an error it is not used any more.
package protocol PreviewReading: AnyObject {
    /// Takes the next bytes, which it copies as far as it needs them later, and decodes what they bring.
    ///
    /// - Throws: ``ImageLoaderError/cancelled`` when it was stopped: the bytes are taken, and what was left to do is
    ///   done in the next call; else what is wrong with the file.
    func append(
        _ bytes: UnsafeRawBufferPointer, _ cancellation: DecodeCancellation
    ) throws(ImageLoaderError)

    /// The picture as far as it has come; nil when there is nothing that the one before did not show.
    ///
    /// - Throws: as ``append(_:_:)``.
    func preview(_ cancellation: DecodeCancellation) throws(ImageLoaderError) -> PartialPicture?
}

/// A picture of which not all has come, as the file stores it.
package struct PartialPicture: Sendable {
    /// As ``StoredPicture/bitmap``; what has not come is transparent.
    package let bitmap: Bitmap
    /// As ``StoredPicture/reduction``.
    package var reduction = 1
    /// How much of it is drawn, from its first row on: 0 to 1.
    package let coverage: Double
    /// As what is drawn will be seen in the end.
    package let quality: ImagePreview.Quality
}

extension BitmapBuilder {
    /// Copies the first rows of `source`, each at least as long as one of this, over those that are there.
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

    /// A copy of the first rows; the others are transparent.
    mutating func copy(rows: Int, limits: DecodeLimits) throws(ImageLoaderError) -> BitmapBuilder {
        var copy = try BitmapBuilder(size: size, limits: limits)
        let bytesPerRow = bytesPerRow
        withBytes { bytes in
            bytes.withUnsafeBytes { copy.copy(rows: rows, of: $0, bytesPerRow: bytesPerRow) }
        }
        return copy
    }
}
