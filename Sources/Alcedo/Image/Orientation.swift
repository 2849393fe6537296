/// The orientation of the stored rows and columns in the upright image, numbered as in EXIF (tag 0x0112).
///
/// To make the image upright, stored pixels are left as they are (`up`), or rotated by 180 degrees (`down`), by 90
/// degrees clockwise (`right`) or by 90 degrees counterclockwise (`left`). The mirrored cases are flipped: left to
/// right (`upMirrored`), top to bottom (`downMirrored`), or along the diagonal from the top left (`leftMirrored`) or
/// from the top right (`rightMirrored`).
public enum Orientation: UInt8, Sendable, Hashable, CaseIterable {
    case up = 1, upMirrored, down, downMirrored, leftMirrored, right, rightMirrored, left

    /// Whether width and height are swapped.
    public var swapsSides: Bool { rawValue >= 5 }

    /// Returns where a part of the upright image lies in the stored image of `size` pixels.
    func stored(_ part: PixelRectangle, in size: PixelSize) -> PixelRectangle {
        let (x, y) = swapsSides ? (part.y, part.x) : (part.x, part.y)
        let side = swapsSides ? part.size.turned : part.size
        let (right, bottom) = (size.width - x - side.width, size.height - y - side.height)
        return switch self {
        case .up, .leftMirrored: PixelRectangle(x: x, y: y, size: side)
        case .upMirrored, .left: PixelRectangle(x: right, y: y, size: side)
        case .down, .rightMirrored: PixelRectangle(x: right, y: bottom, size: side)
        case .downMirrored, .right: PixelRectangle(x: x, y: bottom, size: side)
        }
    }
}
