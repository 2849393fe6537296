import Alcedo
import AlcedoTestSupport
import Testing

@testable import AlcedoTool

@Suite struct ScreenBufferTests {
    private let size = TerminalSize(columns: 10, rows: 4)

    private func screen(showing buffers: ScreenBuffer...) -> CellScreen {
        var screen = CellScreen(columns: 10, rows: 4)
        var shown: ScreenBuffer?
        for buffer in buffers {
            screen.write(buffer.changes(from: shown))
            shown = buffer
        }
        #expect(screen.unknown == [])
        return screen
    }

    @Test func text_isWhereItWasPut() {
        var buffer = ScreenBuffer(size)
        let style = ScreenBuffer.Style(foreground: RGB(1, 2, 3), isInverse: true, isBold: true)
        buffer.put("abc", row: 1, column: 2, width: 5)
        buffer.put("too long", row: 2, column: 0, width: 5, style: style)
        buffer.put("out", row: 3, column: 8, width: 5)
        buffer.put("nowhere", row: 9, column: -3, width: 5)
        let screen = screen(showing: buffer)
        #expect(screen.lines == ["", "  abc", "too …", "        ou"])
        #expect(screen.cells[1][2] == CellScreen.Cell(character: "a"))
        #expect(
            screen.cells[2][0]
                == CellScreen.Cell(character: "t", foreground: RGB(1, 2, 3), isInverse: true, isBold: true))
    }

    @Test func wideCharacters_takeTwoCells() {
        var buffer = ScreenBuffer(size)
        buffer.put("鳥b", row: 0, column: 0, width: 10)
        var other = buffer
        other.put("x", row: 0, column: 0, width: 1)
        other.put("yz", row: 0, column: 1, width: 2)
        #expect(screen(showing: buffer).line(0) == "鳥 b")
        #expect(screen(showing: buffer, other).line(0) == "xyz")
    }

    @Test func pixels_areHalvesOfCells() throws {
        let bitmap = try Pictures.make(2, 3) { x, y in [UInt8(x * 100), UInt8(y * 50), 7, 255] }
        var buffer = ScreenBuffer(size)
        let raster = Raster(bitmap, width: 2, height: 3, over: .checker(1))
        buffer.draw(raster, in: CellRectangle(column: 1, row: 0, width: 4, height: 2))
        let screen = screen(showing: buffer)
        #expect(screen.cells[0][2].pixels == [RGB(0, 0, 7), RGB(0, 50, 7)])
        #expect(screen.cells[0][3].pixels == [RGB(100, 0, 7), RGB(100, 50, 7)])
        #expect(screen.cells[1][3].pixels == [RGB(100, 100, 7), nil])
        #expect(screen.cells[0][1] == CellScreen.Cell())
    }

    @Test func picture_isInTheMiddle_evenByHalfACell() throws {
        let raster = Raster(try Pictures.plain(1, 2, [9, 8, 7, 255]), width: 1, height: 2, over: .checker(1))
        var buffer = ScreenBuffer(size)
        buffer.draw(raster, in: CellRectangle(column: 0, row: 0, width: 3, height: 2))
        let screen = screen(showing: buffer)
        #expect(screen.cells[0][1].pixels == [nil, RGB(9, 8, 7)])
        #expect(screen.cells[1][1].pixels == [RGB(9, 8, 7), nil])
    }

    @Test func withoutColors_pixelsAreCharacters() throws {
        let grays: [UInt8] = [0, 60, 110, 160, 255]
        let picture = try Pictures.make(5, 2) { x, _ in [grays[x], grays[x], grays[x], 255] }
        let raster = Raster(picture, width: 5, height: 2, over: .plain(RGB(0, 0, 0)))
        var buffer = ScreenBuffer(size, hasColors: false)
        buffer.draw(raster, in: CellRectangle(column: 0, row: 0, width: 5, height: 1))
        let style = ScreenBuffer.Style(foreground: RGB(1, 2, 3), background: RGB(4, 5, 6), isInverse: true)
        buffer.put("text", row: 1, column: 0, width: 4, style: style)
        let screen = screen(showing: buffer)
        #expect(screen.lines == [" ░▒▓█", "text", "", ""])
        #expect(screen.cells.joined().allSatisfy { $0.foreground == nil && $0.background == nil })
        #expect(screen.cells[1][0].isInverse)
    }

    @Test func onlyChanges_areSent() {
        var buffer = ScreenBuffer(size)
        buffer.put("abc", row: 1, column: 2, width: 5)
        var next = buffer
        #expect(next.changes(from: buffer) == "")
        next.put("X", row: 1, column: 3, width: 1)
        #expect(next.changes(from: buffer) == "\u{1B}[2;4HX")
        next.put("Y", row: 3, column: 0, width: 1, style: .init(foreground: RGB(1, 2, 3)))
        #expect(next.changes(from: buffer) == "\u{1B}[2;4HX\u{1B}[4;1H\u{1B}[38;2;1;2;3mY\u{1B}[0m")
        #expect(screen(showing: buffer, next).lines == ["", "  aXc", "", "Y"])
    }

    @Test func otherSize_isDrawnAnew() {
        let small = ScreenBuffer(TerminalSize(columns: 3, rows: 2))
        #expect(ScreenBuffer(size).changes(from: small).hasPrefix("\u{1B}[0m\u{1B}[2J"))
    }

    /// From any content to any other.
    @Test func changes_leadToTheSameScreen() {
        var random = SeededRandom(seed: 7)
        var shown: ScreenBuffer?
        var screen = CellScreen(columns: 10, rows: 4)
        for _ in 0..<200 {
            var buffer = shown ?? ScreenBuffer(size)
            for _ in 0..<Int.random(in: 0..<8, using: &random) {
                let color = Bool.random(using: &random) ? RGB(UInt8.random(in: 0..<3, using: &random), 0, 0) : nil
                buffer.put(
                    ["a", "bc", "  "].randomElement(using: &random) ?? "", row: Int.random(in: 0..<4, using: &random),
                    column: Int.random(in: 0..<10, using: &random), width: 2,
                    style: .init(
                        foreground: color, background: Bool.random(using: &random) ? color : nil,
                        isInverse: Bool.random(using: &random), isBold: Bool.random(using: &random)))
            }
            screen.write(buffer.changes(from: shown))
            shown = buffer
            var fresh = CellScreen(columns: 10, rows: 4)
            fresh.write(buffer.changes(from: nil))
            #expect(screen.cells == fresh.cells)
        }
    }

    @Test func errors_areWrappedAtSpaces() {
        #expect(TileText.wrapped("the server answered with 404", width: 10) == ["the server", "answered", "with 404"])
        #expect(TileText.wrapped("incomprehensible", width: 5) == ["inco…"])
        #expect(TileText.wrapped("", width: 5) == [])
    }
}
