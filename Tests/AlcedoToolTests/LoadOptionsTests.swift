import Testing

@testable import AlcedoTool

@Suite struct LoadOptionsTests {
    @Test func urls_andOptions_inAnyOrder() throws {
        let options = try LoadOptions(["a", "-o", "out", "--json", "b", "--sheet", "s.png", "--", "-c"])
        #expect(options.texts == ["a", "b", "-c"])
        #expect(options.outputDirectory == "out")
        #expect(options.sheetFile == "s.png")
        #expect(options.printsJSON)
    }
}
