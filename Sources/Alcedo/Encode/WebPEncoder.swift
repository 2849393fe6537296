#if os(Linux) && WebP
import CWebP
public import Foundation

/// Writes WebP, lossy or lossless. Transparency is kept exactly either way. An image's RGB colour profile is written.
///
/// Costs about 70 ms per megapixel with the default effort, 20 ms with an effort of 0, and 4 bytes per pixel while it
/// runs.
public struct WebPEncoder: ImageEncoding {
    /// The way colours are stored.
    public enum Compression: Sendable, Hashable {
        /// Lossy, with a quality from 0, smallest, to 100, best; colours have half the resolution.
        ///
        /// Other values make ``WebPEncoder/encode(_:)-(Bitmap)`` throw.
        case lossy(quality: Int)
        /// Lossless: decoding returns exactly the same bitmap.
        case lossless
    }

    /// The way colours are stored. Default: lossy, with a quality of 80.
    public var compression: Compression
    /// The effort from 0, fastest, to 6, smallest; 4 by default. Other values make ``encode(_:)-(Bitmap)`` throw.
    public var effort: Int

    public var format: ImageFormat { .webp }

    /// Creates an encoder with these settings.
    public init(_ compression: Compression = .lossy(quality: 80), effort: Int = 4) {
        self.compression = compression
        self.effort = effort
    }

    public func encode(_ bitmap: Bitmap) throws(ImageLoaderError) -> Data {
        if case .lossy(let quality) = compression, !(0...100).contains(quality) {
            throw .encodingFailed(.webp, reason: "quality \(quality) is not within 0...100")
        }
        guard (0...6).contains(effort) else {
            throw .encodingFailed(.webp, reason: "effort \(effort) is not within 0...6")
        }
        guard max(bitmap.size.width, bitmap.size.height) <= Self.longestSide else {
            throw .encodingFailed(.webp, reason: "\(bitmap.size) pixels, of at most \(Self.longestSide) either way")
        }
        return try compress(bitmap)
    }

    public func encode(_ image: DecodedImage) throws(ImageLoaderError) -> Data {
        let colors = try WrittenColors(image.profile, room: Self.longestProfile)
        let still = try encode(colors.pixels(of: image.bitmap))
        guard let profile = colors.profile else { return still }
        var file = WebPFile(size: image.size)
        file.hasAlpha = try WebPFile.hasAlpha(still)
        file.profile = profile
        file.chunks = WebPFile.picture(in: still)
        return try file.data()
    }

    /// Encodes a bitmap whose size WebP supports, with valid settings.
    private func compress(_ bitmap: Bitmap) throws(ImageLoaderError) -> Data {
        var picture = WebPPicture()
        guard var config = config(), WebPPictureInit(&picture) != 0 else {
            throw .encodingFailed(.webp, reason: "libwebp refuses the settings")
        }
        defer { WebPPictureFree(&picture) }
        picture.use_argb = 1
        picture.width = Int32(clamping: bitmap.size.width)
        picture.height = Int32(clamping: bitmap.size.height)
        guard WebPPictureAlloc(&picture) != 0 else { throw .encodingFailed(.webp, reason: "no memory") }
        bitmap.copyStraight(to: picture.argb, pixelsPerRow: Int(picture.argb_stride))
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

    private func config() -> WebPConfig? {
        var config = WebPConfig()
        guard WebPConfigInit(&config) != 0 else { return nil }
        switch compression {
        case .lossy(let quality):
            config.quality = Float(quality)
            config.method = Int32(effort)
        case .lossless:
            // Lossless levels range from 0 to 9.
            guard WebPConfigLosslessPreset(&config, Int32(effort * 9 / 6)) != 0 else { return nil }
        }
        return config
    }

    /// The maximum of 14 bits.
    static let longestSide = 16_383
    /// Leaves room for pixels in a file of up to 4 GiB.
    static let longestProfile = 1 << 30
}

extension Bitmap {
    /// Writes the pixels as numbers of alpha, red, green and blue with straight colours.
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
