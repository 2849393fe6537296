#if canImport(CoreGraphics)
public import Alcedo
public import CoreGraphics

extension Bitmap {
    /// The pixels as an image of Core Graphics in sRGB, which retains this bitmap and copies nothing.
    ///
    /// Nil only when the system is out of memory.
    public var cgImage: CGImage? { cgImage(isOpaque: false) }

    /// - Parameter isOpaque: Whether no pixel is transparent, so that the system needn't blend them.
    func cgImage(isOpaque: Bool) -> CGImage? {
        guard let colours = CGColorSpace(name: CGColorSpace.sRGB), let provider = dataProvider else { return nil }
        let alpha: CGImageAlphaInfo = isOpaque ? .noneSkipLast : .premultipliedLast
        return CGImage(
            width: size.width, height: size.height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: bytesPerRow,
            space: colours, bitmapInfo: CGBitmapInfo(rawValue: alpha.rawValue), provider: provider, decode: nil,
            shouldInterpolate: true, intent: .defaultIntent)
    }

    /// Hands out the bytes where they are.
    ///
    /// Invariant: the bytes stay at one address and are never written while the bitmap is retained. The provider holds
    /// one reference, and `releaseData` gives it back, once, on whatever thread the last user of the image ends.
    private var dataProvider: CGDataProvider? {
        withBytes { bytes in
            bytes.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return nil }
                return CGDataProvider(
                    dataInfo: Unmanaged.passRetained(self).toOpaque(), data: base, size: bytes.count
                ) { owner, _, _ in
                    guard let owner else { return }
                    Unmanaged<Bitmap>.fromOpaque(owner).release()
                }
            }
        }
    }
}

extension DecodedImage {
    /// The pixels as an image of Core Graphics in sRGB; see ``Alcedo/Bitmap/cgImage``. For an animation, the first
    /// frame.
    public var cgImage: CGImage? { bitmap.cgImage(isOpaque: isOpaque) }

    /// Creates an image with the pixels of an image of Core Graphics, converted to sRGB.
    ///
    /// - Parameters:
    ///   - cgImage: Upright; Core Graphics knows no orientation.
    ///   - scale: How many pixels make a point. Default: 1.
    ///   - limits: Limits the size.
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
    /// The pixels that have arrived as an image of Core Graphics; see ``Alcedo/Bitmap/cgImage``.
    public var cgImage: CGImage? { bitmap.cgImage }
}

extension Bitmap {
    /// Makes a bitmap with Core Graphics.
    ///
    /// - Parameter draw: Called once with a context of one unit per pixel, whose origin is at the bottom left.
    static func drawn(
        _ size: PixelSize, limits: DecodeLimits, _ draw: (CGContext) -> Void
    ) throws(ImageLoaderError) -> Bitmap {
        var builder = try BitmapBuilder(size: size, limits: limits)
        let bytesPerRow = builder.bytesPerRow
        let isDrawn = builder.withBytes { bytes in
            bytes.withUnsafeMutableBytes { bytes in
                guard let colours = CGColorSpace(name: CGColorSpace.sRGB),
                    let context = CGContext(
                        data: bytes.baseAddress, width: size.width, height: size.height, bitsPerComponent: 8,
                        bytesPerRow: bytesPerRow, space: colours,
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
