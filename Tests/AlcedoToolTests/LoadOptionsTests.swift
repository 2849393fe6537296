import Testing

@testable import AlcedoTool

@Suite(.timeLimit(.minutes(1))) struct LoadOptionsTests {
    @Test func urlsAndOptions_areParsed_inAnyOrder() throws {
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

    @Test func repeatedURL_isRetained() throws {
        #expect(try LoadOptions(["a", "a"]).texts == ["a", "a"])
    }

    @Test func repeatedOption_lastOneWins() throws {
        #expect(try LoadOptions(["-o", "x", "a", "-o", "y"]).outputDirectory == "y")
    }

    @Test func emptyArgument_isAccepted() throws {
        #expect(try LoadOptions([""]).texts == [""])
    }

    @Test func doubleDash_endsTheOptions() throws {
        let options = try LoadOptions(["--", "--json", "--", "-o"])
        #expect(options.texts == ["--json", "--", "-o"])
        #expect(!options.printsJSON)
        #expect(options.outputDirectory == nil)
    }

    @Test(arguments: [[], ["--json"], ["-o", "x"], ["--"], ["--json", "--"]])
    func missingURL_isRejected(_ arguments: [String]) {
        #expect(throws: UsageError(message: "alcedo load: no URL")) { try LoadOptions(arguments) }
    }

    @Test(arguments: ["-o", "--sheet"])
    func missingValue_isRejected(_ option: String) {
        let error = UsageError(message: "alcedo load: \(option) needs a value")
        #expect(throws: error) { try LoadOptions(["a", option]) }
        #expect(throws: error) { try LoadOptions(["a", option, ""]) }
        #expect(throws: error) { try LoadOptions([option, "--json", "a"]) }
        #expect(throws: error) { try LoadOptions(["a", option, "--", "b"]) }
    }

    @Test(arguments: ["-x", "--out", "-", "---", "--json=1", "-ox", "--sheet=a.png"])
    func unknownOption_isNamed(_ option: String) {
        #expect(throws: UsageError(message: "alcedo load: unknown option: \(option)")) {
            try LoadOptions(["a", option])
        }
    }
}
