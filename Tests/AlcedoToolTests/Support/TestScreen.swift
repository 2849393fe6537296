/// The screen of a terminal that knows only what the tool writes.
///
/// It never scrolls, so it shows everything that was written. Text is kept in lines as they were written; a line that
/// is longer than the terminal is wide takes several rows. All characters are one cell wide.
struct TestScreen: Sendable {
    /// How rows change with the width.
    enum Kind: Sendable, CaseIterable {
        /// Lines are wrapped anew, as GNOME's terminal and kitty do.
        case wrapping
        /// Rows are cut off, as xterm does.
        case cutting
    }

    let kind: Kind
    /// Whether it shows what a pipe got: without a terminal's line ends, and without a width.
    private var isPipe = false
    private(set) var columns: Int
    private var cells: [[Character]] = [[]]
    private var line = 0
    /// May be behind the last cell, until the next character goes to the next row.
    private var column = 0
    private var wraps = true
    /// What isn't text yet: bytes of a character or of a sequence.
    private var pending: [UInt8] = []
    /// Sequences that this screen doesn't know.
    private(set) var unknown: [String] = []
    private(set) var bytes: [UInt8] = []

    init(_ kind: Kind = .wrapping, columns: Int = 80) {
        self.kind = kind
        self.columns = columns
    }

    static var pipe: TestScreen {
        var screen = TestScreen(columns: 1_000_000)
        screen.isPipe = true
        return screen
    }

    /// The lines up to the last one with text, without spaces at their ends.
    var lines: [String] {
        var texts = cells.map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }
        while texts.last == "" { texts.removeLast() }
        return texts
    }

    /// Where the next character goes: the number of the line, and the cell in it.
    var cursor: [Int] { [line, column] }

    /// Whether there are sequences or other control characters in what was written, apart from line ends.
    var hasControls: Bool { bytes.contains { ($0 < 32 || $0 == 127) && $0 != 10 && $0 != 13 } }

    mutating func resize(columns new: Int) {
        if kind == .cutting {
            var rows: [[Character]] = []
            var row = 0
            for (index, line) in cells.enumerated() {
                if index == self.line { row = rows.count + column / columns }
                let starts = stride(from: 0, to: max(1, line.count), by: columns)
                rows += starts.map { Array(line[$0..<min(line.count, $0 + columns)].prefix(new)) }
            }
            (cells, line, column) = (rows, row, min(column % columns, new))
        }
        columns = new
    }

    mutating func write(_ new: some Sequence<UInt8>) {
        for byte in new {
            bytes.append(byte)
            pending.append(byte)
            take()
        }
    }

    mutating func write(_ text: String) { write(text.utf8) }

    private mutating func take() {
        switch pending[0] {
        case 13: column -= column % columns == 0 && column > 0 ? columns : column % columns
        case 10: down()
        case 27:
            // A sequence ends with a letter.
            guard pending.count > 2, let last = pending.last, (0x40...0x7E).contains(last) else { return }
            perform(String(decoding: pending.dropFirst(2), as: UTF8.self))
        case ..<32, 127: unknown.append("\(pending)")
        default:
            guard let text = String(validating: pending, as: UTF8.self), let character = text.first else { return }
            put(character)
        }
        pending = []
    }

    private mutating func perform(_ sequence: String) {
        switch sequence {
        case "J":
            cells[line] = Array(cells[line].prefix(column))
            cells.removeSubrange((line + 1)...)
        case "?7l": wraps = false
        case "?7h": wraps = true
        case _ where sequence.hasSuffix("A"): for _ in 0..<(Int(sequence.dropLast()) ?? 1) { up() }
        default: unknown.append(sequence)
        }
    }

    private mutating func put(_ character: Character) {
        // Without wrapping, all that goes beyond the row replaces its last cell.
        if !wraps, column > 0, column % columns == 0 { column -= 1 }
        while cells[line].count <= column { cells[line].append(" ") }
        cells[line][column] = character
        column += 1
    }

    private mutating func down() {
        // Behind the last cell of a row it is still in that row.
        let row = (column > 0 && column % columns == 0 ? column - 1 : column) / columns * columns
        if row + columns < cells[line].count {
            column += columns
        } else {
            line += 1
            column -= row
            if line == cells.count { cells.append([]) }
        }
        if isPipe { column = 0 }
    }

    private mutating func up() {
        if column >= columns {
            column -= columns
        } else if line > 0 {
            line -= 1
            column += max(0, cells[line].count - 1) / columns * columns
        }
    }
}
