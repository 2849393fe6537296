import Foundation

/// A decoder that needs no bytes: it returns an image that the program provides.
struct GivenImage: EstimatedDecoding {
    let image: DecodedImage

    var format: ImageFormat { image.format ?? ImageFormat(rawValue: "bitmap") }

    func header(of data: Data, limits: DecodeLimits) -> ImageHeader { ImageHeader(format: format, size: image.size) }

    func cost(
        _ header: ImageHeader, byteCount: Int, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> DecodeCost {
        let fitting = PictureFitting(header, request)
        if fitting.isEmpty, image.profile == nil || !request.convertsToSRGB {
            return DecodeCost(workingBytes: 0, time: .zero)
        }
        return DecodeCost(workingBytes: try request.limits.bitmapBytes(for: fitting.size))
    }

    func decode(_ data: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> DecodedImage {
        try request.cancellation.check()
        let header = header(of: data, limits: request.limits)
        try request.checkRegion(header)
        var fitting = PictureFitting(header, request)
        if request.convertsToSRGB { fitting.color = try image.profile.flatMap(ColorConversion.init(profile:)) }
        let bitmap = try fitting.apply(to: image.bitmap)
        let profile = fitting.color == nil ? image.profile : nil
        var animation = request.frames == .first ? nil : image.animation
        if !fitting.isEmpty {
            animation = animation?.processed(to: bitmap.size) { [fitting] (frame) throws(ImageLoaderError) in
                var fitting = fitting
                return try fitting.apply(to: frame)
            }.withProfile(profile)
        }
        return DecodedImage(
            bitmap: bitmap, format: image.format, originalSize: image.originalSize, isOpaque: image.isOpaque,
            profile: profile, animation: animation,
            isComplete: image.isComplete, metadata: request.keepsMetadata ? image.metadata : nil)
    }
}
