/// Scales a picture. Made with ``ImageProcessing/resize(to:mode:filter:allowsUpscaling:inLinearLight:)``.
public struct ResizeProcessor: ImageProcessing, Hashable {
    /// The way a picture is made to match a size with another aspect ratio.
    public enum Mode: Int, Sendable, Hashable, CaseIterable {
        // The numbers are part of what images on disk are found by.
        /// The result has exactly the size. The picture is distorted if its aspect ratio differs.
        case exact = 0
        /// The result is the largest one with the picture's aspect ratio that fits within the size.
        case fit = 1
        /// The result is the smallest one with the picture's aspect ratio that covers the size. Nothing is cropped.
        case fill = 2
    }

    /// The size in pixels; ``mode`` determines the size of the result from it.
    public let size: PixelSize
    /// How the picture is made to match the size.
    public let mode: Mode
    /// How pixels are averaged.
    public let filter: ResamplingFilter
    /// Whether the result may be larger than the picture. Otherwise, a picture that would be enlarged in either
    /// dimension stays as it is.
    public let allowsUpscaling: Bool
    /// Whether light is averaged, and not the numbers by which colours are stored.
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

    public func process(_ picture: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        try validate()
        let target = resultSize(of: picture.size)
        guard target != picture.size else { return picture }
        try require("size", target, within: context.limits)
        return try picture.resized(to: target, filter, inLinearLight: isInLinearLight, context)
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
    /// Scales the picture.
    ///
    /// By default, colours are averaged as they are stored, premultiplied, as most programs do. In linear light, fine
    /// light lines on dark ground keep their brightness, which takes several times as long.
    ///
    /// - Parameters:
    ///   - size: In pixels, each side at least 1.
    ///   - mode: How a picture with another aspect ratio is made to match. Default: ``ResizeProcessor/Mode/exact``.
    ///   - filter: Default: ``ResamplingFilter/lanczos3``.
    ///   - allowsUpscaling: Whether the result may be larger than the picture. Default: only with
    ///     ``ResizeProcessor/Mode/exact``.
    ///   - inLinearLight: Whether light is averaged, by the curve of sRGB whatever the picture's profile. Default:
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
    /// The picture scaled to exactly `size`, or itself if it has that size.
    ///
    /// While running, takes the memory of the result and, for each thread, 8 rows of the source and 4 of the result.
    func resized(
        to size: PixelSize, _ filter: ResamplingFilter, inLinearLight: Bool = false, _ context: ProcessingContext
    ) throws(ImageLoaderError) -> Bitmap {
        guard size != self.size else { return self }
        // Of fewer pixels, more bits of each weight count.
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
