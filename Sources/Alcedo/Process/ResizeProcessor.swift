/// A processor that scales an image. Create it with
/// ``ImageProcessing/resize(to:mode:filter:allowsUpscaling:inLinearLight:)``.
public struct ResizeProcessor: ImageProcessing, Hashable {
    /// The way an image is made to match a size with another aspect ratio.
    public enum Mode: Int, Sendable, Hashable, CaseIterable {
        // The raw values are part of the keys of images on disk.
        /// The result has exactly the size. The image is distorted if its aspect ratio differs.
        case exact = 0
        /// The result is the largest one with the image's aspect ratio that fits within the size.
        case fit = 1
        /// The result is the smallest one with the image's aspect ratio that covers the size. Nothing is cropped.
        case fill = 2
    }

    /// The size in pixels; ``mode`` determines the size of the result from it.
    public let size: PixelSize
    /// The way an image is made to match the size.
    public let mode: Mode
    /// The filter that averages pixels.
    public let filter: ResamplingFilter
    /// Whether the result may be larger than the image. Otherwise, an image that would be enlarged in either
    /// dimension stays as it is.
    public let allowsUpscaling: Bool
    /// Whether light is averaged, instead of colors as they are stored.
    public let isInLinearLight: Bool

    /// Creates a processor.
    public init(
        to size: PixelSize, mode: Mode = .exact, filter: ResamplingFilter = .lanczos3, allowsUpscaling: Bool? = nil,
        inLinearLight: Bool = false
    ) {
        (self.size, self.mode, self.filter) = (size, mode, filter)
        isInLinearLight = inLinearLight
        self.allowsUpscaling = allowsUpscaling ?? (mode == .exact)
    }

    public func identify(in identity: inout ProcessorIdentity) {
        identity.add(size)
        identity.add(mode.rawValue)
        identity.add(filter.rawValue)
        identity.add(allowsUpscaling)
        identity.add(isInLinearLight)
    }

    public func validate() throws(ImageLoaderError) { try require("size", size) }

    public func process(_ image: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        try validate()
        let target = resultSize(of: image.size)
        guard target != image.size else { return image }
        try require("size", target, within: context.limits)
        return try image.resized(to: target, filter, inLinearLight: isInLinearLight, context)
    }

    public func resultSize(of own: PixelSize) -> PixelSize {
        let target =
            switch mode {
            case .exact: size
            case .fit: own.fitting(within: size, true)
            case .fill: own.filling(size, true)
            }
        return allowsUpscaling || target.width <= own.width && target.height <= own.height ? target : own
    }
}

extension ImageProcessing where Self == ResizeProcessor {
    /// Scales the image.
    ///
    /// By default, colors are averaged as they are stored, premultiplied, as in most programs. In linear light, fine
    /// light lines on a dark background keep their brightness, but scaling takes several times as long.
    ///
    /// - Parameters:
    ///   - size: The size in pixels; each side must be at least 1.
    ///   - mode: The way an image with another aspect ratio is made to match. Default: ``ResizeProcessor/Mode/exact``,
    ///     which distorts it.
    ///   - filter: The filter that averages pixels. Default: ``ResamplingFilter/lanczos3``.
    ///   - allowsUpscaling: Whether the result may be larger than the image. Default: only with
    ///     ``ResizeProcessor/Mode/exact``.
    ///   - inLinearLight: Whether light is averaged, with the curve of sRGB regardless of the image's profile. Default:
    ///     false.
    public static func resize(
        to size: PixelSize, mode: ResizeProcessor.Mode = .exact, filter: ResamplingFilter = .lanczos3,
        allowsUpscaling: Bool? = nil, inLinearLight: Bool = false
    ) -> ResizeProcessor {
        ResizeProcessor(
            to: size, mode: mode, filter: filter, allowsUpscaling: allowsUpscaling, inLinearLight: inLinearLight)
    }
}

extension Bitmap {
    /// Returns the image scaled to exactly `size`, or itself if it has that size.
    ///
    /// Takes memory for the result and, for each thread, for 8 rows of the source and 4 of the result.
    func resized(
        to size: PixelSize, _ filter: ResamplingFilter, inLinearLight: Bool = false, _ context: ProcessingContext
    ) throws(ImageLoaderError) -> Bitmap {
        guard size != self.size else { return self }
        // If fewer pixels are averaged, more bits of each weight count.
        if inLinearLight || self.size.width < 2 * size.width || self.size.height < 2 * size.height {
            let resampler = FloatResampler(from: self.size, to: size, filter, inLinearLight: inLinearLight)
            return try painted(size, context, least: 16) { rows, memory in
                resampler.write(rows, of: memory.source, to: memory.target(rows.lowerBound))
            }
        }
        let resampler = Resampler(from: self.size, to: size, filter)
        return try painted(size, context, least: 16) { rows, memory in
            resampler.write(rows, of: memory.source, to: memory.target(rows.lowerBound))
        }
    }
}
