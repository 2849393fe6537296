/// A width and a height in pixels.
public struct PixelSize: Sendable, Hashable {
    /// The number of pixels in a row.
    public var width: Int
    /// The number of rows.
    public var height: Int

    /// Creates a size. The values aren't checked; the APIs that take a size define which ones are valid.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// A box of a certain width and any height, to fit an image into.
    public static func width(_ width: Int) -> PixelSize { PixelSize(width: width, height: .max) }

    /// A box of a certain height and any width, to fit an image into.
    public static func height(_ height: Int) -> PixelSize { PixelSize(width: .max, height: height) }

    /// This size with width and height swapped.
    var turned: PixelSize { PixelSize(width: height, height: width) }
}

extension PixelSize: CustomStringConvertible {
    /// The size as text, such as "640 × 480".
    public var description: String { "\(width) × \(height)" }
}
