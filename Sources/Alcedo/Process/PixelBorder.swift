/// A border inside the edge of an image.
public struct PixelBorder: Sendable, Hashable {
    /// The border's width in pixels, from 0 to 32,767.
    public var width: Double
    /// The border's color. Its alpha determines how much of the image shows through.
    public var color: PixelColor

    /// Creates a border.
    public init(width: Double, color: PixelColor) { (self.width, self.color) = (width, color) }
}

extension ProcessorIdentity {
    mutating func add(_ border: PixelBorder?) {
        add(border) { identity, border in
            identity.add(border.width)
            identity.add(border.color)
        }
    }
}

extension ImageProcessing {
    /// Throws unless the border can be drawn.
    func require(_ border: PixelBorder?) throws(ImageLoaderError) {
        if let border { try require("border width", border.width, in: 0...longestDistance) }
    }
}
