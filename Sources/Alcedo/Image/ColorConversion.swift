#if !(os(Linux) && ColorProfiles) && !canImport(CoreGraphics)
import Foundation

/// Stands in for the conversion to sRGB where no library provides it.
struct ColorConversion: Sendable {
    static let isAvailable = false

    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)``.
    init?(profile: Data) throws(ImageLoaderError) {
        throw .unsupportedConfiguration("colors can be converted with the trait ColorProfiles only")
    }

    /// Returns nil, because no library can convert.
    init?(from source: Data?, to target: Data?) { return nil }

    func apply(to bitmap: Bitmap, limits: DecodeLimits) throws(ImageLoaderError) -> Bitmap { bitmap }

    func apply(to color: PixelColor) -> PixelColor { color }
}
#endif

#if !(os(Linux) && ColorProfiles)
import Foundation

/// Stands in for the conversion of inks by their profile.
struct InkConversion {
    /// Returns nil, because no library can use the profile.
    init?(profile: Data) { return nil }

    func apply(to pixels: UnsafeMutableRawBufferPointer) {}
}

extension ColorDescription {
    /// Returns nil, because no library can make a profile.
    func profile(isGray: Bool) -> Data? { nil }
}
#endif
