/// One of nine places in an image.
public enum PixelAnchor: String, Sendable, Hashable, CaseIterable {
    case topLeft, top, topRight
    case left, center, right
    case bottomLeft, bottom, bottomRight

    /// The first column and row of a part of size `size` that is placed here in an image. Halves are rounded down.
    func place(_ size: PixelSize, in picture: PixelSize) -> (x: Int, y: Int) {
        func place(_ halves: Int, _ space: Int) -> Int {
            // Arithmetic shifts round down even if the size is larger than the image.
            halves == 0 ? 0 : halves == 1 ? space >> 1 : space
        }
        return (place(column, picture.width - size.width), place(row, picture.height - size.height))
    }

    /// The column, in halves of the remaining space.
    private var column: Int {
        switch self {
        case .topLeft, .left, .bottomLeft: 0
        case .top, .center, .bottom: 1
        case .topRight, .right, .bottomRight: 2
        }
    }

    private var row: Int {
        switch self {
        case .topLeft, .top, .topRight: 0
        case .left, .center, .right: 1
        case .bottomLeft, .bottom, .bottomRight: 2
        }
    }
}
