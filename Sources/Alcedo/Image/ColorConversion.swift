#if !(os(Linux) && ColorProfiles)
import Foundation

/// From the colours of an ICC profile to sRGB, where there is no library that does so: ImageIO has done it already.
struct ColorConversion: Sendable {
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)``.
    init?(profile: Data) throws(ImageLoaderError) {
        throw .unsupportedConfiguration("colours can be converted with the trait ColorProfiles only")
    }

    func apply(to bitmap: Bitmap, limits: DecodeLimits) throws(ImageLoaderError) -> Bitmap { bitmap }
}
#endif
