public import Foundation

/// A stand-in for an image that isn't available.
public enum Placeholder: Sendable {
    /// A single color.
    case color(PixelColor)
    /// A blurred image, decoded from the hash that ``DecodedImage/thumbHash()`` returns. Bytes that aren't a hash show
    /// nothing.
    case thumbHash(Data)
    /// An image that the program provides.
    case image(DecodedImage)

    /// The pixels to draw, for the view to scale to its size. A single pixel for a color. Nil for bytes that aren't a
    /// hash.
    ///
    /// A hash is decoded each time this is read, into about 32 × 32 pixels.
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
