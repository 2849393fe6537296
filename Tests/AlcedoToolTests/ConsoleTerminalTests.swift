import Foundation
import Testing

@testable import AlcedoTool

/// What a console writes to a terminal.
@Suite(.timeLimit(.minutes(1))) struct ConsoleTerminalTests {
    private func screen(_ console: Console) -> TestScreen {
        var screen = TestScreen()
        screen.write(console.screen.replacing("\n", with: "\r\n"))
        return screen
    }

    private func bars(_ finished: Int) -> ProgressBars {
        var bars = ProgressBars(total: 9)
        for name in ["a", "b"] { _ = bars.receive(.downloadStarted(URL(fileURLWithPath: "/\(name).png"))) }
        bars.finished = finished
        return bars
    }

    @Test func lines_goAboveTheBars() {
        let console = Console(capturing: TerminalSize())
        console.draw(bars(1))
        console.print("first")
        console.draw(bars(2))
        console.error("an error")
        console.print("second")
        let screen = screen(console)
        #expect(screen.lines.count == 6)
        #expect(screen.lines.prefix(3) == ["first", "an error", "second"])
        #expect(screen.lines.last == "2 of 9 · 0 B")
        #expect(screen.cursor == [3, 0])
        #expect(console.output == "first\nsecond\n")
        #expect(console.errors == "an error\n")
        #expect(screen.unknown.isEmpty)
    }

    @Test func bars_areErased_withWhatTheUserTyped() {
        let console = Console(capturing: TerminalSize())
        console.print("first")
        console.draw(bars(1))
        var screen = screen(console)
        let drawn = console.screen.count
        screen.write("^C")
        console.draw(nil)
        screen.write(String(console.screen.dropFirst(drawn)).replacing("\n", with: "\r\n"))
        #expect(screen.lines == ["first"])
        #expect(screen.cursor == [1, 0])
    }

    @Test func bars_areDrawnAnew_ifTheyWere() {
        let console = Console(capturing: TerminalSize())
        console.redraw()
        #expect(console.screen.isEmpty)
        console.draw(bars(1))
        let lines = screen(console).lines
        console.redraw()
        #expect(screen(console).lines == lines)
        console.draw(nil)
        #expect(screen(console).lines.isEmpty)
    }

    @Test func question_isOneLine_beforeTheAnswer() {
        let console = Console(capturing: TerminalSize())
        console.ask("Remove it\n? [y/N]")
        #expect(console.output == #"Remove it\n? [y/N] "#)
    }

    @Test func nothing_isDrawnInAPipe() {
        let console = Console(capturing: ())
        console.draw(bars(1))
        console.print("line")
        console.redraw()
        console.draw(nil)
        #expect(console.output == "line\n")
        #expect(console.errors.isEmpty && console.screen.isEmpty)
    }

    @Test func display_drawsTheLastChange_andRemovesIt() async throws {
        let console = Console(capturing: TerminalSize())
        let display = ProgressDisplay(console: console, total: 2)
        let url = try #require(URL(string: "http://h/a.png"))
        display.receive(.downloadStarted(url))
        await display.during {
            display.receive(.downloadProgress(url, received: 5, expected: 10))
            display.update { $0.finish(isGood: false) }
        }
        let screen = screen(console)
        #expect(screen.lines.isEmpty)
        #expect(screen.cursor == [0, 0])
        #expect(screen.unknown.isEmpty)
    }

    @Test func display_isSilentWithoutATerminal() async throws {
        let console = Console(capturing: ())
        let display = ProgressDisplay(console: console, total: 2)
        let result = await display.during {
            display.update { $0.finish(isGood: true) }
            return 7
        }
        #expect(result == 7)
        #expect(console.output.isEmpty && console.screen.isEmpty)
    }
}
