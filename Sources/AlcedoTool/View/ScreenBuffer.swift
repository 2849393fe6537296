/// The content of a terminal's screen.
///
/// Each frame is drawn into a new buffer; ``changes(from:)`` returns the output that updates the screen to it.
struct ScreenBuffer: Equatable {
    /// The appearance of a cell.
    struct Style: Equatable {
        /// The color of the text; nil for the terminal's default.
        var foreground: RGB?
        /// The color behind the text; nil for the terminal's default.
        var background: RGB?
        var isInverse = false
        var isBold = false
    }

    private struct Cell: Equatable {
        /// The character; nil for the right half of a wide one.
        var character: Character? = " "
        var style = Style()
    }

    let size: TerminalSize
    private let hasColors: Bool
    private var cells: [Cell]

    /// - Parameter hasColors: Whether cells have colors. Without colors, pixels are drawn with characters.
    init(_ size: TerminalSize, hasColors: Bool = true) {
        self.size = size
        self.hasColors = hasColors
        cells = Array(repeating: Cell(), count: size.columns * size.rows)
    }

    // MARK: Drawing

    /// Writes text, at most `width` cells wide; "…" marks a cut. Parts outside the screen are omitted.
    mutating func put(_ text: String, row: Int, column: Int, width: Int, style: Style = Style()) {
        var column = column
        for character in CellText.cut(text, width: width).text {
            let cells = CellText.width(String(character))
            // A mark that combines with the previous character, which has already been written.
            if cells == 0 { continue }
            set(Cell(character: character, style: style), row, column)
            if cells == 2 { set(Cell(character: nil, style: style), row, column + 1) }
            column += cells
        }
    }

    /// Fills a line with text, followed by spaces.
    mutating func fill(_ text: String, row: Int, column: Int, width: Int, style: Style) {
        put(CellText.fitted(text, width: max(0, width)), row: row, column: column, width: width, style: style)
    }

    /// Draws pixels in the middle of a rectangle, two in each cell, one above the other. Without colors, a cell shows
    /// the brightness of both.
    mutating func draw(_ raster: Raster, in rectangle: CellRectangle) {
        let left = rectangle.column + max(0, rectangle.width - raster.width) / 2
        let top = max(0, rectangle.height * 2 - raster.height) / 2
        for row in top / 2..<(top + raster.height + 1) / 2 {
            for x in 0..<raster.width {
                let upper = row * 2 - top
                let colors = [upper, upper + 1].map { (0..<raster.height).contains($0) ? raster[x, $0] : nil }
                let cell = hasColors ? Self.halves(colors[0], colors[1]) : Self.shade(colors.compactMap(\.self))
                set(cell, rectangle.row + row, left + x)
            }
        }
    }

    private static func halves(_ upper: RGB?, _ lower: RGB?) -> Cell {
        if upper == nil { return Cell(character: "▄", style: Style(foreground: lower)) }
        return Cell(character: "▀", style: Style(foreground: upper, background: lower))
    }

    /// A character as bright as the colors together, on a dark terminal.
    private static func shade(_ colors: [RGB]) -> Cell {
        let shades = Array(" ░▒▓█")
        // The weights of the primary colors in BT.709, in thousandths.
        var sum = 0
        for color in colors { sum += 213 * Int(color.red) + 715 * Int(color.green) + 72 * Int(color.blue) }
        let brightness = sum / (1_000 * max(1, colors.count))
        return Cell(character: shades[min(shades.count - 1, brightness * shades.count / 256)])
    }

    private mutating func set(_ cell: Cell, _ row: Int, _ column: Int) {
        guard (0..<size.rows).contains(row), (0..<size.columns).contains(column) else { return }
        var cell = cell
        if !hasColors { (cell.style.foreground, cell.style.background) = (nil, nil) }
        cells[row * size.columns + column] = cell
    }

    // MARK: Output

    /// The output that updates the screen from `old` to this buffer. Nil means that the screen's content is unknown.
    func changes(from old: ScreenBuffer?) -> String {
        var output = ""
        let old = old?.size == size ? old : nil
        if old == nil { output = "\u{1B}[0m\u{1B}[2J" }
        let known = old ?? ScreenBuffer(size, hasColors: hasColors)
        var pen = Pen()
        for row in 0..<size.rows {
            for column in 0..<size.columns {
                let index = row * size.columns + column
                guard cells[index] != known.cells[index], let character = cells[index].character else { continue }
                pen.move(to: row, column, &output)
                pen.use(cells[index].style, &output)
                pen.write(character, &output)
            }
        }
        return output + pen.rest
    }

    /// The position and style with which the terminal writes the next character.
    private struct Pen {
        private var place: (row: Int, column: Int)?
        private var style = Style()

        /// The output that restores the terminal's default style.
        var rest: String { style == Style() ? "" : "\u{1B}[0m" }

        mutating func move(to row: Int, _ column: Int, _ output: inout String) {
            if let place, place == (row, column) { return }
            output += "\u{1B}[\(row + 1);\(column + 1)H"
            place = (row, column)
        }

        mutating func use(_ next: Style, _ output: inout String) {
            guard next != style else { return }
            // Only colors can be changed separately.
            if next.isBold != style.isBold || next.isInverse != style.isInverse {
                output += "\u{1B}[0m"
                style = Style()
                if next.isBold { output += "\u{1B}[1m" }
                if next.isInverse { output += "\u{1B}[7m" }
            }
            if next.foreground != style.foreground { output += Self.color(next.foreground, 38) }
            if next.background != style.background { output += Self.color(next.background, 48) }
            style = next
        }

        /// The code for a default color is one higher than the code for an RGB color.
        private static func color(_ color: RGB?, _ code: Int) -> String {
            guard let color else { return "\u{1B}[\(code + 1)m" }
            return "\u{1B}[\(code);2;\(color.red);\(color.green);\(color.blue)m"
        }

        mutating func write(_ character: Character, _ output: inout String) {
            guard let (row, column) = place else { return }
            if CellText.width(String(character)) == 1 {
                output.append(character)
                place = (row, column + 1)
            } else {
                // Some terminals show the character in one cell. So both cells are cleared first, and the cursor is
                // moved afterwards.
                output += "  \u{1B}[\(row + 1);\(column + 1)H"
                output.append(character)
                place = nil
            }
        }
    }
}
