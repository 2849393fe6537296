public import Foundation

/// Chooses a format for each image by its content: opaque, partly transparent, drawn, or animated.
///
/// - Opaque images are written as JPEG.
/// - Images with transparency, and animations, are written as WebP.
/// - Drawn images, which have at most 256 colors or in which at least half of the pixels equal their left neighbors,
///   are written as lossless WebP if that is no larger.
///
/// Builds without WebP use PNG and animated PNG instead, and builds with neither use GIF. On Apple's systems the
/// formats are JPEG, PNG and GIF. With ``init(accept:includesAVIF:quality:)``, the formats are those that a client
/// accepts.
public struct AutomaticEncoder: FileEncoding {
    /// Writes images in which every pixel is opaque; nil for none.
    public var opaque: (any ImageEncoding)?
    /// Writes images with transparency; nil for none.
    public var transparent: (any ImageEncoding)?
    /// Writes drawn images, opaque or not, where its file is no larger than that of ``opaque`` or ``transparent``; nil
    /// for none. Its errors are ignored, and the image is written as if it weren't drawn. Costs a second
    /// encoding of these images, and at most 3 ms per megapixel for others.
    ///
    /// To restrict the formats, set this property as well as the others.
    public var drawn: (any ImageEncoding)?
    /// Writes animations; nil to write their first frames as still images.
    public var animation: (any AnimationEncoding)?
    /// The maximum size of a file in bytes; nil, the default, for no limit.
    ///
    /// The quality is lowered as in ``ImageEncoding/encode(_:atMost:lowestQuality:)-(Bitmap,_,_)``.
    public var maximumBytes: Int?
    /// The lowest quality that ``maximumBytes`` may lead to, from 0 to 100. Default 0.
    public var lowestQuality = 0
    /// The part of the metadata that is written with still images; nil, the default, for each encoder's own setting,
    /// which is none unless it was changed.
    public var metadata: MetadataWriting?

    /// Creates an encoder that uses the most suitable encoders of this build.
    public init() {
        (opaque, transparent, drawn) = (builtInOpaqueEncoder, builtInTransparentEncoder, builtInDrawnEncoder)
        animation = builtInAnimationEncoder
    }

    /// Creates an encoder for a client, from the value of the field `Accept` in its request (RFC 9110, section 12.5.1).
    ///
    /// - A client that lists `image/webp` gets WebP for everything.
    /// - A client that lists `image/avif` gets AVIF for images that aren't drawn, if `includesAVIF` is true. Browsers
    ///   list it.
    /// - Others get JPEG for opaque images, PNG for drawn ones and those with transparency, and GIF for animations.
    ///   Wildcards such as `image/*` stand for these three formats only, because many clients that send wildcards read
    ///   no others.
    /// - A format with a weight of 0 (`image/webp;q=0`) isn't used if another one is accepted. Among formats that are
    ///   listed by name, one of lower weight gives way to one of higher weight, except for drawn images, which are
    ///   encoded both ways.
    /// - A client that accepts none of the formats gets those that all clients read.
    ///
    /// An empty or malformed field isn't an error: it lists nothing. A response that was chosen this way needs the
    /// field `Vary: Accept`. An image that is too large for the chosen format isn't written in another one: WebP is
    /// limited to 16,383 pixels per side.
    ///
    /// - Parameters:
    ///   - accept: The value of the field.
    ///   - includesAVIF: Whether AVIF may be chosen. Its files are smaller than WebP's, but take about five times as
    ///     long to encode. Default: false.
    ///   - quality: The quality of all files that aren't lossless, from 0 to 100; nil, the default, for each encoder's
    ///     own.
    public init(accept: String, includesAVIF: Bool = false, quality: Int? = nil) {
        let types = AcceptedTypes(accept)
        let all = (includesAVIF ? avifChoice : []) + webPChoice + jpegChoice + pngChoice + gifChoice
        func best(_ isPossible: (EncoderChoice) -> Bool) -> EncoderChoice? {
            EncoderChoice.best(of: all.filter(isPossible), for: types)
        }
        opaque = best { _ in true }?.encoder
        transparent = best(\.holdsTransparency)?.encoder
        drawn = best { $0.drawn != nil }?.drawn
        animation = best { $0.animation != nil }?.animation
        step(to: quality)
    }

    /// Creates an encoder that writes every image in one format. Nil if this build has no encoder for it.
    ///
    /// Drawn images are written without loss if WebP is the format, and animations as their first frames if the format
    /// doesn't support them.
    ///
    /// - Parameters:
    ///   - format: The format of all files.
    ///   - quality: As for ``init(accept:includesAVIF:quality:)``.
    public init?(format: ImageFormat, quality: Int? = nil) {
        let choices = avifChoice + webPChoice + jpegChoice + pngChoice + gifChoice
        guard let choice = choices.first(where: { format.mediaTypes.contains($0.type) }) else { return nil }
        (opaque, transparent) = (choice.encoder, choice.encoder)
        animation = choice.animation ?? choice.encoder as? any AnimationEncoding
        drawn = Self.isLossy(choice.encoder) ? choice.drawn : nil
        step(to: quality)
    }

