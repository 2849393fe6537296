#if canImport(CoreGraphics)
public import Alcedo
public import CoreGraphics
import Foundation

extension Bitmap {
    /// The pixels as a Core Graphics image in sRGB, which shares their memory and keeps it.
    ///
    /// Created when it is first needed, and then always the same one, so that the system prepares it for the screen
    /// once. Nil only when the system is out of memory.
    public var cgImage: CGImage? { cgImage(PixelDescription()) }
}

extension DecodedImage {
    /// The pixels as a Core Graphics image; see ``Alcedo/Bitmap/cgImage``. For an animation, the first frame.
    ///
    /// Its colors are those of ``Alcedo/DecodedImage/profile``, or of sRGB if there is none or it isn't an RGB profile.
    public var cgImage: CGImage? { bitmap.cgImage(PixelDescription(isOpaque: isOpaque, profile: profile)) }

    /// Creates an image with the pixels of a Core Graphics image, converted to sRGB.
    ///
    /// - Parameters:
    ///   - cgImage: The image. It must be upright, because Core Graphics images have no orientation.
    ///   - scale: The number of pixels per point. Default: 1.
    ///   - limits: The limits on the size.
    /// - Throws: ``Alcedo/ImageLoaderError/limitExceeded(_:value:allowed:)``.
    public init(
        cgImage: CGImage, scale: Double = 1, limits: DecodeLimits = DecodeLimits()
    ) throws(ImageLoaderError) {
        let size = PixelSize(width: cgImage.width, height: cgImage.height)
        let bitmap = try Bitmap.drawn(size, limits: limits) { context in
            context.setBlendMode(.copy)
            context.draw(cgImage, in: CGRect(x: 0, y: 0, width: size.width, height: size.height))
        }
        self = DecodedImage(bitmap: bitmap).withScale(scale)
    }
}

extension ImagePreview {
    /// The pixels that have arrived as a Core Graphics image; see ``Alcedo/Bitmap/cgImage``.
    public var cgImage: CGImage? { bitmap.cgImage }
}

extension Bitmap {
    /// Draws a bitmap with Core Graphics.
    ///
    /// - Parameter draw: Called once with a context of one unit per pixel, whose origin is at the bottom left.
    static func drawn(
        _ size: PixelSize, limits: DecodeLimits, _ draw: (CGContext) -> Void
    ) throws(ImageLoaderError) -> Bitmap {
        var builder = try BitmapBuilder(size: size, limits: limits)
        let bytesPerRow = builder.bytesPerRow
        let isDrawn = builder.withBytes { bytes in
            bytes.withUnsafeMutableBytes { bytes in
                guard let colors = CGColorSpace(name: CGColorSpace.sRGB),
                    let context = CGContext(
                        data: bytes.baseAddress, width: size.width, height: size.height, bitsPerComponent: 8,
                        bytesPerRow: bytesPerRow, space: colors,
                        bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
                else { return false }
                draw(context)
                return true
            }
        }
        // Core Graphics refuses a size within the limits only if there is no memory for it.
        guard isDrawn else { throw .limitExceeded(.bitmapBytes, value: size.height * bytesPerRow, allowed: 0) }
        return builder.freeze()
    }
}
#endif
