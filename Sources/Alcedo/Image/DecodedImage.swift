public import Foundation

/// An image that is ready to be drawn: upright pixels and information about their source.
///
/// Copies share the pixels. The EXIF orientation was applied exactly once, when the image was decoded.
public struct DecodedImage: Sendable {
    /// The pixels: premultiplied RGBA8, upright. For an animation, this is the first frame.
    public private(set) var bitmap: Bitmap
    /// The format of the bytes that the image was decoded from; nil for an image that the app created.
    public let format: ImageFormat?

    /// Width and height of the upright image, in pixels.
    public var size: PixelSize { bitmap.size }

    /// Width and height of the upright image in the file; larger than ``size`` if the image was scaled down.
    public private(set) var originalSize: PixelSize

    /// Whether the decoder reported that no pixel is transparent.
    ///
    /// An image for which this is false may still be opaque.
    public let isOpaque: Bool

    /// Boxed, so that the many images without any of these are cheap to copy.
    private let extras: Extras?

    /// The file's ICC color profile, which has not been applied; nil if there is none, or if it doesn't match the
    /// pixels' color space. If a PNG describes its colors in another way, this is a profile made from that description.
    public var profile: Data? { extras?.profile }

    /// The number of pixels per point of the screen, in each dimension; see ``ImageRequest/scale``. 1 by default.
    public var scale: Double { extras?.scale ?? 1 }

    /// All frames, if there are several; ``bitmap`` is the first one.
    public var animation: AnimatedImage? { extras?.animation }

    /// The metadata of the file; nil unless the image was loaded with ``ImageRequest/keepsMetadata`` or decoded with
    /// ``DecodeRequest/keepsMetadata``.
    ///
    /// ``ImageMetadata/orientation`` describes the file; these pixels are upright.
    public var metadata: ImageMetadata? { extras?.metadata }

    /// Whether the file had all its pixels and frames; true for an image that the app created.
    ///
    /// False only with ``DecodeRequest/Damaged/showWhatIsThere``. A loader doesn't store incomplete images. Damage
    /// within the pixels of an animation's later frames is found when they are decoded, and doesn't change this.
    public var isComplete: Bool { extras?.isComplete ?? true }

    /// The memory that the image holds, in bytes, which is what a cache counts.
    public var byteCount: Int {
        guard let extras else { return bitmap.byteCount }
        return bitmap.byteCount + (extras.profile?.count ?? 0) + (extras.animation?.byteCount ?? 0)
            + (extras.metadata?.byteCount ?? 0)
    }

    /// Whether the pixels have another owner. May be a false positive in a build without optimization.
    mutating func isSharedElsewhere() -> Bool { !isKnownUniquelyReferenced(&bitmap) }

    /// Creates an image from a bitmap whose pixels are upright. Shares the pixels.
    public init(bitmap: Bitmap, format: ImageFormat? = nil) {
        self.init(bitmap: bitmap, format: format, originalSize: bitmap.size)
    }

    init(
        bitmap: Bitmap, format: ImageFormat?, originalSize: PixelSize, isOpaque: Bool = false, profile: Data? = nil,
        animation: AnimatedImage? = nil, scale: Double = 1, isComplete: Bool = true, metadata: ImageMetadata? = nil
    ) {
        self.bitmap = bitmap
        self.format = format
        self.originalSize = originalSize
        self.isOpaque = isOpaque
        let isPlain = profile == nil && animation == nil && scale == 1 && isComplete && metadata == nil
        extras = isPlain ? nil : Extras(profile, animation, scale, isComplete, metadata)
    }

    /// Returns this image with a processor's result as its pixels.
    ///
    /// - Parameter animation: All frames, if there are still several.
    func processed(_ bitmap: Bitmap, animation: AnimatedImage? = nil) -> DecodedImage {
        DecodedImage(
            bitmap: bitmap, format: format, originalSize: originalSize, isOpaque: bitmap.isOpaque, profile: profile,
            animation: animation, scale: scale, isComplete: isComplete, metadata: metadata)
    }

    /// Returns this image with another scale.
    package func withScale(_ scale: Double) -> DecodedImage {
        guard scale != self.scale else { return self }
        return DecodedImage(
            bitmap: bitmap, format: format, originalSize: originalSize, isOpaque: isOpaque, profile: profile,
            animation: animation, scale: scale, isComplete: isComplete, metadata: metadata)
    }

    /// Returns this image with other metadata, such as a copyright notice that an encoder is to write.
    ///
    /// Shares the pixels.
    public func withMetadata(_ metadata: ImageMetadata?) -> DecodedImage {
        DecodedImage(
            bitmap: bitmap, format: format, originalSize: originalSize, isOpaque: isOpaque, profile: profile,
            animation: animation, scale: scale, isComplete: isComplete, metadata: metadata)
    }

    /// A weak reference to an image: available while its pixels, and its animation if there is one, have another owner.
    final class Weak: Sendable {
        private weak let bitmap: Bitmap?
        private weak let animation: AnimatedImage?
        private let isAnimated: Bool
        private let format: ImageFormat?
        private let originalSize: PixelSize
        private let isOpaque: Bool
        private let profile: Data?
        private let scale: Double
        private let metadata: ImageMetadata?

        /// The most bytes of profile and metadata to hold, because caches don't count them.
        private static let mostBytes = 64 << 10

        /// Returns nil for an image whose profile and metadata are too large to hold strongly, and for an incomplete
        /// one.
        init?(_ image: DecodedImage) {
            guard image.isComplete else { return nil }
            if (image.profile?.count ?? 0) + (image.metadata?.byteCount ?? 0) > Self.mostBytes { return nil }
            bitmap = image.bitmap
            animation = image.animation
            isAnimated = image.animation != nil
            format = image.format
            originalSize = image.originalSize
            isOpaque = image.isOpaque
            profile = image.profile
            scale = image.scale
            metadata = image.metadata
        }

        var isInUse: Bool { bitmap != nil }

        var image: DecodedImage? {
            let animation = animation
            guard let bitmap, isAnimated == (animation != nil) else { return nil }
            return DecodedImage(
                bitmap: bitmap, format: format, originalSize: originalSize, isOpaque: isOpaque, profile: profile,
                animation: animation, scale: scale, metadata: metadata)
        }
    }

    private final class Extras: Sendable {
        let profile: Data?
        let animation: AnimatedImage?
        let scale: Double
        let isComplete: Bool
        let metadata: ImageMetadata?

        init(
            _ profile: Data?, _ animation: AnimatedImage?, _ scale: Double, _ isComplete: Bool,
            _ metadata: ImageMetadata?
        ) {
            self.profile = profile
            self.animation = animation
            self.scale = scale
            self.isComplete = isComplete
            self.metadata = metadata
        }
    }
}
