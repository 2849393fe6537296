import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

#if canImport(FoundationXML)
import FoundationXML
#endif

/// What is written on terminals that show less than others, and of text that would mislead.
@Suite(.timeLimit(.minutes(1))) struct TerminalTextTests {
    @Test(
        arguments: [
            ([:], false, true), (["TERM": ""], false, true), (["TERM": "dumb"], false, true),
            (["TERM": "xterm"], true, false), (["TERM": "xterm", "LC_ALL": "C"], false, true),
            (["TERM": "xterm", "LANG": "POSIX"], false, true), (["TERM": "xterm", "LANG": "de_DE@euro"], true, true),
            (["TERM": "xterm", "LC_ALL": "C.UTF-8", "LANG": "C"], true, false),
            (["LC_ALL": "C.UTF-8", "LANG": "C"], false, true), (["TERM": "dumb", "LANG": "de_DE.utf8"], false, true),
            (["TERM": "xterm", "LC_ALL": "", "LANG": "de_DE.utf8"], true, false),
            (["TERM": "xterm", "LC_CTYPE": "POSIX", "LANG": "de_DE.UTF-8"], false, true),
            (["TERM": "xterm", "LANG": "de_DE.ISO-8859-1"], true, true), (["LANG": "de_DE@euro"], false, true),
        ] as [([String: String], Bool, Bool)])
    func environment_isRead(_ variables: [String: String], _ obeysEscapes: Bool, _ isASCII: Bool) {
        let environment = TerminalEnvironment(variables)
        #expect(environment.obeysEscapes == obeysEscapes && environment.isASCII == isASCII, "\(variables)")
    }

    @Test(arguments: [([:], true), (["NO_COLOR": ""], true), (["NO_COLOR": "0"], false)])
    func noColor_isRead(_ variables: [String: String], _ hasColors: Bool) {
        let environment = TerminalEnvironment(variables)
        #expect(environment.hasColors == hasColors)
        #expect(Console(output: -1, errors: -1, environment).environment.hasColors == hasColors)
    }

    @Test func asciiConsole_printsASCII() throws {
        let console = Console(capturing: TerminalSize(columns: 60, rows: 10), isASCII: true)
        console.print("Фо.png: png, 8 × 6 → a · b…")
        console.error("Фо")
        try console.print(json: ["ключ": "犬🐕\u{E0001}×"])
        var bars = ProgressBars(total: 2)
        let url = try #require(URL(string: "http://h/%D0%A4" + String(repeating: "%D0%BE", count: 40) + ".png"))
        _ = bars.receive(.downloadStarted(url))
        _ = bars.receive(.downloadProgress(url, received: 5, expected: 10))
        console.draw(bars)
        #expect((console.output + console.screen).utf8.allSatisfy { $0 < 0x80 })
        #expect(console.output.hasPrefix(#"\u{0424}\u{043E}.png: png, 8 x 6 -> a - b..."# + "\n"))
        #expect(console.errors == #"\u{0424}\u{043E}"# + "\n")
        let json = console.output.split(separator: "\n")[1...3].joined()
        #expect(try JSONDecoder().decode([String: String].self, from: Data(json.utf8)) == ["ключ": "犬🐕\u{E0001}×"])
        let lines = bars.lines(in: TerminalSize(columns: 60, rows: 10), isASCII: true)
        #expect(lines.allSatisfy { $0.utf8.count < 60 } && lines.last == "0 of 2 - 5 B")
        #expect(lines.first?.contains("###") == true && lines.first?.contains("...") == true, "\(lines)")
    }

    /// Characters that turn the direction of writing make a name look like another one.
    @Test func hiddenCharacters_areShown() throws {
        let text = "a\u{202E}gnp.exe\u{2066}\u{200B}\u{FEFF}\u{FFFE}\u{1FFFF}"
        let shown = #"a\u{202E}gnp.exe\u{2066}\u{200B}\u{FEFF}\u{FFFE}\u{0001FFFF}"#
        #expect(OneLine.of(text) == shown)
        // Persian and pictographs are written with joiners.
        #expect(OneLine.of("می\u{200C}خواهم 👩\u{200D}👩") == "می\u{200C}خواهم 👩\u{200D}👩")
        let console = Console(capturing: ())
        console.error(text)
        #expect(console.errors == shown + "\n")
        let json = try JSONText.of([text])
        #expect(json.unicodeScalars.allSatisfy { !OneLine.isUnsafe($0) || $0 == "\n" })
        #expect(try JSONDecoder().decode([String].self, from: Data(json.utf8)) == [text])
    }

    @Test func timeline_isValidXML_whateverTheNames() throws {
        let url = try #require(URL(string: "http://h/%EF%BF%BE%EF%BF%BF%E2%80%AE.png"))
        let request = ImageRequest(url: url)
        let end = StageOutcome(duration: .milliseconds(1), error: .contentTypeRefused("\u{FFFE}\u{FFFF}"))
        let events = [
            LoadEvent(load: LoadID(), url: url, time: .zero, kind: .requested(request)),
            LoadEvent(load: LoadID(), url: url, time: .milliseconds(1), kind: .failed(request, end)),
        ]
        let svg = TimelinePicture(timeline: Timeline(events)).svg
        #expect(!svg.unicodeScalars.contains { OneLine.isUnsafe($0) && $0 != "\n" })
        #expect(svg.contains(#"\u{FFFE}"#))
        #expect(XMLParser(data: Data(svg.utf8)).parse())
    }
}