    private mutating func step(to quality: Int?) {
        guard let quality else { return }
        opaque = Self.stepped(opaque, to: quality)
        transparent = Self.stepped(transparent, to: quality)
        animation = Self.stepped(animation, to: quality)
    }

    private static func isLossy(_ encoder: Any?) -> Bool { (encoder as? any QualityStepping)?.steppedQuality != nil }

    /// Returns an encoder with another quality, or unchanged if it is lossless.
    private static func stepped<Encoder>(_ encoder: Encoder, to quality: Int) -> Encoder {
        guard isLossy(encoder), let stepping = encoder as? any QualityStepping else { return encoder }
        return stepping.stepped(to: quality) as? Encoder ?? encoder
    }

    /// Returns ``opaque`` or ``transparent``, which ``encode(_:)-(Bitmap)`` uses for a bitmap that isn't drawn.
    ///
    /// An image is opaque when all of its pixels are, whatever its file said. Checking this visits the pixels up to the
    /// first one that isn't opaque.
    public func encoder(for bitmap: Bitmap) throws(ImageLoaderError) -> any ImageEncoding {
        guard let encoder = bitmap.isOpaque ? opaque : transparent else {
            throw .unsupportedConfiguration("no encoder for this kind of image")
        }
        return encoder
    }

    public var identity: String {
        let parts = [opaque?.identity, transparent?.identity, drawn?.identity, animation?.identity]
        let limit = maximumBytes.map { "\($0) \(lowestQuality)" } ?? "any size"
        return "automatic 1 (\(parts.map { $0 ?? "none" }.joined(separator: ") ("))) \(limit) "
            + (metadata.map { "\($0)" } ?? "own metadata")
    }

    /// Returns the bytes of a file that shows `image` in its colors, with all frames if it is an animation; see
    /// ``FileEncoding/encodedFile(of:)``.
    ///
    /// The color profile is written, or the colors are converted to sRGB, as
    /// ``ImageEncoding/encode(_:)-(DecodedImage)`` does. Use ``ImageFormat/init(sniffing:)`` to find out which format
    /// was chosen.
    ///
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` when there is no encoder,
    ///   ``ImageLoaderError/limitExceeded(_:value:allowed:)`` when no file is small enough, and any error of the
    ///   encoder.
    public func encode(_ image: DecodedImage) async throws(ImageLoaderError) -> Data {
        try await encodedFile(of: image)
    }

    public func file(
        of image: DecodedImage, _ cancellation: DecodeCancellation
    ) throws(ImageLoaderError) -> Data {
        if let animation, let frames = image.animation {
            guard let maximumBytes else { return try animation.file(of: frames, cancellation) }
            return try animation.file(of: frames, atMost: maximumBytes, lowestQuality, cancellation)
        }
        return try encode(image.bitmap) { (encoder, limit) throws(ImageLoaderError) in
            let encoder = encoder.writing(metadata)
            guard let limit else { return try encoder.encode(image) }
            return try encoder.encode(image, atMost: limit, lowestQuality: lowestQuality)
        }
    }

    /// Returns the bytes of a file that shows `bitmap`, with its colors taken as sRGB.
    ///
    /// Synchronous like ``ImageEncoding/encode(_:)-(Bitmap)``, and throws as ``encode(_:)-(DecodedImage)`` does.
    public func encode(_ bitmap: Bitmap) throws(ImageLoaderError) -> Data {
        try encode(bitmap) { (encoder, limit) throws(ImageLoaderError) in
            guard let limit else { return try encoder.encode(bitmap) }
            return try encoder.encode(bitmap, atMost: limit, lowestQuality: lowestQuality)
        }
    }

    private func encode(
        _ bitmap: Bitmap, with encode: (any ImageEncoding, _ limit: Int?) throws(ImageLoaderError) -> Data
    ) throws(ImageLoaderError) -> Data {
        guard let file = drawnFile(of: bitmap, with: encode) else {
            return try encode(encoder(for: bitmap), maximumBytes)
        }
        guard let usual = bitmap.isOpaque ? opaque : transparent else { return file }
        let other = try encode(usual, nil)
        return other.count < file.count ? other : file
    }

    /// Returns nil for an image that isn't drawn, and when the file is too large or the format can't hold the image.
    private func drawnFile(
        of bitmap: Bitmap, with encode: (any ImageEncoding, _ limit: Int?) throws(ImageLoaderError) -> Data
    ) -> Data? {
        guard let drawn, bitmap.isDrawn else { return nil }
        do throws(ImageLoaderError) {
            let file = try encode(drawn, nil)
            return file.count <= maximumBytes ?? .max ? file : nil
        } catch {
            return nil
        }
    }
}
