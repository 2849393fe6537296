import Alcedo
import Foundation

@testable import AlcedoTool

/// The screen of a terminal with cells and colors, as a program sees it that uses all of it.
///
/// With `canDrawImages` it also answers and obeys kitty's graphics commands. It knows only what `alcedo view` writes.
struct CellScreen: ToolScreen {
    struct Cell: Sendable, Equatable {
        var character: Character = " "
        var foreground: RGB?
        var background: RGB?
        var isInverse = false
        var isBold = false

        /// The colors of the two pixels that a half block shows.
        var pixels: [RGB?] { character == "▄" ? [background, foreground] : [foreground, background] }
    }

    /// A picture that was transmitted.
    struct Image: Sendable, Equatable {
        var width: Int
        var height: Int
        /// Red, green and blue, row by row.
        var bytes: [UInt8]
        /// Whether it came as a PNG.
        var isPNG = false

        subscript(x: Int, y: Int) -> RGB {
            let offset = (y * width + x) * 3
            return RGB(bytes[offset], bytes[offset + 1], bytes[offset + 2])
        }
    }

    private(set) var size: TerminalSize
    let canDrawImages: Bool
    private(set) var cells: [[Cell]]
    private(set) var isAlternate = false
    /// How often a program has taken the whole screen.
    private(set) var entries = 0
    private(set) var isCursorVisible = true
    private(set) var wraps = true
    private(set) var images: [Int: Image] = [:]
    /// Where images are shown, by their numbers.
    private(set) var placements: [Int: CellRectangle] = [:]
    /// Whether the program is drawing.
    private(set) var isInFrame = false
    /// Sequences that this screen doesn't know.
    private(set) var unknown: [String] = []
    private var ordinary: [[Cell]] = []
    private var savedCursor = (row: 0, column: 0)
    private var (row, column) = (0, 0)
    private var pen = Cell()
    private var pending: [UInt8] = []
    private var replies: [UInt8] = []
    private var transmission: (keys: [Substring: Substring], payload: String)?

    init(columns: Int = 80, rows: Int = 20, canDrawImages: Bool = false) {
        size = TerminalSize(columns: columns, rows: rows)
        self.canDrawImages = canDrawImages
        cells = Self.blank(size)
    }

    private static func blank(_ size: TerminalSize) -> [[Cell]] {
        Array(repeating: Array(repeating: Cell(), count: size.columns), count: size.rows)
    }

    // MARK: What it shows

    func line(_ row: Int) -> String {
        String(cells[row].map(\.character).reversed().drop { $0 == " " }.reversed())
    }

    var lines: [String] { cells.indices.map { line($0) } }

    var status: String { line(size.rows - 1) }

    func contains(_ text: String) -> Bool { lines.contains { $0.contains(text) } }

    /// Row and column of the first cell of a text.
    func place(of text: String) -> (row: Int, column: Int)? {
        for (row, line) in lines.enumerated() {
            guard let range = line.firstRange(of: text) else { continue }
            return (row, line.distance(from: line.startIndex, to: range.lowerBound))
        }
        return nil
    }

    /// The color in the middle of a place; nil if its pixels differ there.
    func color(in place: CellRectangle) -> RGB? {
        let pixels = cells[place.row + place.height / 2][place.column + place.width / 2].pixels
        return pixels[0] == pixels[1] ? pixels[0] : nil
    }

    /// Whether a program has left nothing behind.
    var isRestored: Bool {
        !isAlternate && isCursorVisible && wraps && pen == Cell() && images.isEmpty && unknown.isEmpty
    }

    // MARK: What it gets

    mutating func resize(_ size: TerminalSize) {
        func fitted(_ old: [[Cell]]) -> [[Cell]] {
            var new = Self.blank(size)
            for (row, line) in old.prefix(size.rows).enumerated() {
                for (column, cell) in line.prefix(size.columns).enumerated() { new[row][column] = cell }
            }
            return new
        }
        (cells, ordinary, self.size) = (fitted(cells), fitted(ordinary), size)
        (row, column) = (min(row, size.rows - 1), min(column, size.columns - 1))
    }

    mutating func write(_ new: some Sequence<UInt8>) {
        for byte in new {
            pending.append(byte)
            take()
        }
    }

    mutating func write(_ text: String) { write(text.utf8) }

    mutating func takeReplies() -> [UInt8] {
        defer { replies = [] }
        return replies
    }

    private mutating func take() {
        switch pending[0] {
        case 13: column = 0
        case 10: lineFeed()
        case 27:
            if pending.count < 3 { return }
            if pending[1] == UInt8(ascii: "_") {
                let last = pending.count - 1
                guard pending[last] == UInt8(ascii: "\\"), pending[last - 1] == 27 else { return }
                graphics(String(decoding: pending.dropFirst(2).dropLast(2), as: UTF8.self))
            } else {
                guard let last = pending.last, (0x40...0x7E).contains(last) else { return }
                perform(String(decoding: pending.dropFirst(2), as: UTF8.self))
            }
        case ..<32, 127: unknown.append("\(pending)")
        default:
            guard let text = String(validating: pending, as: UTF8.self), let character = text.first else { return }
            put(character)
        }
        pending = []
    }

