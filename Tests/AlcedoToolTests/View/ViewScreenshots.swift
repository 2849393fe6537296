#if os(Linux)
import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

private let screenshotDirectory = ProcessInfo.processInfo.environment["ALCEDO_PICTURES"]

/// The pictures in the article on viewing.
///
/// `ALCEDO_PICTURES=Docs/Alcedo.docc/Resources swift test --filter ViewScreenshots` makes them anew.
@Suite(.enabled(if: screenshotDirectory != nil), .timeLimit(.minutes(5))) struct ViewScreenshots {
    @Test func grid_andOnePicture() async throws {
        let directory = URL(fileURLWithPath: try #require(screenshotDirectory), isDirectory: true)
        let temporary = try TemporaryDirectory()
        let server = try DemoServer(try await DemoPictures(reduction: 2).make())
        // Landscapes and badges by turns.
        var urls: [String] = []
        for number in 0..<48 { urls.append(server.urls[number % 4 == 3 ? 48 + number / 4 : number].absoluteString) }
        let screen = CellScreen(columns: 124, rows: 37)
        let tool = try ToolProcess(
            ["view", "--columns", "4"] + urls, screen: screen, in: temporary)
        let isLoaded = { @Sendable (screen: CellScreen) in
            !screen.isInFrame && screen.status.contains(" ms")
                && !screen.lines.dropLast().contains { $0.contains(" %") || $0.contains("…") }
        }
        try await tool.until(isLoaded)
        try tool.type("\u{1B}[B\u{1B}[C")
        let grid = try await tool.until { isLoaded($0) && $0.status.hasPrefix(" 6/48") }
        try tool.type("\r")
        let single = try await tool.until { isLoaded($0) && !$0.contains("▐") }
        for (screen, name) in [(grid, "view-grid.svg"), (single, "view-single.svg")] {
            try Data(ScreenPicture(screen: screen).svg().utf8).write(to: directory.appendingPathComponent(name))
        }
    }
}

/// A drawing of a screen: its pixels as a PNG, and its text as text.
struct ScreenPicture {
    let screen: CellScreen

    private static let ink = RGB(210, 210, 210)
    private static let paper = RGB(0, 0, 0)
    /// The size of a cell.
    private static let (width, height) = (8, 16)

    func svg() throws -> String {
        let size = screen.size
        let (width, height) = (size.columns * Self.width, size.rows * Self.height)
        let png = try PNGEncoder().encode(pixels()).base64EncodedString()
        let head = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" \
            width="\(width)" height="\(height)">
            <image width="\(width)" height="\(height)" href="data:image/png;base64,\(png)"/>
            <g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="13" xml:space="preserve">

            """
        return head + screen.cells.indices.map { text(inRow: $0) }.joined() + "</g>\n</svg>\n"
    }

    /// In full size: many programs blur what they enlarge.
    private func pixels() throws -> Bitmap {
        try Pictures.make(screen.size.columns * Self.width, screen.size.rows * Self.height) { x, y in
            let cell = screen.cells[y / Self.height][x / Self.width]
            let (isUpper, isLeft) = (y % Self.height < Self.height / 2, x % Self.width < Self.width / 2)
            let (ink, paper) = colors(of: cell)
            let isInk =
                switch cell.character {
                case "▀": isUpper
                case "▄": !isUpper
                case "▌": isLeft
                case "▐": !isLeft
                default: false
                }
            let color = isInk ? ink : paper
            return [color.red, color.green, color.blue, 255]
        }
    }

    private func colors(of cell: CellScreen.Cell) -> (ink: RGB, paper: RGB) {
        let (ink, paper) = (cell.foreground ?? Self.ink, cell.background ?? Self.paper)
        return cell.isInverse ? (paper, ink) : (ink, paper)
    }

    /// An element for each stretch of text in one color.
    private func text(inRow row: Int) -> String {
        var (elements, run, start) = ("", "", 0)
        var color = Self.ink
        func end() {
            let letters = run.trimmingCharacters(in: .whitespaces)
            if !letters.isEmpty {
                let length = run.count * Self.width
                let fill = "rgb(\(color.red),\(color.green),\(color.blue))"
                let safe = run.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
                elements +=
                    #"<text x="\#(start * Self.width)" y="\#(row * Self.height + 12)" textLength="\#(length)" "#
                    + #"fill="\#(fill)">\#(safe)</text>"# + "\n"
            }
            run = ""
        }
        for (column, cell) in screen.cells[row].enumerated() {
            if "▀▄▌▐".contains(cell.character) {
                end()
                continue
            }
            if run.isEmpty { (start, color) = (column, colors(of: cell).ink) }
            if colors(of: cell).ink != color {
                end()
                (start, color) = (column, colors(of: cell).ink)
            }
            run.append(cell.character)
        }
        end()
        return elements
    }
}
#endif
