import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

@Suite(.timeLimit(.minutes(1))) struct LoadCommandTests {
    @Test func loadedImages_areReported() async throws {
        let fixture = try LoadFixture.ofPictures()
        let (one, two) = (fixture.url("/one.png"), fixture.url("/two.jpg?x=1"))
        #expect(try await fixture.load("--jobs", "1", one, two) == 0)
        #expect(fixture.errorLines.isEmpty)
        #expect(fixture.outputLines.count == 2)
        #expect(fixture.outputLines.first?.hasPrefix("\(one): png, 8 × 6, network in ") == true)
        #expect(fixture.outputLines.last?.hasPrefix("\(two): jpeg, 64 × 48, network in ") == true)
    }

    @Test func manyURLs_areAllReported() async throws {
        let fixture = try LoadFixture.ofPictures()
        let urls = (0..<80).map { fixture.url($0 % 7 == 3 ? "/missing\($0)" : "/\($0).png") }
        let options = try LoadOptions(urls)
        let code = await LoadCommand(
            options: options, console: fixture.console, configuration: fixture.configuration
        ).run()
        #expect(code == 1)
        let (found, missing) = (urls.filter { $0.hasSuffix(".png") }, urls.filter { !$0.hasSuffix(".png") })
        let printed = fixture.outputLines.map { String($0.prefix { $0 != " " }.dropLast()) }
        #expect(printed.sorted() == found.sorted())
        #expect(fixture.errorLines.sorted() == missing.map { "\($0): the server answered with status 404" }.sorted())
        #expect(fixture.server.statistics.requests == 80)
    }

    @Test func missingImage_isOneLine_andTheOthersAreLoaded() async throws {
        let fixture = try LoadFixture.ofPictures()
        #expect(try await fixture.load(fixture.url("/a.png"), fixture.url("/missing"), fixture.url("/b.png")) == 1)
        #expect(fixture.errorLines == ["\(fixture.url("/missing")): the server answered with status 404"])
        #expect(fixture.outputLines.count == 2)
    }

    @Test(arguments: ["xyz", "", "http://", "http://[", "ftp://h/a", "data:,", "http://%zz/", "a\nb", "file://h/a"])
    func invalidURL_isOneLine(_ text: String) async throws {
        let fixture = try LoadFixture.ofPictures()
        #expect(try await fixture.load("--", text) == 1)
        #expect(fixture.errorLines.count == 1)
        #expect(fixture.errorLines.first?.hasPrefix(OneLine.of(text) + ": ") == true)
        #expect(fixture.outputLines.isEmpty)
    }

    @Test func htmlPage_isOneLine() async throws {
        let page = Data("<!DOCTYPE html>\n<html><body>Log in</body></html>".utf8)
        let fixture = try LoadFixture { _ in .bytes(page, contentType: "image/png") }
        #expect(try await fixture.load(fixture.url("/a.png"), "-o", fixture.temporary.file("out")) == 1)
        #expect(fixture.errorLines.count == 1)
        #expect(fixture.errorLines.first?.hasPrefix("\(fixture.url("/a.png")): not an image: ") == true)
        #expect(!FileManager.default.fileExists(atPath: fixture.temporary.file("out")))
    }

    @Test func truncatedBody_isOneLine() async throws {
        let png = try Pictures.png()
        let fixture = try LoadFixture { _ in .bytes(png).truncating(.afterBytes(20)) }
        #expect(try await fixture.load(fixture.url("/a.png")) == 1)
        #expect(fixture.errorLines == ["\(fixture.url("/a.png")): the body ended after 20 of \(png.count) bytes"])
    }

    /// The one that is named first is answered last.
    @Test func json_keepsTheOrder() async throws {
        let fixture = try LoadFixture()
        let png = try Pictures.png()
        fixture.server.handle("/slow.png") { _ in .manual }
        fixture.server.handle("/fast.png") { _ in .bytes(png) }
        let urls = ["/slow.png", "/fast.png", "/missing"].map(fixture.url)
        async let code = fixture.load(urls + ["--json"])
        let exchange = try await fixture.server.nextRequest()
        try await fixture.server.until { $0.requests == 3 && $0.activeRequests == 1 }
        exchange.reply(.bytes(png))
        #expect(try await code == 1)
        let parsed = try JSONSerialization.jsonObject(with: Data(fixture.console.output.utf8)) as? [[String: Any]]
        #expect(parsed?.map { $0["url"] as? String } == urls)
    }

    @Test func quiet_printsErrorsOnly() async throws {
        let fixture = try LoadFixture.ofPictures()
        let (good, bad) = (fixture.url("/a.png"), fixture.url("/missing"))
        #expect(try await fixture.load("-q", good) == 0)
        #expect(try await fixture.probe("--quiet", good) == 0)
        #expect(fixture.console.output.isEmpty && fixture.console.errors.isEmpty)
        #expect(try await fixture.load("--quiet", good, bad) == 1)
        #expect(try await fixture.probe("-q", bad, good) == 1)
        #expect(fixture.console.output.isEmpty)
        let line = "\(bad): the server answered with status 404"
        #expect(fixture.errorLines == [line, line])
    }

    @Test func quiet_drawsNoBars() async throws {
        let fixture = try LoadFixture.ofPictures()
        let console = Console(capturing: TerminalSize())
        let options = try LoadOptions(["-q", fixture.url("/a.png")])
        let command = LoadCommand(options: options, console: console, configuration: fixture.configuration)
        #expect(await command.run() == 0)
        #expect(console.output.isEmpty)
    }

    @Test func quietAndJSON_excludeEachOther() {
        let reason = "--quiet and --json can't be used together"
        #expect(throws: UsageError("load", reason)) { try LoadOptions(["a", "-q", "--json"]) }
        #expect(throws: UsageError("probe", reason)) { try ProbeOptions(["a", "--json", "-q"]) }
        #expect(throws: UsageError("prefetch", reason)) { try PrefetchOptions(["a", "-q", "--json"]) }
    }

    @Test func repeatedURL_isLoadedAndReportedOnce() async throws {
        let fixture = try LoadFixture.ofPictures()
        let url = fixture.url("/a.png")
        #expect(try await fixture.load(url, url, "--json", "-o", fixture.temporary.file("out"), url) == 0)
        let parsed = try JSONSerialization.jsonObject(with: Data(fixture.console.output.utf8)) as? [[String: Any]]
        #expect(parsed?.count == 1)
        #expect(fixture.server.statistics.requestsByPath == ["/a.png": 1])
        #expect(try fixture.temporary.names(in: "out") == ["a.png"])
    }

    @Test func paths_areLoaded_andTwoOfOneFileCountOnce() async throws {
        let fixture = try LoadFixture.ofPictures()
        let path = fixture.temporary.file("a b#1%.png")
        try Pictures.png(5, 4).write(to: URL(fileURLWithPath: path))
        let same = fixture.temporary.path + "/./a b#1%.png"
        #expect(try await fixture.load(path, same, fixture.temporary.file("no.png")) == 1)
        #expect(fixture.outputLines.count == 1)
        #expect(fixture.outputLines.first?.hasPrefix("\(path): png, 5 × 4, local in ") == true)
        #expect(fixture.errorLines.count == 1)
        #expect(fixture.errorLines.first?.hasSuffix("No such file or directory") == true)
    }

    @Test func incompleteTimeline_isAWarning() async throws {
        let fixture = try LoadFixture.ofPictures()
        let file = fixture.temporary.file("timeline.svg")
        let options = try LoadOptions([fixture.url("/a.png"), "--timeline", file])
        let command = LoadCommand(
            options: options, console: fixture.console, configuration: fixture.configuration, eventCapacity: 1)
        #expect(await command.run() == 0)
        #expect(fixture.errorLines.count == 1)
        #expect(
            fixture.errorLines.first?.hasPrefix("warning: \(file): the timeline lacks the oldest ") == true)
    }

    @Test func size_isThatOfTheDecodedImage() async throws {
        let fixture = try LoadFixture.ofPictures()
        #expect(try await fixture.load(fixture.url("/a.jpg"), "--resize", "32x32") == 0)
        #expect(fixture.outputLines.first?.contains(": jpeg, 32 × 24, network in ") == true)
    }

    @Test func secondRun_isServedFromDisk() async throws {
        let fixture = try LoadFixture.ofPictures()
        let url = fixture.url("/a.png")
        #expect(try await fixture.load(url) == 0)
        #expect(try await fixture.load(url) == 0)
        #expect(fixture.outputLines.last?.hasPrefix("\(url): png, 8 × 6, disk in ") == true)
        #expect(fixture.server.statistics.requests == 1)
    }

    @Test func fileURLs_areLoaded() async throws {
        let fixture = try LoadFixture.ofPictures()
        let file = fixture.temporary.url.appendingPathComponent("ä b.png")
        try Pictures.png(5, 4).write(to: file)
        #expect(try await fixture.load(file.absoluteString) == 0)
        #expect(fixture.outputLines.first?.contains(": png, 5 × 4, local in ") == true)
    }

    @Test(arguments: ["", "no.png", "file.txt"])
    func fileURLWithoutAnImage_isOneLine(_ name: String) async throws {
        let fixture = try LoadFixture.ofPictures()
        try Data("text".utf8).write(to: fixture.temporary.url.appendingPathComponent("file.txt"))
        let url = fixture.temporary.url.appendingPathComponent(name).absoluteString
        #expect(try await fixture.load(url) == 1)
        #expect(fixture.errorLines.count == 1)
        #expect(fixture.errorLines.first?.hasPrefix(url + ": ") == true)
    }

    @Test func unusableCache_isAWarning_andNoFailure() async throws {
        var fixture = try LoadFixture.ofPictures()
        let file = fixture.temporary.url.appendingPathComponent("file")
        try Data("x".utf8).write(to: file)
        fixture.configuration.disk = .init(directory: file.appendingPathComponent("cache"))
        #expect(try await fixture.load(fixture.url("/a.png"), fixture.url("/b.png"), fixture.url("/c.png")) == 0)
        #expect(fixture.outputLines.count == 3)
        // One warning per kind of failed operation, however many images there are.
        let kinds = fixture.errorLines.map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
        #expect(kinds.contains("warning: cache open"))
        #expect(Set(kinds).count == kinds.count)
        #expect(fixture.errorLines.allSatisfy { $0.hasPrefix("warning: cache ") })
    }
}
