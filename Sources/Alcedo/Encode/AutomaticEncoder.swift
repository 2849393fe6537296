public import Foundation

/// Chooses a format for each picture by what it is: opaque, transparent in places, or animated.
///
/// By default opaque pictures become JPEG, those with transparency and animations WebP; where a build has no WebP, PNG
/// and animated PNG, and GIF where it has neither. On Apple's systems: JPEG, PNG and GIF.
public struct AutomaticEncoder: Sendable {
    /// Writes pictures of which every pixel is opaque; nil for none.
    public var opaque: (any ImageEncoding)?
    /// Writes pictures with transparency; nil for none.
    public var transparent: (any ImageEncoding)?
    /// Writes animations; nil to write their first frames as still pictures.
    public var animation: (any AnimationEncoding)?
    /// Bytes of a file at most; nil, the default, for any number. The quality is lowered as
    /// ``ImageEncoding/encode(_:atMost:lowestQuality:)`` does it.
    public var byteLimit: Int?
    /// From 0 to 100: what the quality is not lowered beyond for the sake of ``byteLimit``. Default 0.
    public var lowestQuality = 0

    /// With the encoders of this build that suit best.
    public init() {
        (opaque, transparent, animation) = (builtInOpaqueEncoder, builtInTransparentEncoder, builtInAnimationEncoder)
    }

    /// The encoder that ``encode(_:)-(Bitmap)`` takes for `bitmap`.
    ///
    /// A picture is opaque when all of its pixels are, whatever its file has said; that costs a look at them, up
    /// to one that is not.
    public func encoder(for bitmap: Bitmap) throws(ImageLoaderError) -> any ImageEncoding {
        guard let encoder = bitmap.isOpaque ? opaque : transparent else {
            throw .unsupportedConfiguration("no encoder for this kind of picture")
        }
        return encoder
    }

    /// The bytes of a file that shows `image`, all frames if it is an animation.
    ///
    /// Works on threads beside the cooperative pool. Who is cancelled leaves at once. ``ImageFormat/init(sniffing:)``
    /// tells the format that was chosen.
    ///
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` when there is no encoder,
    ///   ``ImageLoaderError/limitExceeded(_:value:allowed:)`` when no file is small enough, and what the encoder
    ///   throws.
    public func encode(_ image: DecodedImage) async throws(ImageLoaderError) -> Data {
        if let animation, let frames = image.animation {
            guard let byteLimit else { return try await animation.encode(frames) }
            return try await animation.encode(frames, atMost: byteLimit, lowestQuality: lowestQuality)
        }
        return try await EncodingThreads.run { [self] () throws(ImageLoaderError) in try encode(image.bitmap) }
    }

    /// The bytes of a file that shows `bitmap`. Synchronous, as ``ImageEncoding/encode(_:)`` is, and throws as
    /// ``encode(_:)-(DecodedImage)`` does.
    public func encode(_ bitmap: Bitmap) throws(ImageLoaderError) -> Data {
        let encoder = try encoder(for: bitmap)
        guard let byteLimit else { return try encoder.encode(bitmap) }
        return try encoder.encode(bitmap, atMost: byteLimit, lowestQuality: lowestQuality)
    }
}
