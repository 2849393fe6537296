import Testing

@testable import AlcedoTool

@Suite struct ViewObstacleTests {
    @Test(
        arguments: [
            (true, ["TERM": "xterm"], nil), (true, ["TERM": "xterm", "LANG": "de_DE.UTF-8"], nil),
            (false, ["TERM": "xterm"], .noTerminal), (false, [:], .noTerminal), (true, [:], .dumbTerminal),
            (true, ["TERM": "dumb", "LC_ALL": "C"], .dumbTerminal),
            (true, ["TERM": "xterm", "LC_ALL": "C"], .otherEncoding(locale: "C")),
            (true, ["TERM": "xterm", "LANG": "de_DE@euro"], .otherEncoding(locale: "de_DE@euro")),
        ] as [(Bool, [String: String], ViewObstacle?)])
    func obstacle_isTheFirstThatTheUserMustRemove(
        _ isTerminal: Bool, _ variables: [String: String], _ obstacle: ViewObstacle?
    ) {
        #expect(ViewObstacle(isTerminal: isTerminal, TerminalEnvironment(variables)) == obstacle)
    }

    /// The remedy must be a command that exists.
    @Test func remedy_isAValidCommand() throws {
        let command = try #require(ViewObstacle.noTerminal.remedy.split(separator: "\"").dropFirst().first)
        let words = command.split(separator: " ").map(String.init)
        #expect(words.prefix(2) == ["alcedo", "load"])
        #expect(try LoadOptions(Array(words.dropFirst(2))).sheetFile?.path == "FILE")
    }

    @Test func obstacle_isReported_andNothingIsLoaded() async throws {
        let console = Console(capturing: ())
        #expect(await Main.run(["view", "a.png"], on: console) == 1)
        let lines = console.errors.split(separator: "\n").map(String.init)
        #expect(lines == ["alcedo view: standard output is not a terminal", ViewObstacle.noTerminal.remedy])
        #expect(console.output.isEmpty)
    }
}
