#if os(Linux) && WebP
public import Foundation

/// Writes WebP, lossy or lossless. Transparency is kept exactly either way.
///
/// Costs about 70 ms per megapixel with the default effort, 20 ms with an effort of 0, and 4 bytes per pixel while it
/// runs.
public struct WebPEncoder: ImageEncoding {
    /// How colours are stored.
    public enum Compression: Sendable, Hashable {
        /// Lossy, with a quality from 0, smallest, to 100, best; colours have half the resolution.
        ///
        /// Other values make ``WebPEncoder/encode(_:)`` throw.
        case lossy(quality: Int)
        /// Lossless: decoding returns exactly the same bitmap.
        case lossless
    }

    /// How colours are stored. Default: lossy, with a quality of 80.
    public var compression: Compression
    /// The effort from 0, fastest, to 6, smallest; 4 by default. Other values make ``encode(_:)`` throw.
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

    /// The maximum of 14 bits.
    static let longestSide = 16_383
}
#endif
