#if os(Linux) && WebP
import CWebP
public import Foundation

/// Writes WebP, lossy or lossless. Transparency is kept exactly by default. An image's RGB color profile is written.
///
/// A lossy photo takes about 70 ms per megapixel with the default effort, and 20 ms with an effort of 0. Lossless
/// compression takes six times as long. Encoding needs 4 bytes of memory per pixel, or 1.5 for a lossy file of an
/// opaque bitmap.
public struct WebPEncoder: MetadataEncoding {
    /// The way colors are stored.
    public enum Compression: Sendable, Hashable {
        /// Lossy, with a quality from 0, smallest, to 100, best; colors have half the resolution.
        ///
        /// Other values make ``WebPEncoder/encode(_:)-(Bitmap)`` throw.
        case lossy(quality: Int)
        /// Lossless: decoding returns exactly the same bitmap.
        case lossless
        /// Like ``lossless``, but pixels are first changed slightly for a smaller file: from 0, the most, to 100, not
        /// at all. Good for screenshots and other drawn images with soft areas. Takes twice as long.
        ///
        /// Other values make ``WebPEncoder/encode(_:)-(Bitmap)`` throw.
        case nearLossless(level: Int)
        /// ``lossless`` where that is no larger than ``lossy(quality:)``, as for many drawn images.
        ///
        /// Both are tried for images that have at most 256 colors, or in which at least half of the pixels equal their
        /// left neighbors. These images take about twice as long, and longer if the other half is a photo. Other
        /// images, such as photos, are lossy; the check takes less than 3 ms per megapixel. Each frame of an animation
        /// is checked separately.
        case automatic(quality: Int)
    }

    /// The way colors are stored. Default: lossy, with a quality of 80.
    public var compression: Compression
    /// The effort from 0, fastest, to 6, smallest; 4 by default. Other values make ``encode(_:)-(Bitmap)`` throw.
    public var effort: Int
    /// The quality of transparency in a lossy file, from 0, smallest, to 100, exact; 100 by default. Other values make
    /// ``encode(_:)-(Bitmap)`` throw.
    public var alphaQuality = 100
    /// Whether to halve the resolution of colors in a lossy file more carefully, which keeps colored edges sharper.
    /// Default: false. Takes 1.6 times as long.
    public var usesSharpYUV = false
    /// The part of an image's metadata that is written. Default: ``MetadataWriting/strip``.
    public var metadata = MetadataWriting.strip

    public var format: ImageFormat { .webp }

    public var identity: String { "WebP 1 \(compression) \(effort) \(alphaQuality) \(usesSharpYUV) \(metadata)" }

    /// Creates an encoder with these settings.
    public init(_ compression: Compression = .lossy(quality: 80), effort: Int = 4) {
        self.compression = compression
        self.effort = effort
    }

    public func encode(_ bitmap: Bitmap) throws(ImageLoaderError) -> Data {
        switch compression {
        case .lossy(let quality), .automatic(let quality): try Self.check("quality", quality, in: 0...100)
        case .nearLossless(let level): try Self.check("level", level, in: 0...100)
        case .lossless: break
        }
        try Self.check("effort", effort, in: 0...6)
        try Self.check("alpha quality", alphaQuality, in: 0...100)
        guard max(bitmap.size.width, bitmap.size.height) <= Self.longestSide else {
            throw .encodingFailed(.webp, reason: "\(bitmap.size) pixels, of at most \(Self.longestSide) either way")
        }
        guard case .automatic(let quality) = compression else { return try compress(bitmap, compression) }
        let lossy = try compress(bitmap, .lossy(quality: quality))
        guard bitmap.isDrawn else { return lossy }
        let lossless = try compress(bitmap, .lossless)
        return lossless.count <= lossy.count ? lossless : lossy
    }

    private static func check(_ name: String, _ value: Int, in range: ClosedRange<Int>) throws(ImageLoaderError) {
        guard range.contains(value) else {
            let bounds = "\(range.lowerBound)...\(range.upperBound)"
            throw .encodingFailed(.webp, reason: "\(name) \(value) is not within \(bounds)")
        }
    }

