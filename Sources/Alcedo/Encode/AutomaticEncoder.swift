public import Foundation

/// Chooses a format for each image by its content: opaque, partly transparent, or animated.
///
/// By default, opaque images are written as JPEG, and images with transparency and animations as WebP. Builds without
/// WebP use PNG and animated PNG instead, and builds with neither use GIF. On Apple's systems the formats are JPEG, PNG
/// and GIF.
public struct AutomaticEncoder: Sendable {
    /// Writes images in which every pixel is opaque; nil for none.
    public var opaque: (any ImageEncoding)?
    /// Writes images with transparency; nil for none.
    public var transparent: (any ImageEncoding)?
    /// Writes animations; nil to write their first frames as still images.
    public var animation: (any AnimationEncoding)?
    /// The maximum size of a file in bytes; nil, the default, for no limit.
    ///
    /// The quality is lowered as in ``ImageEncoding/encode(_:atMost:lowestQuality:)-(Bitmap,_,_)``.
    public var maximumBytes: Int?
    /// The lowest quality that ``maximumBytes`` may lead to, from 0 to 100. Default 0.
    public var lowestQuality = 0

    /// Creates an encoder that uses the most suitable encoders of this build.
    public init() {
        (opaque, transparent, animation) = (builtInOpaqueEncoder, builtInTransparentEncoder, builtInAnimationEncoder)
    }

    /// Returns the encoder that ``encode(_:)-(Bitmap)`` uses for `bitmap`.
    ///
    /// An image is opaque when all of its pixels are, whatever its file said. Checking this visits the pixels up to the
    /// first one that isn't opaque.
    public func encoder(for bitmap: Bitmap) throws(ImageLoaderError) -> any ImageEncoding {
        guard let encoder = bitmap.isOpaque ? opaque : transparent else {
            throw .unsupportedConfiguration("no encoder for this kind of picture")
        }
        return encoder
    }

    /// Returns the bytes of a file that shows `image` in its colours, with all frames if it is an animation.
    ///
    /// The colour profile is written, or the colours are converted to sRGB, as
    /// ``ImageEncoding/encode(_:)-(DecodedImage)`` does. Works on threads outside the cooperative pool. A cancelled
    /// call throws immediately. Use ``ImageFormat/init(sniffing:)`` to find out which format was chosen.
    ///
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` when there is no encoder,
    ///   ``ImageLoaderError/limitExceeded(_:value:allowed:)`` when no file is small enough, and any error of the
    ///   encoder.
    public func encode(_ image: DecodedImage) async throws(ImageLoaderError) -> Data {
        if let animation, let frames = image.animation {
            guard let maximumBytes else { return try await animation.encode(frames) }
            return try await animation.encode(frames, atMost: maximumBytes, lowestQuality: lowestQuality)
        }
        return try await EncodingThreads.run { [self] () throws(ImageLoaderError) in
            let encoder = try encoder(for: image.bitmap)
            guard let maximumBytes else { return try encoder.encode(image) }
            return try encoder.encode(image, atMost: maximumBytes, lowestQuality: lowestQuality)
        }
    }

    /// Returns the bytes of a file that shows `bitmap`, with its colours taken as sRGB.
    ///
    /// Synchronous like ``ImageEncoding/encode(_:)-(Bitmap)``, and throws as ``encode(_:)-(DecodedImage)`` does.
    public func encode(_ bitmap: Bitmap) throws(ImageLoaderError) -> Data {
        let encoder = try encoder(for: bitmap)
        guard let maximumBytes else { return try encoder.encode(bitmap) }
        return try encoder.encode(bitmap, atMost: maximumBytes, lowestQuality: lowestQuality)
    }
}
