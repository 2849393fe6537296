#if os(Linux)
import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

/// What `alcedo view` shows on a pseudo-terminal. On 80 × 20 cells there are two rows of three pictures.
@Suite(.timeLimit(.minutes(2))) struct ViewProgramTests {
    private let up = "\u{1B}[A"
    private let right = "\u{1B}[C"
    private let pageDown = "\u{1B}[6~"

    @Test func grid_hasThePictures_withTheirNames() async throws {
        let fixture = try ViewFixture()
        let tool = try fixture.view(6)
        let screen = try await tool.until { $0.shows(0..<6) && $0.status.contains("fresh for") }
        #expect(screen.isAlternate && !screen.isCursorVisible)
        let layout = GridLayout(screen.size, columns: nil)
        #expect(layout.capacity == 6)
        for position in 0..<6 {
            let tile = layout.tile(position)
            let caption = String(screen.cells[tile.row + tile.height - 1].map(\.character)).dropFirst(tile.column + 1)
            #expect(caption.hasPrefix("\(position).png "))
        }
        #expect(screen.isSelected(0) && !screen.isSelected(1))
        #expect(screen.status.hasPrefix(" 1/6 0.png · png, 64 × 48 · network · fresh for "))
        try tool.type("q")
        #expect(try await tool.untilExit() == 0)
    }

    @Test func arrows_moveTheSelection() async throws {
        let fixture = try ViewFixture()
        let tool = try fixture.view(6)
        try await tool.until { $0.shows(0..<6) && $0.isSelected(0) }
        try tool.type(right)
        try await tool.until { $0.isSelected(1) && !$0.isSelected(0) && $0.status.hasPrefix(" 2/6 1.png · png") }
        try tool.type("j")
        try await tool.until { $0.isSelected(4) && $0.status.hasPrefix(" 5/6 4.png · png") }
        try tool.type(up + "h")
        try await tool.until { $0.isSelected(0) && !$0.isSelected(4) && $0.status.hasPrefix(" 1/6") }
        try tool.type("?")
        try await tool.until { $0.status.contains("arrows move") }
        try tool.type("?p")
        try await tool.until { $0.status.hasSuffix(" paused") }
    }

    @Test func nextPage_cancelsWhatHasGone_andThenPrefetches() async throws {
        let fixture = try ViewFixture { _ in .manual }
        let tool = try fixture.view(18)
        var first: [LoopbackServer.Exchange] = []
        for _ in 0..<6 { first.append(try await fixture.server.nextRequest()) }
        #expect(Set(first.map { ViewFixture.number(of: $0.request.path) }) == Set(0..<6))
        // Placeholders.
        try await tool.until { screen in
            let layout = GridLayout(screen.size, columns: nil)
            return (0..<6).allSatisfy { screen.color(in: layout.picture($0)) == TileText.background }
        }
        try tool.type(pageDown)
        for exchange in first { #expect(try await exchange.connectionClosed() == .byClient) }
        var second: [LoopbackServer.Exchange] = []
        for _ in 0..<6 { second.append(try await fixture.server.nextRequest()) }
        #expect(Set(second.map { ViewFixture.number(of: $0.request.path) }) == Set(6..<12))
        for exchange in second {
            exchange.reply(.bytes(try ViewFixture.png(ViewFixture.number(of: exchange.request.path))))
        }
        try await tool.until { $0.shows(6..<12) && $0.status.hasPrefix(" 7/18 6.png · png") }
        // What comes next is loaded before it is in sight.
        for _ in 0..<6 {
            let exchange = try await fixture.server.nextRequest()
            let number = ViewFixture.number(of: exchange.request.path)
            #expect((12..<18).contains(number))
            exchange.reply(.bytes(try ViewFixture.png(number)).header("Cache-Control", "max-age=600"))
        }
        try tool.type(pageDown)
        try await tool.until { $0.shows(12..<18) }
        #expect(fixture.server.statistics.requests == 18)
    }

    @Test func enter_showsOnePicture_andEscapeTheGrid() async throws {
        let fixture = try ViewFixture()
        let tool = try fixture.view(8)
        try await tool.until { $0.shows(0..<6) }
        try tool.type(right + "\r")
        let whole = GridLayout(singleIn: TerminalSize(columns: 80, rows: 20)).tile(0)
        try await tool.until { screen in
            screen.color(in: whole) == ViewFixture.color(1) && !screen.contains("0.png")
                && screen.status.hasPrefix(" 2/8")
        }
        try tool.type(" ")
        try await tool.until { $0.color(in: whole) == ViewFixture.color(2) && $0.status.hasPrefix(" 3/8 2.png · png") }
        try tool.type("\u{1B}")
        try await tool.until { $0.shows(0..<6) && $0.isSelected(2) }
        try tool.type("\r")
        try await tool.until { $0.color(in: whole) == ViewFixture.color(2) && !$0.contains("0.png") }
        try tool.type("q")
        try await tool.until { $0.shows(0..<6) && $0.isSelected(2) }
        try tool.type("q")
        #expect(try await tool.untilExit() == 0)
    }

    @Test func screen_canChangeItsSize() async throws {
        let fixture = try ViewFixture()
        let tool = try fixture.view(20)
        try await tool.until { $0.shows(0..<6) }
        try tool.resize(TerminalSize(columns: 160, rows: 50))
        #expect(GridLayout(TerminalSize(columns: 160, rows: 50), columns: nil).capacity >= 20)
        try await tool.until { $0.shows(0..<20) && $0.status.contains("1/20 0.png") }
        try tool.resize(TerminalSize(columns: 30, rows: 10))
        try await tool.until { $0.shows(0..<1) && $0.status.hasPrefix(" 1/20") }
        try tool.type("+")
        try await tool.until { $0.shows(0..<2, columns: 2) }
        #expect(tool.screen.unknown == [])
    }

    @Test func animation_plays() async throws {
        let colors: [SIMD4<UInt8>] = [[255, 0, 0, 255], [0, 0, 255, 255], [0, 255, 0, 255]]
        let gif = try ViewFixture.gif(colors)
        let fixture = try ViewFixture { $0 == 1 ? .bytes(gif) : nil }
        let tool = try fixture.view(2)
        let place = GridLayout(TerminalSize(columns: 80, rows: 20), columns: nil).picture(1)
        for color in colors + colors {
            try await tool.until { $0.color(in: place) == RGB(color.x, color.y, color.z) }
        }
        try tool.type(right)
        try await tool.until { $0.status.contains("gif, 40 × 30, 3 frames") }
    }

    @Test func preview_isShownWhileTheRestIsMissing() async throws {
        var random = SeededRandom(seed: 1)
        // Hard to compress, and never dark.
        let png = try PNGEncoder().encode(
            Pictures.make(300, 200) { _, _ in
                [.random(in: 200...255, using: &random), .random(in: 200...255, using: &random), 200, 255]
            })
        #expect(png.count > 64 << 10)
        let fixture = try ViewFixture { _ in .manual }
        let tool = try fixture.view(1)
        let exchange = try await fixture.server.nextRequest()
        exchange.sendHead(length: png.count)
        exchange.send(png.prefix(png.count / 2))
        let place = GridLayout(TerminalSize(columns: 80, rows: 20), columns: nil).picture(0)
        let column = place.column + place.width / 2
        @Sendable func isThere(_ screen: CellScreen, _ row: Int) -> Bool {
            (screen.cells[row][column].pixels[0]?.red ?? 0) > 190
        }
        // The upper part is there.
        let part = try await tool.until { $0.status.contains("preview, ") && isThere($0, place.row + 2) }
        #expect(part.cells[place.row + place.height - 3][column].pixels[1] == TileText.background)
        exchange.send(png.dropFirst(png.count / 2))
        exchange.finish()
        try await tool.until { screen in
            isThere(screen, place.row + place.height - 3) && screen.status.contains("png, 300 × 200 · network")
        }
    }

    @Test func failure_isShown_andCanBeRetried() async throws {
        let fixture = try ViewFixture { $0 == 1 ? .status(404) : nil }
        let tool = try fixture.view(2, "nonsense://x")
        let layout = GridLayout(TerminalSize(columns: 80, rows: 20), columns: nil)
        try await tool.until { $0.contains("status 404") && $0.contains("unsupported") }
        try tool.type(right)
        try await tool.until { screen in
            screen.color(in: layout.picture(1)) == ViewFixture.color(0)
                && screen.status.hasPrefix(" 2/3 0.png")
        }
        try tool.type(right)
        try await tool.until { $0.status.hasPrefix(" 3/3 1.png · failed: the server answered with status 404") }
        let png = try ViewFixture.png(1)
        fixture.server.handle("/1.png") { _ in .bytes(png) }
        try tool.type("r")
        try await tool.until { $0.color(in: layout.picture(2)) == ViewFixture.color(1) && !$0.contains("404") }
    }

    @Test func list_isReadFromStandardInput() async throws {
        let fixture = try ViewFixture()
        let list = "# pictures\n\(fixture.url(0))\n\n\(fixture.url(1))\n"
        try Data(list.utf8).write(to: fixture.temporary.url.appendingPathComponent("list"))
        let tool = try ViewFixture.Process(
            ["view", "--timeout", "3600", "-"], screen: CellScreen(), in: fixture.temporary,
            script: #"exec "$0" "$@" < list"#)
        try await tool.until { $0.shows(0..<2) }
        try tool.type("q")
        #expect(try await tool.untilExit() == 0)
    }

    @Test(
        arguments: [
            ("LC_ALL=C", ViewObstacle.otherEncoding(locale: "C")), ("TERM=dumb", .dumbTerminal),
        ])
    func otherTerminal_isAFailure(_ setting: String, _ obstacle: ViewObstacle) async throws {
        let fixture = try ViewFixture()
        let tool = try ToolProcess(
            ["view", fixture.url(0)], screen: TestScreen(columns: 120), in: fixture.temporary,
            script: setting + #" exec "$0" "$@""#)
        #expect(try await tool.untilExit() == 1)
        #expect(tool.screen.lines == ["alcedo view: \(obstacle.reason)", obstacle.remedy])
        #expect(!tool.screen.hasControls)
    }

    @Test func pipe_isAFailure() async throws {
        let fixture = try ViewFixture()
        let tool = try ToolProcess(["view", fixture.url(0)], on: nil, in: fixture.temporary)
        #expect(try await tool.untilExit() == 1)
        #expect(
            tool.screen.lines == ["alcedo view: \(ViewObstacle.noTerminal.reason)", ViewObstacle.noTerminal.remedy])
        #expect(!tool.screen.hasControls)
    }
}
#endif
