#if canImport(AppKit) && !canImport(UIKit)
public import Alcedo
public import AppKit

extension DecodedImage {
    /// The image for AppKit. Its size in points follows from ``Alcedo/DecodedImage/scale``. Shares the pixels. For an
    /// animation, the first frame.
    ///
    /// Nil only when the system is out of memory.
    public var nsImage: NSImage? { cgImage.map { NSImage($0, scale: scale) } }

    /// Creates an image with the pixels of an AppKit image, converted to sRGB.
    ///
    /// - Parameters:
    ///   - nsImage: The image. Its best representation for its size is used, and determines the scale.
    ///   - limits: The limits on the size.
    /// - Throws: ``Alcedo/ImageLoaderError/limitExceeded(_:value:allowed:)``, and
    ///   ``Alcedo/ImageLoaderError/unsupportedConfiguration(_:)`` for an image without representations.
    public init(nsImage: NSImage, limits: DecodeLimits = DecodeLimits()) throws(ImageLoaderError) {
        guard let cgImage = nsImage.cgImage(forProposedRect: nil, context: nil, hints: nil) else {
            throw .unsupportedConfiguration("an NSImage without a representation")
        }
        let scale = nsImage.size.width > 0 ? Double(cgImage.width) / nsImage.size.width : 1
        try self.init(cgImage: cgImage, scale: scale, limits: limits)
    }
}

extension ImagePreview {
    /// The pixels that have arrived, for AppKit.
    ///
    /// - Parameter scale: The number of pixels per point, such as 2 for a file named `name@2x.jpg`. Default: 1.
    public func nsImage(scale: Double = 1) -> NSImage? { cgImage.map { NSImage($0, scale: scale) } }
}

extension NSImage {
    convenience init(_ cgImage: CGImage, scale: Double) {
        self.init(
            cgImage: cgImage,
            size: NSSize(width: CGFloat(cgImage.width) / scale, height: CGFloat(cgImage.height) / scale))
    }
}
#endif
