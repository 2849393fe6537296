import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

@Suite(.timeLimit(.minutes(1))) struct PrefetchCommandTests {
    private func prefetch(
        _ fixture: LoadFixture, _ lines: [String], _ arguments: String..., on console: Console? = nil
    ) async throws -> Int32 {
        try await fixture.prefetch(lines, arguments, on: console)
    }

    @Test func options_areParsed() throws {
        #expect(try PrefetchOptions(["-"]).file == "-")
        #expect(try PrefetchOptions(["a", "--json"]).printsJSON)
        #expect(try PrefetchOptions(["a", "--jobs", "3"]).network.jobs == 3)
        #expect(throws: UsageError("prefetch", "no file")) { try PrefetchOptions([]) }
        #expect(throws: UsageError("prefetch", "no file")) { try PrefetchOptions([""]) }
        for url in ["http://h/a", "HTTPS://h/a"] {
            #expect(throws: UsageError("prefetch", "FILE must be a list of URLs, not a URL: \(url)")) {
                try PrefetchOptions([url])
            }
        }
        #expect(throws: UsageError("prefetch", "unknown argument: b")) { try PrefetchOptions(["a", "b"]) }
        #expect(throws: UsageError("prefetch", "unknown option: --sheet")) { try PrefetchOptions(["a", "--sheet"]) }
        let error = UsageError("prefetch", "--jobs must be a whole number from 1 to 1000: 0")
        #expect(throws: error) { try PrefetchOptions(["a", "--jobs", "0"]) }
        let both = UsageError("prefetch", "--revalidate and --offline can't be used together")
        #expect(throws: both) { try PrefetchOptions(["a", "--offline", "--revalidate"]) }
    }

    @Test func cacheOption_choosesWhatIsFilled_andOfflineSaysWhatIsMissing() async throws {
        let fixture = try LoadFixture.ofPictures()
        let (one, two, path) = (fixture.url("/a.png"), fixture.url("/b.jpg"), fixture.temporary.file("other"))
        #expect(try await prefetch(fixture, [one], "--cache", path, "--offline") == 1)
        #expect(fixture.errorLines == ["alcedo prefetch: \(path): No such file or directory"])
        #expect(try await prefetch(fixture, [one], "--cache", path) == 0)
        #expect(try await prefetch(fixture, [one, two], "--cache", path, "--offline") == 1)
        let missing = "the image is in no cache, and the request allows no other source"
        #expect(fixture.errorLines.last == "\(two): \(missing)")
        #expect(fixture.outputLines.last?.hasPrefix("2 URLs: 0 loaded, 1 already cached, 1 failed") == true)
        #expect(try await fixture.load(one, "--cache", path, "--offline") == 0)
        #expect(fixture.server.statistics.requestsByPath == ["/a.png": 1])
    }

    @Test func image_isNoList() async throws {
        let fixture = try LoadFixture()
        let path = fixture.temporary.file("a.png")
        try Pictures.png().write(to: URL(fileURLWithPath: path))
        let command = PrefetchCommand(
            options: try PrefetchOptions([path]), console: fixture.console, configuration: fixture.configuration)
        #expect(await command.run() == 1)
        #expect(fixture.errorLines == ["alcedo prefetch: \(path): not a list of URLs"])
        #expect(fixture.outputLines.isEmpty)
    }

    @Test func timeline_isWritten() async throws {
        let fixture = try LoadFixture.ofPictures()
        let file = fixture.temporary.file("timeline.json")
        #expect(try await prefetch(fixture, [fixture.url("/a.png")], "--timeline", file) == 0)
        let text = try String(contentsOf: URL(fileURLWithPath: file), encoding: .utf8)
        #expect(["download", "disk", "store"].allSatisfy { text.contains("\"\($0)\"") })
    }

    @Test func existingTimeline_isAnError_unlessForced() async throws {
        let fixture = try LoadFixture.ofPictures()
        let (url, file) = (fixture.url("/a.png"), fixture.temporary.file("timeline.json"))
        try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
        #expect(try await prefetch(fixture, [url], "--timeline", file) == 1)
        #expect(fixture.errorLines == ["\(file): \(ErrorText.of(systemCode: EEXIST)); --force overwrites it"])
        #expect(FileManager.default.contents(atPath: file) == Data("mine".utf8))
        #expect(fixture.server.statistics.requests == 0)
        #expect(try await prefetch(fixture, [url], "--timeline", file, "-f") == 0)
        #expect(FileManager.default.contents(atPath: file)?.first == UInt8(ascii: "{"))
        #expect(throws: UsageError("prefetch", "--force needs --timeline")) { try PrefetchOptions(["a", "--force"]) }
    }

    @Test func incompleteTimeline_isAWarning() async throws {
        let fixture = try LoadFixture.ofPictures()
        let (list, file) = (fixture.temporary.file("list"), fixture.temporary.file("timeline.json"))
        try Data(fixture.url("/a.png").utf8).write(to: URL(fileURLWithPath: list))
        let options = try PrefetchOptions([list, "--timeline", file])
        let command = PrefetchCommand(
            options: options, console: fixture.console, configuration: fixture.configuration, eventCapacity: 1)
        #expect(await command.run() == 0)
        #expect(fixture.errorLines.count == 1)
        #expect(
            fixture.errorLines.first?.hasPrefix("warning: \(file): the timeline lacks the oldest ") == true)
    }

    @Test func images_areInTheCacheAfterwards() async throws {
        let fixture = try LoadFixture.ofPictures()
        let (one, two) = (fixture.url("/a.png"), fixture.url("/b.jpg"))
        #expect(try await prefetch(fixture, [one, "# comment", "", two, one]) == 0)
        let bytes = try Pictures.png().count + Pictures.jpeg().count
        #expect(fixture.outputLines == ["2 URLs: 2 loaded, 0 already cached · \(ByteText.of(bytes))"])
        #expect(fixture.errorLines.isEmpty)
        #expect(try await prefetch(fixture, [one, two]) == 0)
        #expect(fixture.outputLines.last == "2 URLs: 0 loaded, 2 already cached · 0 B")
        #expect(try await fixture.load(one, two) == 0)
        #expect(fixture.outputLines.suffix(2).allSatisfy { $0.contains(", disk in ") })
        #expect(fixture.server.statistics.requests == 2)
    }

    @Test func failures_areALineEach_inTheOrderOfTheList() async throws {
        let fixture = try LoadFixture.ofPictures()
        let lines = ["/missing1", "/a.png", "/missing2"].map(fixture.url) + ["pic.png"]
        #expect(try await prefetch(fixture, lines) == 1)
        #expect(fixture.errorLines.first?.hasPrefix("pic.png: ") == true)
        #expect(
            fixture.errorLines.dropFirst() == [
                "\(lines[0]): the server answered with status 404", "\(lines[2]): the server answered with status 404",
            ])
        #expect(fixture.outputLines.first?.hasPrefix("4 URLs: 1 loaded, 0 already cached, 3 failed · ") == true)
    }

    @Test func quiet_printsFailuresOnly() async throws {
        let fixture = try LoadFixture.ofPictures()
        let lines = ["/a.png", "/missing"].map(fixture.url)
        #expect(try await prefetch(fixture, lines, "-q") == 1)
        #expect(fixture.console.output.isEmpty)
        #expect(fixture.errorLines == ["\(lines[1]): the server answered with status 404"])
    }

    @Test func json_isTheOnlyOutput() async throws {
        let fixture = try LoadFixture.ofPictures()
        let lines = ["/a.png", "/missing"].map(fixture.url) + ["pic.png"]
        #expect(try await prefetch(fixture, lines, "--json") == 1)
        let parsed = try JSONSerialization.jsonObject(with: Data(fixture.console.output.utf8))
        let object = try #require(parsed as? [String: Any])
        #expect(object["total"] as? Int == 3)
        #expect(object["loaded"] as? Int == 1)
        #expect(object["cached"] as? Int == 0)
        #expect(object["failed"] as? Int == 2)
        #expect(object["receivedBytes"] as? Int == (try Pictures.png().count))
        let failures = try #require(object["failures"] as? [[String: String]])
        #expect(failures.map { $0["url"] } == ["pic.png", lines[1]])
        #expect(failures.last?["error"] == "the server answered with status 404")
        #expect(failures.map { $0["errorKind"] } == ["invalidURL", "badStatus"])
    }

    /// The server fails, and the stale response may be used all the same.
    @Test func staleImage_isNoFailure_ifAnotherOneIs() async throws {
        let png = try Pictures.png()
        let fixture = try LoadFixture { _ in .bytes(png).header("Cache-Control", "max-age=0") }
        let url = fixture.url("/a.png")
        #expect(try await prefetch(fixture, [url]) == 0)
        fixture.server.handle("/a.png") { _ in .status(500) }
        fixture.server.handle("/missing") { _ in .status(404) }
        #expect(try await prefetch(fixture, [url, fixture.url("/missing")], "--retries", "0") == 1)
        #expect(fixture.errorLines == ["\(fixture.url("/missing")): the server answered with status 404"])
    }

    @Test func emptyList_isFine_andAMissingOneIsNot() async throws {
        let fixture = try LoadFixture.ofPictures()
        #expect(try await prefetch(fixture, ["# nothing"]) == 0)
        #expect(fixture.outputLines == ["0 URLs: 0 loaded, 0 already cached · 0 B"])
        let command = PrefetchCommand(
            options: try PrefetchOptions([fixture.temporary.file("no")]), console: fixture.console,
            configuration: fixture.configuration)
        #expect(await command.run() == 1)
        #expect(
            fixture.errorLines == [
                "alcedo prefetch: \(fixture.temporary.file("no")): \(ErrorText.of(systemCode: ENOENT))"
            ])
    }
}
