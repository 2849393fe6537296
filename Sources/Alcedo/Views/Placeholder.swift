public import Foundation

/// A stand-in for a picture that isn't there.
public enum Placeholder: Sendable {
    /// One colour.
    case color(PixelColor)
    /// A blurred picture, as ``DecodedImage/thumbHash()`` describes it. Bytes that aren't a hash show nothing.
    case thumbHash(Data)
    /// A picture of the program.
    case image(DecodedImage)

    /// The pixels to draw, scaled to the view's size; for a colour, one pixel. Nil for bytes that aren't a hash.
    ///
    /// A hash is decoded each time this is read, into some 32 × 32 pixels.
    public var bitmap: Bitmap? {
        do throws(ImageLoaderError) {
            switch self {
            case .color(let color):
                var builder = try BitmapBuilder(size: PixelSize(width: 1, height: 1))
                builder.withBytes { $0.storeBytes(of: color.pixel, as: UInt32.self) }
                return builder.freeze()
            case .thumbHash(let hash): return try DecodedImage(thumbHash: hash).bitmap
            case .image(let image): return image.bitmap
            }
        } catch {
            return nil
        }
    }
}
