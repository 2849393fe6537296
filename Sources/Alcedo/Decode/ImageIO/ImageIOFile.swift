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
        guard let type = CGImageSourceGetType(source) as String? else {
            throw .corruptImage(kind.format, reason: Self.damage)
        }
        guard kind.includes(type) else { throw .unsupportedImage(kind.format, reason: "ImageIO reads it as \(type)") }
        self.source = source
        self.kind = kind
    }

    private static let damage = "ends too early or breaks the format's rules"

    private static func hint(_ kind: ImageIODecoder.Format) -> CFDictionary {
        [kCGImageSourceTypeIdentifierHint: kind.rawValue] as CFDictionary
    }

    /// The index of the image to show.
    var stillIndex: Int {
        switch kind {
        case .heic, .avif: CGImageSourceGetPrimaryImageIndex(source)
        case .jpeg, .png, .webP, .jpegXL, .tiff: 0
        }
    }

    /// The header of the image to show, as ImageIO reads it. Decodes no pixels.
    func header(_ limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        let options = [kCGImageSourceShouldCache: false] as CFDictionary
        let found = CGImageSourceCopyPropertiesAtIndex(source, stillIndex, options) as? [CFString: Any]
        guard let width = found?[kCGImagePropertyPixelWidth] as? Int,
            let height = found?[kCGImagePropertyPixelHeight] as? Int
        else { throw .corruptImage(kind.format, reason: "no header that ImageIO can read") }
        let orientation = (found?[kCGImagePropertyOrientation] as? UInt8).flatMap(Orientation.init)
        var header = ImageHeader(
            format: kind.format, size: PixelSize(width: width, height: height), orientation: orientation ?? .up)
        header.hasAlpha = found?[kCGImagePropertyHasAlpha] as? Bool
        header.bitsPerSample = found?[kCGImagePropertyDepth] as? Int
        header.frameCount = 1
        try limits.check(header.size)
        return header
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
