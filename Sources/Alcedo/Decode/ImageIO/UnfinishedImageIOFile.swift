#if canImport(ImageIO)
import CoreGraphics
import Foundation
import ImageIO

/// The beginning of a file, opened with ImageIO.
struct UnfinishedImageIOFile {
    private let source: CGImageSource

    init(_ kind: ImageIODecoder.Format) { source = CGImageSourceCreateIncremental(kind.hint) }

    /// Returns the image as far as it has arrived; nil if it has no pixels yet.
    ///
    /// - Parameter beginning: All bytes that have arrived, at least those of the call before.
    func image(_ beginning: Data) -> CGImage? {
        CGImageSourceUpdateData(source, beginning as CFData, false)
        return CGImageSourceCreateImageAtIndex(source, 0, ImageIOFile.decodeOptions as CFDictionary)
    }
}
#endif
