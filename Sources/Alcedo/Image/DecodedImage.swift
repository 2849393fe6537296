public import Foundation

/// A picture, ready to be drawn: upright pixels and where they came from.
///
/// Copies share the pixels. The EXIF orientation has been applied, exactly once, when the picture was decoded.
public struct DecodedImage: Sendable {
    /// The pixels: premultiplied RGBA8, upright. Of an animation they are the first frame.
    public private(set) var bitmap: Bitmap
    /// The format of the bytes it was decoded from, nil for a picture the app made.
    public let format: ImageFormat?

    /// Width and height of the upright picture, in pixels.
    public var size: PixelSize { bitmap.size }

    /// Width and height of the upright picture that the bytes hold: larger than ``size`` when it was scaled down.
    public private(set) var originalSize: PixelSize

    /// Whether its decoder said that no pixel is transparent. A picture of which this is false may be opaque too.
    public let isOpaque: Bool

    /// What few pictures have, in one piece, so that the others are small to copy.
    private let extras: Extras?

    /// The ICC colour profile that the file brought, which has not been applied; nil without one.
    public var profile: Data? { extras?.profile }

    /// All frames, when there are several; ``bitmap`` is the first of them.
    public var animation: AnimatedImage? { extras?.animation }

    /// The memory it holds, in bytes: what a cache counts.
    public var byteCount: Int {
        guard let extras else { return bitmap.byteCount }
        return bitmap.byteCount + (extras.profile?.count ?? 0) + (extras.animation?.byteCount ?? 0)
    }

    /// Whether somebody else has the pixels too. May say so although nobody has, in a build that is not optimised.
    mutating func isSharedElsewhere() -> Bool { !isKnownUniquelyReferenced(&bitmap) }

    /// A picture of `bitmap`, whose pixels are upright; shares them.
    public init(bitmap: Bitmap, format: ImageFormat? = nil) {
        self.init(bitmap: bitmap, format: format, originalSize: bitmap.size)
    }

    init(
        bitmap: Bitmap, format: ImageFormat?, originalSize: PixelSize, isOpaque: Bool = false, profile: Data? = nil,
        animation: AnimatedImage? = nil
    ) {
        self.bitmap = bitmap
        self.format = format
        self.originalSize = originalSize
        self.isOpaque = isOpaque
        extras = profile == nil && animation == nil ? nil : Extras(profile, animation)
    }

    /// A picture that holds no pixels, and is there for as long as somebody else holds them, those of its animation
    /// too.
    struct Weak: Sendable {
        private weak var bitmap: Bitmap?
        private weak var animation: AnimatedImage?
        private let isAnimated: Bool
        private let format: ImageFormat?
        private let originalSize: PixelSize
        private let isOpaque: Bool
        private let profile: Data?

        /// Larger profiles take memory that nobody counts.
        private static let mostProfileBytes = 64 << 10

        /// Nil for a picture with a profile that is too large to be held beside it.
        init?(_ image: DecodedImage) {
            if let profile = image.profile, profile.count > Self.mostProfileBytes { return nil }
            bitmap = image.bitmap
            animation = image.animation
            isAnimated = image.animation != nil
            format = image.format
            originalSize = image.originalSize
            isOpaque = image.isOpaque
            profile = image.profile
        }

        var image: DecodedImage? {
            let animation = animation
            guard let bitmap, isAnimated == (animation != nil) else { return nil }
            return DecodedImage(
                bitmap: bitmap, format: format, originalSize: originalSize, isOpaque: isOpaque, profile: profile,
                animation: animation)
        }
    }

    private final class Extras: Sendable {
        let profile: Data?
        let animation: AnimatedImage?

        init(_ profile: Data?, _ animation: AnimatedImage?) {
            self.profile = profile
            self.animation = animation
        }
    }
}
