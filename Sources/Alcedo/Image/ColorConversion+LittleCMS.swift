#if os(Linux) && ColorProfiles
import CLcms
import Foundation

/// Converts colors from one ICC profile to another with the system's Little CMS.
struct ColorConversion: Sendable {
    static let isAvailable = true

    fileprivate enum Step: Sendable {
        /// Converts from one RGB profile to another; nil for sRGB.
        case transform(from: Data?, to: Data?)
        /// Looks up each channel separately, so that colors that a processor added to a gray image are kept. There are
        /// four values for each of the 256 levels.
        case levels([UInt8])
    }

    private let steps: [Step]

    /// Creates a conversion to sRGB. Returns nil when the profile is damaged, or is neither an RGB nor a gray profile.
    init?(profile: Data) throws(ImageLoaderError) { self.init(from: profile, to: nil) }

    /// Returns nil when the profiles are the same, or when one can't be used.
    ///
    /// - Parameters:
    ///   - source: The profile of the colors; nil for sRGB.
    ///   - target: The profile to convert them to; nil for sRGB.
    init?(from source: Data?, to target: Data?) {
        guard source != target, let isGray = Self.isGray(source), let becomesGray = Self.isGray(target) else {
            return nil
        }
        var steps: [Step] = []
        if isGray, let levels = Self.levels(of: source) { steps.append(.levels(levels)) }
        let ends = (isGray ? nil : source, becomesGray ? nil : target)
        if ends.0 != ends.1 { steps.append(.transform(from: ends.0, to: ends.1)) }
        if becomesGray, let levels = Self.levels(of: target) { steps.append(.levels(Self.inverse(of: levels))) }
        // A profile may declare its color space but lack the tables to convert.
        guard steps.count == (isGray ? 1 : 0) + (becomesGray ? 1 : 0) + (ends.0 == ends.1 ? 0 : 1) else { return nil }
        guard Self.withTransform(from: ends.0, to: ends.1, { ends.0 == ends.1 || $0 != nil }) else { return nil }
        self.steps = steps
    }

    /// Returns the bitmap with converted colors. Allocates a second bitmap.
    func apply(to bitmap: Bitmap, limits: DecodeLimits) throws(ImageLoaderError) -> Bitmap {
        var builder = try BitmapBuilder(size: bitmap.size, limits: limits)
        builder.withUnsafeMutableBytes { target in
            let isOpaque = bitmap.withUnsafeBytes { target.copyStraight($0) }
            for step in steps { step.apply(to: target) }
            if !isOpaque { target.premultiply() }
        }
        return builder.freeze()
    }

    /// Returns the converted color.
    func apply(to color: PixelColor) -> PixelColor {
        var pixel = [color.red, color.green, color.blue, 255]
        var span = pixel.mutableSpan
        span.withUnsafeMutableBytes { pixel in for step in steps { step.apply(to: pixel) } }
        return PixelColor(red: pixel[0], green: pixel[1], blue: pixel[2], alpha: color.alpha)
    }

    /// Whether a profile is a gray one instead of an RGB one; nil if it is neither, or damaged.
    private static func isGray(_ profile: Data?) -> Bool? {
        guard let profile else { return false }
        let space = withProfile(profile) { $0.map { cmsGetColorSpace($0) } }
        return space == cmsSigRgbData ? false : space == cmsSigGrayData ? true : nil
    }

    /// The sRGB pixel for each level of a gray profile.
    private static func levels(of profile: Data?) -> [UInt8]? {
        let grays = (0..<1_024).map { UInt8($0 / 4) }
        var pixels = [UInt8](repeating: 0, count: grays.count)
        let isConverted = withTransform(from: profile, to: nil, format: alcedo_lcms_gray) { transform in
            guard let transform else { return false }
            cmsDoTransform(transform, grays, &pixels, 256)
            return true
        }
        return isConverted ? pixels : nil
    }

    /// The nearest level for each sRGB value.
    private static func inverse(of levels: [UInt8]) -> [UInt8] {
        (0..<1_024).map { index in
            let (value, channel) = (index / 4, index % 4)
            let nearest = (0..<256).min { one, other in
                abs(Int(levels[one * 4 + channel]) - value) < abs(Int(levels[other * 4 + channel]) - value)
            }
            return UInt8(nearest ?? value)
        }
    }

    fileprivate static func withTransform<Result>(
        from source: Data?, to target: Data?, format: UInt32 = alcedo_lcms_rgb, _ body: (cmsHTRANSFORM?) -> Result
    ) -> Result {
        withProfile(source) { source in
            withProfile(target) { target in
                guard let source, let target else { return body(nil) }
                let transform = cmsCreateTransform(
                    source, format, target, alcedo_lcms_rgb, UInt32(INTENT_PERCEPTUAL), UInt32(cmsFLAGS_NOCACHE))
                defer { if let transform { cmsDeleteTransform(transform) } }
                return body(transform)
            }
        }
    }

    private static func withProfile<Result>(_ profile: Data?, _ body: (cmsHPROFILE?) -> Result) -> Result {
        let handle =
            profile.map { profile in
                profile.withUnsafeBytes { cmsOpenProfileFromMem($0.baseAddress, UInt32(clamping: $0.count)) }
            } ?? cmsCreate_sRGBProfile()
        defer { if let handle { cmsCloseProfile(handle) } }
        return body(handle)
    }
}

extension ColorConversion.Step {
    /// Converts straight pixels in place, and keeps their alpha.
    fileprivate func apply(to pixels: UnsafeMutableRawBufferPointer) {
        switch self {
        case .transform(let source, let target):
            ColorConversion.withTransform(from: source, to: target) { transform in
                // Can't be nil: the same transform was created before.
                guard let transform else { return }
                cmsDoTransform(transform, pixels.baseAddress, pixels.baseAddress, UInt32(pixels.count / 4))
            }
        case .levels(let levels):
            for index in pixels.indices where index % 4 < 3 {
                pixels[index] = levels[Int(pixels[index]) * 4 + index % 4]
            }
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Copies pixels with colors divided by their alpha, rounding to nearest. Returns whether all are opaque.
    fileprivate func copyStraight(_ source: UnsafeRawBufferPointer) -> Bool {
        let (source, pixels) = (source.bindMemory(to: UInt32.self), bindMemory(to: UInt32.self))
        var all = UInt32.max
        for index in source.indices {
            let pixel = UInt32(littleEndian: source[index])
            all &= pixel
            pixels[index] = UInt32(littleEndian: pixel.unpremultiplied)
        }
        return all >> 24 == 255
    }
}
#endif
