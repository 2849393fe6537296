public import Foundation

/// A decoded image as stored in the file, before it is fitted to its target and turned upright.
public struct StoredImage: Sendable {
    /// The premultiplied pixels of the whole image, possibly smaller than stored.
    public let bitmap: Bitmap
    /// The number of stored pixels that each pixel of the bitmap covers in each dimension; the last ones may cover
    /// fewer.
    ///
    /// Default: 1, which also applies to an image that was scaled to another size, with all pixels covering the same
    /// area.
    public var reduction = 1
    /// The pixels of the file that the bitmap covers. Default: nil, for all of them.
    ///
    /// A decoder may leave out pixels outside ``DecodeRequest/storedRegion(_:)``. With a ``reduction``, the part begins
    /// at multiples of it.
    public var part: PixelRectangle?
    /// Whether all pixels are known to be opaque without checking each one.
    public var isOpaque = false
    /// The ICC color profile, decompressed.
    public var profile: Data?
    /// All frames, of which the bitmap is the first; nil for a still image.
    public var animation: (any AnimationReading)?
    /// Whether no pixels and no frames are missing.
    ///
    /// May be false only if the request's ``DecodeRequest/damaged`` is ``DecodeRequest/Damaged/showWhatIsThere``.
    public var isComplete = true

    /// Creates an image; by default a still one that may have transparent pixels.
    public init(bitmap: Bitmap, isOpaque: Bool = false, animation: (any AnimationReading)? = nil) {
        self.bitmap = bitmap
        self.isOpaque = isOpaque
        self.animation = animation
    }
}

/// A decoder that only reads the stored pixels, and leaves scaling and orientation to code that Alcedo's own decoders
/// share.
///
/// This is the simplest way to write a decoder.
public protocol StoredImageDecoding: ImageDecoding {
    /// Decodes the pixels as stored, or scaled down to a size that is no smaller than `least` in either dimension.
    ///
    /// - Parameters:
    ///   - data: The whole file.
    ///   - header: The result of ``ImageDecoding/header(of:limits:)``.
    ///   - least: The minimum size; nil if all pixels are needed, and for a region.
    ///   - request: The request, with the limits, and the cancellation to check between rows.
    func decodeStored(
        _ data: Data, _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage
}

extension StoredImageDecoding {
    public func decode(_ data: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> DecodedImage {
        try request.cancellation.check()
        return try decode(data, header(of: data, limits: request.limits), request)
    }

    /// Decodes `data` like ``ImageDecoding/decode(_:_:)``, for callers that have already read the header with the same
    /// limits. For a GIF, reading the header scans the whole file.
    package func decode(
        _ data: Data, _ header: ImageHeader, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> DecodedImage {
        try request.cancellation.check()
        try request.checkRegion(header)
        var fitting = PictureFitting(header, request)
        let stored = try wholeOrPart(of: data, header, atLeast: fitting.wholeSize, request)
        try request.cancellation.check()
        if request.convertsToSRGB { fitting.color = try stored.profile.flatMap(ColorConversion.init(profile:)) }
        let profile = fitting.color == nil ? stored.profile : nil
        let animation = request.frames == .first ? nil : stored.animation
        let bitmap = try fitting.apply(to: stored.bitmap, reducedBy: stored.reduction, covering: stored.part)
        return DecodedImage(
            bitmap: bitmap, format: format, originalSize: fitting.original,
            isOpaque: stored.isOpaque, profile: profile,
            animation: animation.map { AnimatedImage($0, fitting, profile: profile) }, isComplete: stored.isComplete,
            metadata: request.keepsMetadata ? ImageMetadata(sniffing: data, request.limits) : nil)
    }
}
