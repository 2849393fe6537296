#if os(Linux) && ColorProfiles
import CLcms
import Foundation

/// Converts from the colours of an ICC profile to sRGB with the system's Little CMS.
struct ColorConversion: Sendable {
    private let profile: Data
    private let isGrey: Bool

    /// Returns nil when the profile can't be used: it is damaged, or is neither an RGB nor a grey profile.
    init?(profile: Data) throws(ImageLoaderError) {
        let space = Self.withProfile(profile) { $0.map { cmsGetColorSpace($0) } }
        guard let space, space == cmsSigRgbData || space == cmsSigGrayData else { return nil }
        self.profile = profile
        isGrey = space == cmsSigGrayData
        // A profile may declare its colour space but lack the tables to convert from it.
        guard withTransform({ $0 != nil }) else { return nil }
    }

    /// The same picture in sRGB. Allocates a second bitmap while both are alive.
    func apply(to bitmap: Bitmap, limits: DecodeLimits) throws(ImageLoaderError) -> Bitmap {
        var builder = try BitmapBuilder(size: bitmap.size, limits: limits)
        let isConverted = withTransform { transform in
            guard let transform else { return false }
            builder.withUnsafeMutableBytes { target in
                bitmap.withUnsafeBytes { convert($0, target, rowBytes: bitmap.bytesPerRow, transform) }
            }
            return true
        }
        // Can't fail: init created the same transform before.
        return isConverted ? builder.freeze() : bitmap
    }

    /// Converts row by row, as Little CMS converts colours without alpha.
    private func convert(
        _ source: UnsafeRawBufferPointer, _ target: UnsafeMutableRawBufferPointer, rowBytes: Int,
        _ transform: cmsHTRANSFORM
    ) {
        let levels = isGrey ? Self.levels(transform) : []
        var straight = [UInt8](repeating: 0, count: rowBytes)
        for start in stride(from: 0, to: source.count, by: rowBytes) {
            let row = UnsafeMutableRawBufferPointer(rebasing: target[start..<start + rowBytes])
            straight.withUnsafeMutableBytes { straight in
                straight.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[start..<start + rowBytes]))
                let isOpaque = straight.unpremultiply()
                if isGrey {
                    for index in 0..<rowBytes { row[index] = levels[Int(straight[index]) * 4 + index % 4] }
                } else {
                    cmsDoTransform(transform, straight.baseAddress, row.baseAddress, UInt32(rowBytes / 4))
                }
                for alpha in Swift.stride(from: 3, to: rowBytes, by: 4) { row[alpha] = straight[alpha] }
                if !isOpaque { row.premultiply() }
            }
        }
    }

    /// The pixel of each of the 256 levels of grey. Each channel is looked up by itself, so that a grey picture which
    /// a processor gave colours keeps them.
    private static func levels(_ transform: cmsHTRANSFORM) -> [UInt8] {
        let greys = (0..<1_024).map { UInt8($0 / 4) }
        var pixels = [UInt8](repeating: 0, count: greys.count)
        cmsDoTransform(transform, greys, &pixels, 256)
        return pixels
    }

    private func withTransform<Result>(_ body: (cmsHTRANSFORM?) -> Result) -> Result {
        Self.withProfile(profile) { own in
            guard let own, let sRGB = cmsCreate_sRGBProfile() else { return body(nil) }
            defer { cmsCloseProfile(sRGB) }
            let format = isGrey ? alcedo_lcms_grey : alcedo_lcms_rgb
            let transform = cmsCreateTransform(
                own, format, sRGB, alcedo_lcms_rgb, UInt32(INTENT_PERCEPTUAL), UInt32(cmsFLAGS_NOCACHE))
            defer { if let transform { cmsDeleteTransform(transform) } }
            return body(transform)
        }
    }

    private static func withProfile<Result>(_ profile: Data, _ body: (cmsHPROFILE?) -> Result) -> Result {
        let handle = profile.withUnsafeBytes { cmsOpenProfileFromMem($0.baseAddress, UInt32(clamping: $0.count)) }
        defer { if let handle { cmsCloseProfile(handle) } }
        return body(handle)
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Divides premultiplied colours by their alpha, rounding to nearest. Returns whether all pixels were opaque.
    fileprivate func unpremultiply() -> Bool {
        let pixels = bindMemory(to: UInt32.self)
        var all = UInt32.max
        for index in pixels.indices {
            let pixel = UInt32(littleEndian: pixels[index])
            all &= pixel
            pixels[index] = UInt32(littleEndian: pixel.unpremultiplied)
        }
        return all >> 24 == 255
    }
}
#endif
