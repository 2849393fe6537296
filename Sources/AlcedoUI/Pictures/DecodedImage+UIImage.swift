#if canImport(UIKit)
public import Alcedo
public import UIKit

extension DecodedImage {
    /// The image for UIKit, with ``Alcedo/DecodedImage/scale``. Shares the pixels. For an animation, the first frame.
    ///
    /// Nil only when the system is out of memory.
    public var uiImage: UIImage? { cgImage.map { UIImage(cgImage: $0, scale: scale, orientation: .up) } }

    /// Creates an image with the pixels of a UIKit image, upright and converted to sRGB.
    ///
    /// - Parameters:
    ///   - uiImage: The image. Its scale is kept. If it has several frames, the first is used.
    ///   - limits: The limits on the size.
    /// - Throws: ``Alcedo/ImageLoaderError/limitExceeded(_:value:allowed:)``.
    public init(uiImage: UIImage, limits: DecodeLimits = DecodeLimits()) throws(ImageLoaderError) {
        let scale = uiImage.scale
        let size = PixelSize(
            width: Int((uiImage.size.width * scale).rounded()), height: Int((uiImage.size.height * scale).rounded()))
        let bitmap = try Bitmap.drawn(size, limits: limits) { context in
            // UIKit draws from the top left, and turns the image upright.
            context.translateBy(x: 0, y: CGFloat(size.height))
            context.scaleBy(x: 1, y: -1)
            UIGraphicsPushContext(context)
            uiImage.draw(in: CGRect(x: 0, y: 0, width: size.width, height: size.height))
            UIGraphicsPopContext()
        }
        self = DecodedImage(bitmap: bitmap).withScale(scale)
    }
}

extension ImagePreview {
    /// The pixels that have arrived, for UIKit.
    ///
    /// - Parameter scale: The number of pixels per point, such as 2 for a file named `name@2x.jpg`. Default: 1.
    public func uiImage(scale: Double = 1) -> UIImage? {
        cgImage.map { UIImage(cgImage: $0, scale: scale, orientation: .up) }
    }
}
#endif
