#if canImport(ImageIO)
import CoreGraphics
import Foundation
import ImageIO

/// A file opened with ImageIO.
struct ImageIOFile {
    private let source: CGImageSource
    private let kind: ImageIODecoder.Format

    init(_ data: Data, _ kind: ImageIODecoder.Format) throws(ImageLoaderError) {
        guard let source = CGImageSourceCreateWithData(data as CFData, Self.hint(kind)) else {
            throw .corruptImage(kind.format, reason: Self.damage)
        }
        self.source = source
        self.kind = kind
    }

    private static let damage = "ends too early or breaks the format's rules"

    private static func hint(_ kind: ImageIODecoder.Format) -> CFDictionary {
        [kCGImageSourceTypeIdentifierHint: kind.rawValue] as CFDictionary
    }

    /// Returns an image that is as large as `reduction` says, or larger if ImageIO can't reduce it so far.
    ///
    /// Decodes all pixels at once, because damage that is found while an image is drawn isn't reported.
    func image(at index: Int, _ reduction: JPEGReduction) throws(ImageLoaderError) -> CGImage {
        guard let image = reduction.denominator == 1 ? whole(index) : reduced(index, reduction),
            CGImageSourceGetStatusAtIndex(source, index) == .statusComplete
        else { throw .corruptImage(kind.format, reason: Self.damage) }
        return image
    }

    private func whole(_ index: Int) -> CGImage? {
        CGImageSourceCreateImageAtIndex(source, index, [kCGImageSourceShouldCacheImmediately: true] as CFDictionary)
    }

    private func reduced(_ index: Int, _ reduction: JPEGReduction) -> CGImage? {
        if kind.isSubsampled {
            let options: [CFString: Any] = [
                kCGImageSourceShouldCacheImmediately: true, kCGImageSourceSubsampleFactor: reduction.denominator,
            ]
            return CGImageSourceCreateImageAtIndex(source, index, options as CFDictionary)
        }
        let options: [CFString: Any] = [
            kCGImageSourceShouldCacheImmediately: true, kCGImageSourceCreateThumbnailFromImageAlways: true,
            kCGImageSourceCreateThumbnailWithTransform: false,
            kCGImageSourceThumbnailMaxPixelSize: max(reduction.whole.width, reduction.whole.height),
        ]
        return CGImageSourceCreateThumbnailAtIndex(source, index, options as CFDictionary)
    }

    /// The image as far as the beginning of a file contains it; nil if it contains no pixels.
    static func unfinishedImage(_ beginning: Data, _ kind: ImageIODecoder.Format) -> CGImage? {
        let source = CGImageSourceCreateIncremental(hint(kind))
        CGImageSourceUpdateData(source, beginning as CFData, false)
        return CGImageSourceCreateImageAtIndex(
            source, 0, [kCGImageSourceShouldCacheImmediately: true] as CFDictionary)
    }
}
#endif
