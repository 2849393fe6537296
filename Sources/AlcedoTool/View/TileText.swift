/// The texts of a tile: its caption, the marks of the selection, and the error if its image couldn't be loaded.
enum TileText {
    /// The background of a tile without an image.
    static let background = RGB(32, 34, 40)
    private static let accent = RGB(255, 176, 0)
    private static let quiet = RGB(150, 150, 150)
    private static let warning = RGB(255, 120, 110)

    static func draw(
        caption: String, progress: String?, isSelected: Bool, in tile: CellRectangle, on cells: inout ScreenBuffer
    ) {
        let row = tile.row + tile.height - 1
        let width = max(1, tile.width - 2)
        let style = ScreenBuffer.Style(foreground: isSelected ? accent : quiet, isBold: isSelected)
        let room = progress.map { width - CellText.width($0) - 1 } ?? width
        cells.put(caption, row: row, column: tile.column + 1, width: room, style: style)
        if let progress {
            let column = tile.column + 1 + width - CellText.width(progress)
            cells.put(progress, row: row, column: column, width: width, style: style)
        }
        guard isSelected else { return }
        for row in tile.row..<tile.row + tile.height {
            cells.put("▐", row: row, column: tile.column, width: 1, style: style)
            cells.put("▌", row: row, column: tile.column + tile.width - 1, width: 1, style: style)
        }
    }

    /// Draws an error in the middle of a place, on as many lines as fit.
    static func draw(error: String, in place: CellRectangle, on cells: inout ScreenBuffer) {
        let lines = wrapped(error, width: place.width - 2).prefix(place.height)
        let first = place.row + (place.height - lines.count) / 2
        let color = background
        for (offset, line) in lines.enumerated() {
            let column = place.column + max(0, place.width - CellText.width(line)) / 2
            cells.put(
                line, row: first + offset, column: column, width: place.width,
                style: ScreenBuffer.Style(foreground: warning, background: color))
        }
    }

    /// Wraps text, at spaces where possible.
    static func wrapped(_ text: String, width: Int) -> [String] {
        let width = max(1, width)
        var lines: [String] = []
        for word in text.split(separator: " ") {
            let word = CellText.cut(String(word), width: width).text
            if let last = lines.last, CellText.width(last) + 1 + CellText.width(word) <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(word)
            }
        }
        return lines
    }
}
