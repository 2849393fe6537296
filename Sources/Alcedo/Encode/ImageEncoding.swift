public import Foundation

/// A codec that writes one format.
///
/// Calls are synchronous: they run on the caller's thread and take some 3 to 450 ms per megapixel. In a Task, that
/// thread belongs to the cooperative pool, so other Tasks may have to wait. This is fine for thumbnails. For larger
/// images, use ``FileEncoding/encodedFile(of:)``, which is asynchronous and uses its own threads. To serve files to
/// clients, use ``ImageLoader/encoded(for:as:)-(ImageRequest,_)``, which also bounds memory.
public protocol ImageEncoding: FileEncoding {
    /// The format that this codec writes.
    var format: ImageFormat { get }

    /// Returns the bytes of a file that shows `bitmap`, with its colors taken as sRGB.
    ///
    /// For the pixels of a loaded image, use ``encode(_:)-(DecodedImage)``: they may have other colors.
    ///
    /// - Throws: ``ImageLoaderError/encodingFailed(_:reason:)`` when the format doesn't support a setting or the
    ///   bitmap's size, or when memory runs out.
    func encode(_ bitmap: Bitmap) throws(ImageLoaderError) -> Data

    /// Returns the bytes of a file that shows `image` in its colors; for an animation, its first frame.
    ///
    /// The encoders of JPEG, PNG, WebP and AVIF write the image's color profile if it is one for RGB, and leave the
    /// pixels unchanged. Other encoders convert the colors to sRGB first, as these four do if the profile is a gray
    /// one. This takes about 20 ms per megapixel and a second bitmap. A profile that is damaged or describes other
    /// colors, such as that of a CMYK file, is left out.
    ///
    /// The default implementation converts to sRGB and calls ``encode(_:)-(Bitmap)``.
    ///
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` when the colors have to be converted, which requires
    ///   the trait `ColorProfiles` on Linux; encode the image's ``DecodedImage/bitmap`` to take them as sRGB.
    ///   Otherwise, throws as ``encode(_:)-(Bitmap)`` does.
    func encode(_ image: DecodedImage) throws(ImageLoaderError) -> Data
}

extension ImageEncoding {
    public func encode(_ image: DecodedImage) throws(ImageLoaderError) -> Data {
        try encode(image.bitmap.convertedToSRGB(from: image.profile))
    }
}
