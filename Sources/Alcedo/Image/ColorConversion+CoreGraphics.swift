#if canImport(CoreGraphics)
import CoreGraphics
import Foundation

/// Converts colors from one ICC profile to another with Core Graphics.
///
/// Core Graphics has no spaces of gray for pixels of three colors, so gray profiles can't be used.
struct ColorConversion: Sendable {
    static let isAvailable = true

    private let source: Data?
    private let target: Data?

    /// Creates a conversion to sRGB. Returns nil when the profile is damaged, or isn't an RGB profile.
    init?(profile: Data) throws(ImageLoaderError) { self.init(from: profile, to: nil) }

    /// Returns nil when the profiles are the same, or when one can't be used.
    ///
    /// - Parameters:
    ///   - source: The profile of the colors; nil for sRGB.
    ///   - target: The profile to convert them to; nil for sRGB.
    init?(from source: Data?, to target: Data?) {
        guard source != target, CGColorSpace.rgb(source) != nil, CGColorSpace.rgb(target)?.supportsOutput == true else {
            return nil
        }
        (self.source, self.target) = (source, target)
    }

    /// Returns the bitmap with converted colors. Allocates a copy of the bitmap and the result.
    func apply(to bitmap: Bitmap, limits: DecodeLimits) throws(ImageLoaderError) -> Bitmap {
        var builder = try BitmapBuilder(size: bitmap.size, limits: limits)
        // Core Graphics refuses a size within the limits only if there is no memory for it.
        guard let image = image(of: bitmap), builder.draw(image, in: target) else {
            throw .limitExceeded(.bitmapBytes, value: bitmap.size.height * bitmap.bytesPerRow, allowed: 0)
        }
        return builder.freeze()
    }

    /// Returns the converted color; the same one if there is no memory to convert it.
    func apply(to color: PixelColor) -> PixelColor {
        do throws(ImageLoaderError) {
            var builder = try BitmapBuilder(size: PixelSize(width: 1, height: 1))
            builder.withBytes {
                let pixel = SIMD4(color.red, color.green, color.blue, 255)
                $0.storeBytes(of: pixel, as: SIMD4<UInt8>.self)
            }
            let pixel = try apply(to: builder.freeze(), limits: .unlimited)[0, 0]
            return PixelColor(red: pixel[0], green: pixel[1], blue: pixel[2], alpha: color.alpha)
        } catch {
            return color
        }
    }

    /// A copy of the pixels as an image of Core Graphics.
    private func image(of bitmap: Bitmap) -> CGImage? {
        let bytes = bitmap.withUnsafeBytes { Data($0) }
        guard let space = CGColorSpace.rgb(source), let provider = CGDataProvider(data: bytes as CFData) else {
            return nil
        }
        return CGImage(
            width: bitmap.size.width, height: bitmap.size.height, bitsPerComponent: 8, bitsPerPixel: 32,
            bytesPerRow: bitmap.bytesPerRow, space: space,
            bitmapInfo: CGBitmapInfo(rawValue: CGImageAlphaInfo.premultipliedLast.rawValue), provider: provider,
            decode: nil, shouldInterpolate: false, intent: .perceptual)
    }
}

extension CGColorSpace {
    /// The space of an RGB profile; nil for a profile that is damaged or of other colors.
    ///
    /// - Parameter profile: The profile; nil for sRGB.
    fileprivate static func rgb(_ profile: Data?) -> CGColorSpace? {
        guard let profile else { return CGColorSpace(name: CGColorSpace.sRGB) }
        guard let space = CGColorSpace(iccData: profile as CFData), space.model == .rgb else { return nil }
        return space
    }
}

extension BitmapBuilder {
    /// Draws `image` over all pixels, converted to the colors of a profile. Returns false when no context can be
    /// created.
    ///
    /// - Parameter profile: The profile; nil for sRGB.
    mutating func draw(_ image: CGImage, in profile: Data? = nil) -> Bool {
        guard let colors = CGColorSpace.rgb(profile) else { return false }
        let (size, bytesPerRow) = (size, bytesPerRow)
        return withUnsafeMutableBytes { pixels in
            let context = CGContext(
                data: pixels.baseAddress, width: size.width, height: size.height, bitsPerComponent: 8,
                bytesPerRow: bytesPerRow, space: colors, bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
            guard let context else { return false }
            context.setBlendMode(.copy)
            context.draw(image, in: CGRect(x: 0, y: 0, width: size.width, height: size.height))
            return true
        }
    }
}
#endif
