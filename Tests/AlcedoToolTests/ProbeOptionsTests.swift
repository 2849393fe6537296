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
        #expect(options.network.jobs == nil && options.network.timeout == nil && options.network.retries == nil)
        #expect(options.network.headers.isEmpty)
    }

    @Test func networkOptions_areParsed() throws {
        let options = try ProbeOptions([
            "--timeout", "0.5", "a", "--retries=0", "--header", "X-A: b", "-j3", "--user-agent", "tests/1", "b",
        ])
        #expect(options.texts == ["a", "b"])
        #expect(options.network.timeout == .milliseconds(500))
        #expect(options.network.retries == 0)
        #expect(options.network.headers.values(of: "X-A") == ["b"])
        #expect(options.network.headers.values(of: "User-Agent") == ["tests/1"])
        #expect(options.network.jobs == 3)
    }

    @Test(arguments: [
        (["--timeout", "0"], "--timeout must be a number of seconds from 0.001 to 86400: 0"),
        (["--retries", "101"], "--retries must be a whole number from 0 to 100: 101"),
        (["--header", "secret"], "--header must be 'NAME: VALUE', with a colon"),
        (["--user-agent", "a\nb"], "--user-agent must not contain control characters: a\nb"),
        (["--jobs", "0"], "--jobs must be a whole number from 1 to 1000: 0"),
        (["--timeout"], "--timeout needs a value"),
    ])
    func invalidNetworkOption_isRejected(_ option: [String], _ reason: String) {
        #expect(throws: UsageError("probe", reason)) { try ProbeOptions(["a"] + option) }
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
        #expect(throws: UsageError("probe", "--revalidate and --offline can't be used together")) {
            try ProbeOptions(arguments)
        }
    }
}
