/// A width and a height in pixels.
public struct PixelSize: Sendable, Hashable {
    /// Pixels in a row.
    public var width: Int
    /// Rows.
    public var height: Int

    /// A size; what it may be is up to who uses it.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Lying where this one stands.
    var turned: PixelSize { PixelSize(width: height, height: width) }
}

extension PixelSize: CustomStringConvertible {
    /// Such as "640 × 480".
    public var description: String { "\(width) × \(height)" }
}
