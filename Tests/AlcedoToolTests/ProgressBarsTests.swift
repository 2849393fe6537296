import Foundation
import Testing

@testable import AlcedoTool

@Suite struct ProgressBarsTests {
    private func bars(_ urls: [String], total: Int? = nil) throws -> ProgressBars {
        var bars = ProgressBars(total: total)
        for url in urls { _ = bars.receive(.downloadStarted(try #require(URL(string: url)))) }
        return bars
    }

    private func lines(_ bars: ProgressBars, columns: Int, rows: Int = 24) -> [String] {
        bars.lines(in: TerminalSize(columns: columns, rows: rows))
    }

    @Test func download_isABarOfItsShare() throws {
        let url = try #require(URL(string: "http://h/x/a.png?b"))
        var bars = try bars([url.absoluteString])
        var changes: [Bool] = []
        changes.append(bars.receive(.downloadProgress(url, received: 250, expected: 1_000)))
        let empty = String(repeating: "░", count: 23)
        #expect(lines(bars, columns: 80) == ["  a.png                      ███████\(empty) 250 B of 1 KB"])
        changes.append(bars.receive(.downloadProgress(url, received: 250, expected: nil)))
        #expect(lines(bars, columns: 80).first?.hasSuffix("░░ 250 B") == true)
        // More than was announced.
        changes.append(bars.receive(.downloadProgress(url, received: 2_000, expected: 1_000)))
        #expect(lines(bars, columns: 80).first?.hasSuffix("██ 2 KB of 1 KB") == true)
        changes.append(bars.receive(.downloadProgress(url, received: 0, expected: 0)))
        changes.append(bars.receive(.downloadEnded(url, bytes: 1_000, error: nil)))
        #expect(lines(bars, columns: 80).isEmpty)
        #expect(changes == [true, true, true, true, true])
        let isChange = bars.receive(.downloadProgress(url, received: 1, expected: 2))
        #expect(!isChange)
    }

    @Test func narrowTerminal_getsNoBar_andThenNoBytes() throws {
        let url = try #require(URL(string: "http://h/a.png"))
        var bars = try bars([url.absoluteString])
        _ = bars.receive(.downloadProgress(url, received: 250, expected: 1_000))
        #expect(lines(bars, columns: 30) == ["  a.png     250 B of 1 KB"])
        #expect(lines(bars, columns: 20) == ["  a.png"])
        #expect(lines(bars, columns: 6) == ["  a.…"])
    }

    @Test func totals_countAllThatEnded() throws {
        let url = try #require(URL(string: "http://h/a.png"))
        var bars = try bars([url.absoluteString], total: 40)
        #expect(lines(bars, columns: 80).last == "0 of 40 · 0 B")
        _ = bars.receive(.downloadEnded(url, bytes: 3_100_000, error: nil))
        for number in 0..<12 { bars.finish(isGood: number > 1) }
        #expect(lines(bars, columns: 80) == ["12 of 40 · 3.1 MB · 2 failed"])
    }

    @Test func newAttempt_beginsAnew() throws {
        let url = try #require(URL(string: "http://h/a.png"))
        var bars = try bars([url.absoluteString], total: 1)
        _ = bars.receive(.downloadProgress(url, received: 10, expected: 20))
        _ = bars.receive(.downloadStarted(url))
        #expect(bars.receivedBytes == 0)
        #expect(lines(bars, columns: 80).count == 2)
    }

    @Test func bars_fitTheTerminal() throws {
        let bars = try bars((0..<50).map { "http://h/\($0).png" }, total: 50)
        #expect(lines(bars, columns: 80, rows: 10).count == 9)
        #expect(lines(bars, columns: 80, rows: 10).last == "0 of 50 · 0 B")
        #expect(lines(bars, columns: 80, rows: 2).count == 1)
        #expect(lines(bars, columns: 80, rows: 1) == ["0 of 50 · 0 B"])
        #expect(lines(bars, columns: 1).isEmpty)
    }

    /// Whatever the name, no line fills the width, and nothing controls the terminal.
    @Test func lines_areNarrower_whateverTheName() throws {
        let names = [
            "", "a.png", String(repeating: "x", count: 500), "%1B%5B2J%0A%0D%07.png",
            "%E5%86%99%E7%9C%9F%E5%86%99%E7%9C%9F",
            "e%CC%81%CC%81%CC%81.png", "%F0%9F%91%A9%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7.png", "%E2%80%AEgnp.exe",
        ]
        let bars = try bars(names.map { "http://h/" + $0 }, total: 1_000_000)
        for columns in 1...200 {
            for line in lines(bars, columns: columns) {
                #expect(CellText.width(line) < columns)
                let isPlain = line.unicodeScalars.allSatisfy { scalar in
                    !OneLine.isControl(scalar) && scalar.properties.generalCategory != .format
                }
                #expect(isPlain, "\(line.debugDescription)")
            }
        }
    }

    @Test(
        arguments: [
            ("abc", 5, "abc  "), ("abcdef", 5, "abcd…"), ("写真写真", 5, "写真…"), ("写真写真", 4, "写… "), ("abc", 0, ""),
            ("abc", 1, "…"), ("e\u{301}e\u{301}", 2, "e\u{301}e\u{301}"), ("a\nb", 4, "a\\nb"),
        ])
    func text_isFitted(_ text: String, _ width: Int, _ expected: String) {
        #expect(CellText.fitted(text, width: width) == expected)
    }
}
