public import Foundation

/// A decoded picture as the file stores it, before it is cut to its target's size and turned upright.
public struct StoredPicture: Sendable {
    /// Premultiplied; all of the picture, perhaps smaller than it is stored.
    public let bitmap: Bitmap
    /// How many stored pixels each one of the bitmap stands for, either way; of the last ones perhaps fewer. 1, the
    /// default, also for one that was scaled to another size, and lies evenly in it.
    public var reduction = 1
    /// Whether no pixel is transparent, as far as is known without looking at them all.
    public var isOpaque = false
    /// The ICC colour profile, unpacked.
    public var profile: Data?
    /// All frames, of which the bitmap is the first.
    public var animation: (any AnimationReading)?

    /// A picture; by default a still one that may have transparent pixels.
    public init(bitmap: Bitmap, isOpaque: Bool = false, animation: (any AnimationReading)? = nil) {
        self.bitmap = bitmap
        self.isOpaque = isOpaque
        self.animation = animation
    }
}

/// A decoder that reads what is stored, and leaves sizes and the orientation to the one path that all of Alcedo's own
/// share: the simplest way to write one.
public protocol StoredPictureDecoding: ImageDecoding {
    /// The pixels as they are stored, or scaled down to a size that is no smaller than `least` either way.
    ///
    /// - Parameters:
    ///   - data: the whole file.
    ///   - header: what ``ImageDecoding/header(of:limits:)`` has brought.
    ///   - least: nil when all of them are wanted.
    ///   - request: its limits, and its cancellation, to be checked between rows.
    func decodeStored(
        _ data: Data, _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredPicture
}

extension StoredPictureDecoding {
    public func decode(_ data: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> DecodedImage {
        try request.cancellation.check()
        return try decode(data, header(of: data, limits: request.limits), request)
    }

    /// ``ImageDecoding/decode(_:_:)`` for who has read the head already, by the same limits: that of a GIF is the whole
    /// file.
    package func decode(
        _ data: Data, _ header: ImageHeader, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> DecodedImage {
        try request.cancellation.check()
        var fitting = PictureFitting(header, request)
        let stored = try decodeStored(data, header, atLeast: fitting.storedSize, request)
        try request.cancellation.check()
        if request.convertsToSRGB { fitting.color = try stored.profile.flatMap(ColorConversion.init(profile:)) }
        let animation = request.frames == .first ? nil : stored.animation
        return DecodedImage(
            bitmap: try fitting.apply(to: stored.bitmap, reducedBy: stored.reduction), format: format,
            originalSize: fitting.original,
            isOpaque: stored.isOpaque, profile: fitting.color == nil ? stored.profile : nil,
            animation: animation.map { AnimatedImage($0, fitting) })
    }
}
