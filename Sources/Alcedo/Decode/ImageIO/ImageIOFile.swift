#if canImport(ImageIO)
import CoreGraphics
import Foundation
import ImageIO

/// A file opened with ImageIO.
struct ImageIOFile {
    private let source: CGImageSource
    private let kind: ImageIODecoder.Format

    init(_ data: Data, _ kind: ImageIODecoder.Format) throws(ImageLoaderError) {
        let options = [kCGImageSourceTypeIdentifierHint: kind.rawValue]
        guard let source = CGImageSourceCreateWithData(data as CFData, options as CFDictionary),
            CGImageSourceGetStatusAtIndex(source, 0) == .statusComplete
        else { throw .corruptImage(kind.format, reason: Self.damage) }
        self.source = source
        self.kind = kind
    }

    private static let damage = "ends too early or breaks the format's rules"

    /// Returns an image that is as large as `reduction` says, or larger if ImageIO can't reduce it so far.
    func image(at index: Int, _ reduction: JPEGReduction) throws(ImageLoaderError) -> CGImage {
        guard let image = reduction.denominator == 1 ? whole(index) : reduced(index, reduction) else {
            throw .corruptImage(kind.format, reason: Self.damage)
        }
        return image
    }

    // Each image is drawn once, so ImageIO needn't keep its pixels.
    private func whole(_ index: Int) -> CGImage? {
        CGImageSourceCreateImageAtIndex(source, index, [kCGImageSourceShouldCache: false] as CFDictionary)
    }

    private func reduced(_ index: Int, _ reduction: JPEGReduction) -> CGImage? {
        if kind.isSubsampled {
            let options: [CFString: Any] = [
                kCGImageSourceShouldCache: false, kCGImageSourceSubsampleFactor: reduction.denominator,
            ]
            return CGImageSourceCreateImageAtIndex(source, index, options as CFDictionary)
        }
        let options: [CFString: Any] = [
            kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceCreateThumbnailWithTransform: false,
            kCGImageSourceThumbnailMaxPixelSize: max(reduction.whole.width, reduction.whole.height),
        ]
        return CGImageSourceCreateThumbnailAtIndex(source, index, options as CFDictionary)
    }
}

extension CGImage {
    /// The profile of the colors, if a bitmap can keep them; nil for sRGB, and for colors that have to be converted to
    /// it: gray, inks, and those that need more than 8 bits.
    func keptProfile(_ limits: DecodeLimits) throws(ImageLoaderError) -> Data? {
        let own = colorSpace?.model == .indexed ? colorSpace?.baseColorSpace : colorSpace
        guard let own, own.model == .rgb, own.supportsOutput, !CGColorSpaceUsesITUR_2100TF(own),
            !CGColorSpaceUsesExtendedRange(own), let profile = own.profile,
            profile != CGColorSpace(name: CGColorSpace.sRGB)?.profile
        else { return nil }
        try limits.check(metadataBytes: profile.count)
        return profile
    }
}

extension CGColorSpace {
    fileprivate var profile: Data? { copyICCData().map { $0 as Data } }
}
#endif
