#if os(Linux) && ColorProfiles
import CLcms
import Foundation

/// Converts inks to sRGB according to their ICC profile, with the system's Little CMS.
///
/// The rendering intent is relative colorimetric, with black point compensation.
final class InkConversion {
    private let transform: cmsHTRANSFORM

    /// Creates a conversion, which takes about 25 ms. Nil when the profile is damaged, or isn't a CMYK profile.
    init?(profile: Data) {
        let own = profile.withUnsafeBytes { cmsOpenProfileFromMem($0.baseAddress, UInt32(clamping: $0.count)) }
        guard let own else { return nil }
        defer { cmsCloseProfile(own) }
        guard cmsGetColorSpace(own) == cmsSigCmykData, let sRGB = cmsCreate_sRGBProfile() else { return nil }
        defer { cmsCloseProfile(sRGB) }
        let transform = cmsCreateTransform(
            own, alcedo_lcms_inks, sRGB, alcedo_lcms_rgb, UInt32(INTENT_RELATIVE_COLORIMETRIC),
            UInt32(cmsFLAGS_BLACKPOINTCOMPENSATION))
        guard let transform else { return nil }
        self.transform = transform
    }

    deinit { cmsDeleteTransform(transform) }

    /// Converts pixels in place, from four inks, which are stored inverted, to opaque RGBA.
    func apply(to pixels: UnsafeMutableRawBufferPointer) {
        cmsDoTransform(transform, pixels.baseAddress, pixels.baseAddress, UInt32(pixels.count / 4))
        for alpha in stride(from: 3, to: pixels.count, by: 4) { pixels[alpha] = 255 }
    }
}
#endif