    private mutating func put(_ character: Character) {
        if column == size.columns {
            if wraps {
                column = 0
                lineFeed()
            } else {
                column -= 1
            }
        }
        pen.character = character
        cells[row][column] = pen
        pen.character = " "
        column += 1
    }

    private mutating func lineFeed() {
        if row + 1 < size.rows {
            row += 1
        } else {
            cells.removeFirst()
            cells.append(Array(repeating: Cell(), count: size.columns))
        }
    }

    private mutating func perform(_ sequence: String) {
        switch sequence {
        case "?1049h":
            if !isAlternate { (ordinary, savedCursor) = (cells, (row, column)) }
            (cells, isAlternate) = (Self.blank(size), true)
            entries += 1
        case "?1049l":
            if isAlternate { (cells, row, column) = (ordinary, savedCursor.row, savedCursor.column) }
            isAlternate = false
        case "?25l": isCursorVisible = false
        case "?25h": isCursorVisible = true
        case "?7l": wraps = false
        case "?7h": wraps = true
        case "?2026h": isInFrame = true
        case "?2026l": isInFrame = false
        case "2J": cells = Self.blank(size)
        case "c": replies += Array("\u{1B}[?62;22c".utf8)
        case _ where sequence.hasSuffix("H"):
            let numbers = sequence.dropLast().split(separator: ";").compactMap { Int($0) }
            (row, column) = (min(size.rows, numbers[0]) - 1, min(size.columns, numbers[1]) - 1)
        case _ where sequence.hasSuffix("m"): style(sequence.dropLast().split(separator: ";").compactMap { Int($0) })
        default: unknown.append(sequence)
        }
    }

    private mutating func style(_ numbers: [Int]) {
        func color() -> RGB { RGB(UInt8(numbers[2]), UInt8(numbers[3]), UInt8(numbers[4])) }
        switch (numbers.first, numbers.count) {
        case (0, 1): pen = Cell()
        case (1, 1): pen.isBold = true
        case (7, 1): pen.isInverse = true
        case (38, 5): pen.foreground = color()
        case (48, 5): pen.background = color()
        case (39, 1): pen.foreground = nil
        case (49, 1): pen.background = nil
        default: unknown.append("\(numbers)m")
        }
    }

    // MARK: Images

    private mutating func graphics(_ text: String) {
        // Terminals without images ignore all this.
        guard canDrawImages, text.first == "G" else { return }
        let parts = text.dropFirst().split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
        var keys: [Substring: Substring] = [:]
        for pair in parts[0].split(separator: ",") {
            let sides = pair.split(separator: "=")
            keys[sides[0]] = sides[1]
        }
        let payload = parts.count > 1 ? String(parts[1]) : ""
        let id = keys["i"].flatMap { Int($0) } ?? 0
        switch keys["a"] {
        case "q": replies += Array("\u{1B}_Gi=\(id);OK\u{1B}\\".utf8)
        case "t", nil: receive(keys, payload)
        case "p":
            guard images[id] != nil, let width = keys["c"].flatMap({ Int($0) }) else { return note(text) }
            let height = keys["r"].flatMap { Int($0) } ?? 0
            placements[id] = CellRectangle(column: column, row: row, width: width, height: height)
        case "d":
            if keys["d"] == "A" { (images, placements) = ([:], [:]) }
            (images[id], placements[id]) = (nil, nil)
        default: note(text)
        }
    }

    /// A chunk of a picture.
    private mutating func receive(_ keys: [Substring: Substring], _ payload: String) {
        if keys["a"] == "t" { transmission = (keys, "") }
        guard payload.utf8.count <= 4_096, transmission != nil else { return note("a chunk") }
        transmission?.payload += payload
        guard keys["m"] == "0", let (first, text) = transmission else { return }
        transmission = nil
        guard let id = first["i"].flatMap({ Int($0) }), let bytes = Data(base64Encoded: text),
            let image = first["f"] == "100" ? Self.decode(bytes) : Self.pixels(bytes, first)
        else { return note("a picture") }
        images[id] = image
        placements[id] = nil
    }

    private static func pixels(_ bytes: Data, _ keys: [Substring: Substring]) -> Image? {
        guard keys["f"] == "24", let width = keys["s"].flatMap({ Int($0) }),
            let height = keys["v"].flatMap({ Int($0) }), bytes.count == width * height * 3
        else { return nil }
        return Image(width: width, height: height, bytes: Array(bytes))
    }

    private static func decode(_ png: Data) -> Image? {
        do {
            let image = try ImageDecoders.builtIn.decode(png)
            let pixels = image.bitmap.withBytes { bytes in
                (0..<bytes.byteCount).filter { $0 % 4 < 3 }.map { bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
            }
            guard image.format == .png else { return nil }
            return Image(width: image.size.width, height: image.size.height, bytes: pixels, isPNG: true)
        } catch {
            return nil
        }
    }

    private mutating func note(_ text: String) { unknown.append(text) }
}