    public func encode(_ image: DecodedImage) throws(ImageLoaderError) -> Data {
        let colors = try WrittenColors(image.profile, room: Self.longestProfile)
        let still = try encode(colors.pixels(of: image.bitmap))
        let exif = exif(of: image)
        if colors.profile == nil, exif == nil { return still }
        var file = WebPFile(size: image.size)
        file.hasAlpha = try WebPFile.hasAlpha(still)
        (file.profile, file.exif) = (colors.profile, exif)
        file.chunks = WebPFile.picture(in: still)
        return try file.data()
    }

    /// Encodes a bitmap whose size WebP supports, with valid settings.
    private func compress(_ bitmap: Bitmap, _ compression: Compression) throws(ImageLoaderError) -> Data {
        var picture = WebPPicture()
        guard var config = config(compression), WebPPictureInit(&picture) != 0 else {
            throw .encodingFailed(.webp, reason: "libwebp refuses the settings")
        }
        defer { WebPPictureFree(&picture) }
        picture.width = Int32(clamping: bitmap.size.width)
        picture.height = Int32(clamping: bitmap.size.height)
        guard bitmap.copy(to: &picture, isLossy: compression.isLossy && !usesSharpYUV) else {
            throw .encodingFailed(.webp, reason: "no memory")
        }
        var writer = WebPMemoryWriter()
        WebPMemoryWriterInit(&writer)
        picture.writer = WebPMemoryWrite
        let isDone = withUnsafeMutablePointer(to: &writer) { writer in
            picture.custom_ptr = UnsafeMutableRawPointer(writer)
            return WebPEncode(&config, &picture) != 0
        }
        guard isDone, let bytes = writer.mem else {
            WebPMemoryWriterClear(&writer)
            throw .encodingFailed(.webp, reason: "libwebp's error \(picture.error_code.rawValue)")
        }
        return Data(bytesNoCopy: bytes, count: writer.size, deallocator: .custom { bytes, _ in WebPFree(bytes) })
    }

    private func config(_ compression: Compression) -> WebPConfig? {
        var config = WebPConfig()
        guard WebPConfigInit(&config) != 0 else { return nil }
        // Lossless levels range from 0 to 9.
        let level = Int32(effort * 9 / 6)
        switch compression {
        case .lossy(let quality), .automatic(let quality):
            config.quality = Float(quality)
            config.method = Int32(effort)
            config.alpha_quality = Int32(alphaQuality)
            config.use_sharp_yuv = usesSharpYUV ? 1 : 0
        case .lossless:
            guard WebPConfigLosslessPreset(&config, level) != 0 else { return nil }
        case .nearLossless(let kept):
            guard WebPConfigLosslessPreset(&config, level) != 0 else { return nil }
            config.near_lossless = Int32(kept)
        }
        return config
    }

    /// The maximum of 14 bits.
    static let longestSide = 16_383
    /// Leaves room for pixels in a file of up to 4 GiB.
    static let longestProfile = 1 << 30
}

extension WebPEncoder.Compression {
    fileprivate var isLossy: Bool { if case .lossy = self { true } else { false } }
}

extension Bitmap {
    /// Copies the pixels into a `WebPPicture` of the same size. Returns false if there is no memory.
    ///
    /// - Parameter isLossy: Whether libwebp encodes YUV, which it computes from straight colors. The pixels of an
    ///   opaque bitmap then need no intermediate copy.
    fileprivate func copy(to picture: inout WebPPicture, isLossy: Bool) -> Bool {
        if isLossy, isOpaque {
            return withUnsafeBytes { bytes in
                let samples = bytes.bindMemory(to: UInt8.self).baseAddress
                return WebPPictureImportRGBX(&picture, samples, picture.width * 4) != 0
            }
        }
        picture.use_argb = 1
        guard WebPPictureAlloc(&picture) != 0 else { return false }
        copyStraight(to: picture.argb, pixelsPerRow: Int(picture.argb_stride))
        return true
    }

    /// Writes the pixels as numbers of alpha, red, green and blue with straight colors.
    fileprivate func copyStraight(to target: UnsafeMutablePointer<UInt32>, pixelsPerRow: Int) {
        withUnsafeBytes { bytes in
            let pixels = bytes.bindMemory(to: UInt32.self)
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let pixel = UInt32(littleEndian: pixels[y * size.width + x]).unpremultiplied
                    // Red is the lowest byte, and has to be above green and blue.
                    target[y * pixelsPerRow + x] = pixel & 0xFF00_FF00 | pixel >> 16 & 0xFF | (pixel & 0xFF) << 16
                }
            }
        }
    }
}
#endif
