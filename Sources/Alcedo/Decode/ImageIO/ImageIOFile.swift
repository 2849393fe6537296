#if canImport(ImageIO)
import CoreGraphics
import Foundation
import ImageIO

/// A file opened with ImageIO.
struct ImageIOFile {
    private let source: CGImageSource
    private let kind: ImageIODecoder.Format

    init(_ data: Data, _ kind: ImageIODecoder.Format) throws(ImageLoaderError) {
        guard let source = CGImageSourceCreateWithData(data as CFData, kind.hint) else {
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
        header.frameCount = sequence?.delays.count ?? 1
        try limits.check(header.size)
        return header
    }

    /// The number of images in the file.
    var count: Int { CGImageSourceGetCount(source) }

    /// The delays of a sequence's images, and how often it plays; nil for other files.
    var sequence: (delays: [Duration], loopCount: LoopCount)? {
        let key =
            switch kind {
            case .heic: kCGImagePropertyHEICSDictionary
            case .avif: kCGImagePropertyAVISDictionary
            case .jpeg, .png, .webP, .jpegXL, .tiff: nil as CFString?
            }
        let properties = CGImageSourceCopyProperties(source, nil) as? [CFString: Any]
        guard let key, let found = properties?[key] as? [CFString: Any],
            let images = found[kCGImagePropertyHEICSFrameInfoArray] as? [[CFString: Any]]
        else { return nil }
        let delays = images.map { image in
            // The other delay is never less than 100 ms.
            let delay = image[kCGImagePropertyHEICSUnclampedDelayTime] ?? image[kCGImagePropertyHEICSDelayTime]
            return Duration.seconds(min(max(0, delay as? Double ?? 0), 3_600))
        }
        let plays = found[kCGImagePropertyHEICSLoopCount] as? Int ?? 0
        return (delays, LoopCount(plays: max(0, plays)))
    }

    /// Returns an image in full size.
    func image(at index: Int) throws(ImageLoaderError) -> CGImage {
        try checked(CGImageSourceCreateImageAtIndex(source, index, Self.decodeOptions as CFDictionary), at: index)
    }

    /// Returns an image that is as large as `reduction` says, or larger if ImageIO can't reduce it so far.
    func image(at index: Int, _ reduction: JPEGReduction) throws(ImageLoaderError) -> CGImage {
        if reduction.denominator == 1 { return try image(at: index) }
        var options = Self.decodeOptions
        if kind.isSubsampled {
            options[kCGImageSourceSubsampleFactor] = reduction.denominator
            return try checked(CGImageSourceCreateImageAtIndex(source, index, options as CFDictionary), at: index)
        }
        options[kCGImageSourceCreateThumbnailFromImageAlways] = true
        options[kCGImageSourceCreateThumbnailWithTransform] = false
        options[kCGImageSourceThumbnailMaxPixelSize] = max(reduction.whole.width, reduction.whole.height)
        return try checked(CGImageSourceCreateThumbnailAtIndex(source, index, options as CFDictionary), at: index)
    }

    /// All pixels are decoded at once, because damage that is found while an image is drawn isn't reported. HDR is
    /// mapped to SDR, because bitmaps have 8 bits per sample.
    static var decodeOptions: [CFString: Any] {
        [
            kCGImageSourceShouldCacheImmediately: true,
            kCGImageSourceDecodeRequest: kCGImageSourceDecodeToSDR,
        ]
    }

    private func checked(_ image: CGImage?, at index: Int) throws(ImageLoaderError) -> CGImage {
        guard let image, CGImageSourceGetStatusAtIndex(source, index) == .statusComplete else {
            throw .corruptImage(kind.format, reason: Self.damage)
        }
        return image
    }
}
#endif
