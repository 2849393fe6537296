/// Pixels that no one can change: 8 bits each of red, green, blue and alpha, colour premultiplied, rows from the top.
///
/// A bitmap owns its memory and is shared, not copied. It is made by filling a ``BitmapBuilder``.
public final class Bitmap: Sendable {
    public let size: PixelSize
    /// Bytes from one row to the next: 4 × width.
    public let bytesPerRow: Int

    init(size: PixelSize) {
        self.size = size
        self.bytesPerRow = size.width * 4
    }
}
