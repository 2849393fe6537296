/// How the stored rows and columns lie in the upright picture, numbered as EXIF does (tag 0x0112).
public enum Orientation: UInt8, Sendable, Hashable, CaseIterable {
    case up = 1, upMirrored, down, downMirrored, leftMirrored, right, rightMirrored, left

    /// Whether width and height change places.
    public var swapsSides: Bool { rawValue >= 5 }
}
