/// How the stored rows and columns lie in the upright picture, numbered as EXIF does (tag 0x0112).
///
/// To be upright, stored pixels are left as they are (`up`), turned by half (`down`), by a quarter clockwise (`right`)
/// or by a quarter counterclockwise (`left`). The mirrored ones are flipped: left to right (`upMirrored`), top to
/// bottom (`downMirrored`), over the diagonal from the top left (`leftMirrored`) or from the top right
/// (`rightMirrored`).
public enum Orientation: UInt8, Sendable, Hashable, CaseIterable {
    case up = 1, upMirrored, down, downMirrored, leftMirrored, right, rightMirrored, left

    /// Whether width and height change places.
    public var swapsSides: Bool { rawValue >= 5 }
}
