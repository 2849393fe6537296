/// The part of an image that a crop keeps.
public enum CropAnchor: Sendable, Hashable {
    /// The part at one of nine places.
    case place(PixelAnchor)
    /// The part whose middle is nearest to a point of the image, given in fractions of its width from the left and of
    /// its height from the top. They must be from 0 to 1; requests and processors reject other values.
    case focus(x: Double, y: Double)
    /// The part that people are likely to look at: with the most edges, strong colors and skin, compared with the rest
    /// of the image.
    ///
    /// The image is analyzed with at most 128 pixels in each direction and with integer arithmetic, so the result is
    /// the same on all machines. Costs about 1 ms per megapixel of the scaled image. For an animation, the first frame
    /// decides.
    case attention

    /// The middle.
    public static let center = CropAnchor.place(.center)
    /// The middle of the upper edge.
    public static let top = CropAnchor.place(.top)
    /// The middle of the lower edge.
    public static let bottom = CropAnchor.place(.bottom)
    /// The middle of the left edge.
    public static let left = CropAnchor.place(.left)
    /// The middle of the right edge.
    public static let right = CropAnchor.place(.right)
    /// The upper left corner.
    public static let topLeft = CropAnchor.place(.topLeft)
    /// The upper right corner.
    public static let topRight = CropAnchor.place(.topRight)
    /// The lower left corner.
    public static let bottomLeft = CropAnchor.place(.bottomLeft)
    /// The lower right corner.
    public static let bottomRight = CropAnchor.place(.bottomRight)
}

extension CropAnchor {
    /// Whether the fractions of a focus are from 0 to 1.
    var isValid: Bool {
        if case .focus(let x, let y) = self { return (0...1).contains(x) && (0...1).contains(y) }
        return true
    }

    /// Distinguishes anchors in the names of images on disk. The number is the version of the attention analysis.
    var text: String {
        switch self {
        case .place(let place): place.rawValue
        case .focus(let x, let y): "focus \(x) \(y)"
        case .attention: "attention 1"
        }
    }

    /// The first column and row of a part in an image; nil if the pixels decide.
    func place(_ part: PixelSize, in picture: PixelSize) -> (x: Int, y: Int)? {
        switch self {
        case .place(let place): return place.place(part, in: picture)
        case .focus(let x, let y):
            func first(_ fraction: Double, _ part: Int, _ whole: Int) -> Int {
                // A target isn't validated: other numbers count as the nearest fraction, and NaN as 0.
                let fraction = fraction > 0 ? min(fraction, 1) : 0
                let exact = (fraction * Double(whole) - Double(part) / 2).rounded()
                return exact < Double(whole - part) ? max(0, Int(exact)) : whole - part
            }
            return (first(x, part.width, picture.width), first(y, part.height, picture.height))
        case .attention: return nil
        }
    }

    /// The first column and row of a part in an image, which is analyzed if the pixels decide.
    func place(_ part: PixelSize, in picture: Bitmap) throws(ImageLoaderError) -> (x: Int, y: Int) {
        if let place = place(part, in: picture.size) { return place }
        return try AttentionMap(of: picture).place(part, in: picture.size)
    }
}
