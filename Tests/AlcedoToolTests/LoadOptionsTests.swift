import Testing

@testable import AlcedoTool

@Suite(.timeLimit(.minutes(1))) struct LoadOptionsTests {
    @Test func urls_andOptions_inAnyOrder() throws {
        let options = try LoadOptions(["a", "-o", "out", "--json", "b", "--sheet", "s.png", "--", "-c"])
        #expect(options.texts == ["a", "b", "-c"])
        #expect(options.outputDirectory == "out")
        #expect(options.sheetFile == "s.png")
        #expect(options.printsJSON)
    }

    @Test func defaults_areOff() throws {
        let options = try LoadOptions(["a"])
        #expect(options.texts == ["a"])
        #expect(options.outputDirectory == nil)
        #expect(options.sheetFile == nil)
        #expect(!options.printsJSON)
    }

    @Test func sameURL_twice_isKeptTwice() throws {
        #expect(try LoadOptions(["a", "a"]).texts == ["a", "a"])
    }

    @Test func option_twice_lastOneCounts() throws {
        #expect(try LoadOptions(["-o", "x", "a", "-o", "y"]).outputDirectory == "y")
    }

    @Test func emptyText_isAURLThatFailsLater() throws {
        #expect(try LoadOptions([""]).texts == [""])
    }

    @Test func doubleDash_endsTheOptions() throws {
        let options = try LoadOptions(["--", "--json", "--", "-o"])
        #expect(options.texts == ["--json", "--", "-o"])
        #expect(!options.printsJSON)
        #expect(options.outputDirectory == nil)
    }

    @Test(arguments: [[], ["--json"], ["-o", "x"], ["--"], ["--json", "--"]])
    func noURL_isRefused(_ arguments: [String]) {
        #expect(throws: UsageError(message: "alcedo load: no URL")) { try LoadOptions(arguments) }
    }

    @Test(arguments: ["-o", "--sheet"])
    func missingValue_isRefused(_ option: String) {
        let refusal = UsageError(message: "alcedo load: \(option) needs a value")
        #expect(throws: refusal) { try LoadOptions(["a", option]) }
        #expect(throws: refusal) { try LoadOptions(["a", option, ""]) }
        #expect(throws: refusal) { try LoadOptions([option, "--json", "a"]) }
        #expect(throws: refusal) { try LoadOptions(["a", option, "--", "b"]) }
    }

    @Test(arguments: ["-x", "--out", "-", "---", "--json=1", "-ox", "--sheet=a.png"])
    func unknownOption_isNamed(_ option: String) {
        #expect(throws: UsageError(message: "alcedo load: unknown option: \(option)")) {
            try LoadOptions(["a", option])
        }
    }
}
