import Alcedo
import Testing

@testable import AlcedoTool

@Suite struct ProbeOptionsTests {
    @Test func urlsAndOptions_areParsed_inAnyOrder() throws {
        let options = try ProbeOptions(["a", "--cache", "c", "--json", "b", "--offline", "--", "--json"])
        #expect(options.texts == ["a", "b", "--json"])
        #expect(options.cache.directory == "c")
        #expect(options.cache.readPolicy == .cachedOnly)
        #expect(options.printsJSON)
        #expect(try ProbeOptions(["a", "--cache=-c"]).cache.directory == "-c")
        #expect(try ProbeOptions(["--revalidate", "a", "--revalidate"]).cache.readPolicy == .revalidate)
    }

    @Test func defaults_areOff() throws {
        let options = try ProbeOptions(["a"])
        #expect(options.texts == ["a"])
        #expect(options.cache.directory == nil)
        #expect(options.cache.readPolicy == .http)
        #expect(!options.printsJSON)
    }

    @Test(arguments: [[], ["--json"], ["--cache", "x"], ["--"], ["--offline", "--"]])
    func missingURL_isRejected(_ arguments: [String]) {
        #expect(throws: UsageError("probe", "no URL")) { try ProbeOptions(arguments) }
    }

    @Test(arguments: [
        ["a", "--cache"], ["a", "--cache", ""], ["--cache", "--json", "a"], ["a", "--cache", "--", "b"],
    ])
    func missingValue_isRejected(_ arguments: [String]) {
        #expect(throws: UsageError("probe", "--cache needs a value")) { try ProbeOptions(arguments) }
    }

    @Test(arguments: ["-x", "-o", "-", "--directory"])
    func unknownOption_isNamed(_ option: String) {
        #expect(throws: UsageError("probe", "unknown option: \(option)")) {
            try ProbeOptions(["a", option])
        }
    }

    @Test(arguments: [["--revalidate", "--offline", "a"], ["a", "--offline", "--json", "--revalidate"]])
    func revalidateAndOffline_excludeEachOther(_ arguments: [String]) {
        #expect(throws: UsageError("probe", "--revalidate and --offline exclude each other")) {
            try ProbeOptions(arguments)
        }
    }
}
