/// A part of the screen, in cells.
struct CellRectangle: Equatable, Hashable, Sendable {
    var column: Int
    var row: Int
    var width: Int
    var height: Int
}

/// The layout of images on the screen: tiles in rows, above one status line.
///
/// The rows fill the screen, so some are one line higher than others.
struct GridLayout: Equatable {
    /// The tiles in a row.
    let columns: Int
    /// The rows of tiles on the screen.
    let rows: Int
    /// The width of a tile, in cells.
    let width: Int
    /// The minimum height of a tile, including its caption, in cells.
    let height: Int
    /// The number of lines above the status line.
    private let room: Int

    /// The number of images on the screen.
    var capacity: Int { columns * rows }

    /// A grid of tiles with captions, about as high as landscape images need.
    ///
    /// - Parameter columns: The number of tiles in a row; nil to choose by the width. Reduced if tiles would be too
    ///   narrow.
    init(_ size: TerminalSize, columns: Int?) {
        self.columns = min(columns ?? max(1, size.columns / 26), Self.mostColumns(in: size))
        width = max(1, size.columns / self.columns)
        // A cell is twice as high as wide, and the ideal image has sides of 4 to 3.
        let ideal = Double(max(1, width - 2)) * 3 / 8 + 1
        room = max(1, size.rows - 1)
        let most = max(1, room / 2)
        rows = min(most, max(1, Int((Double(room) / ideal).rounded())))
        height = room / rows
    }

    /// A single image, without a caption, because the status line has its name.
    init(singleIn size: TerminalSize) {
        (columns, rows) = (1, 1)
        room = max(1, size.rows - 1)
        (width, height) = (size.columns, room)
    }

    static func mostColumns(in size: TerminalSize) -> Int { max(1, size.columns / 6) }

    /// The tile at a position on the screen.
    func tile(_ position: Int) -> CellRectangle {
        let row = position / columns
        let top = row * room / rows
        return CellRectangle(
            column: position % columns * width, row: top, width: width, height: (row + 1) * room / rows - top)
    }

    /// The place for the image in a tile of the grid, above the caption and between the marks of the selection.
    ///
    /// All places have the same size, so an image that moves to another row needn't be loaded and sent again.
    func picture(_ position: Int) -> CellRectangle {
        let tile = tile(position)
        return CellRectangle(
            column: tile.column + 1, row: tile.row + tile.height - height, width: max(1, width - 2),
            height: max(1, height - 1))
    }
}
