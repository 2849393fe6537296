#if canImport(ImageIO)
import CoreGraphics
import Foundation

extension CGImage {
    var size: PixelSize { PixelSize(width: width, height: height) }

    /// Draws the image to a bitmap.
    ///
    /// - Parameter profile: The profile to convert the colors to; nil for sRGB.
    func bitmap(
        in profile: Data?, _ format: ImageFormat, _ limits: DecodeLimits
    ) throws(ImageLoaderError) -> Bitmap {
        var builder = try BitmapBuilder(size: size, limits: limits)
        guard builder.draw(self, in: profile) else { throw .corruptImage(format, reason: "could not be drawn") }
        return builder.freeze()
    }

    /// The profile of the colors, if a bitmap can keep them; nil for sRGB, and for colors that have to be converted to
    /// it: gray, inks, and those that need more than 8 bits.
    func keptProfile(_ limits: DecodeLimits) throws(ImageLoaderError) -> Data? {
        let own = colorSpace?.model == .indexed ? colorSpace?.baseColorSpace : colorSpace
        guard let own, own.model == .rgb, own.supportsOutput, !CGColorSpaceUsesITUR_2100TF(own),
            !CGColorSpaceUsesExtendedRange(own), let profile = own.profile,
            profile != CGColorSpace(name: CGColorSpace.sRGB)?.profile
        else { return nil }
        try limits.check(metadataBytes: profile.count)
        return profile
    }
}

extension CGColorSpace {
    fileprivate var profile: Data? { copyICCData().map { $0 as Data } }
}
#endif
