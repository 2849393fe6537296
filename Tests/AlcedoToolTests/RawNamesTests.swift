import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

/// The files and URLs of options and lists whose bytes aren't UTF-8.
@Suite(.timeLimit(.minutes(1))) struct RawNamesTests {
    private let fixture: LoadFixture
    private let name = Array("caf".utf8) + [0xE9]

    init() throws { fixture = try LoadFixture.ofPictures() }

    /// The bytes of a path in the test's directory, with the name in it.
    private func bytes(_ ending: String = "", in folder: String = "") -> [UInt8] {
        Array((fixture.temporary.path + "/" + folder).utf8) + name + Array(ending.utf8)
    }

    private func argument(_ ending: String = "", in folder: String = "") -> String {
        ArgumentText.text(bytes(ending, in: folder))
    }

    private func cString(_ path: [UInt8]) -> [CChar] { path.map { CChar(bitPattern: $0) } + [0] }

    private func size(_ path: [UInt8]) -> Int? {
        var status = stat()
        return stat(cString(path), &status) == 0 ? Int(status.st_size) : nil
    }

    private func write(_ data: Data, _ path: [UInt8]) throws {
        let file = try #require(fopen(cString(path), "w"))
        data.withUnsafeBytes { _ = fwrite($0.baseAddress, 1, $0.count, file) }
        fclose(file)
    }

    @Test func outputs_haveTheirNames() async throws {
        let options = [
            "-o", argument("/sub/"), "--sheet", argument(".png"), "--timeline", argument(".json"),
        ]
        #expect(try await fixture.load([fixture.url("/a.png")] + options) == 0, "\(fixture.console.errors)")
        #expect(size(bytes("/sub/a.png")) == (try Pictures.png().count))
        #expect(size(bytes(".png")) ?? 0 > 0 && size(bytes(".json")) ?? 0 > 0)
        #expect(fixture.outputLines.last?.hasSuffix("/caf\u{FFFD}/sub/a.png") == true)
        #expect(try await fixture.load([fixture.url("/b.png")] + options) == 1)
        #expect(fixture.errorLines.count == 1 && fixture.errorLines.last?.contains("--force overwrites it") == true)
        #expect(try await fixture.load([fixture.url("/b.png"), "--force"] + options) == 0)
        #expect(["/sub/a.png", ".png", ".json"].allSatisfy { size(Array(argument($0).utf8)) == nil })
    }

    /// Links are written in place.
    @Test func output_mayBeALink() async throws {
        #expect(symlink(cString(name + Array(".target".utf8)), cString(bytes(".svg"))) == 0)
        let options = [fixture.url("/a.png"), "--force", "--timeline", argument(".svg")]
        #expect(try await fixture.load(options) == 0)
        #expect(size(bytes(".target")) ?? 0 > 0)
        #expect(try await fixture.load(options) == 0)
        #expect(size(Array(argument(".svg").utf8)) == nil && size(Array(argument(".target").utf8)) == nil)
    }

    @Test func json_showsNames_inAnyEncoding() throws {
        let text = try JSONText.of([ArgumentText.text(name)], isASCII: true)
        #expect(try JSONDecoder().decode([String].self, from: Data(text.utf8)) == ["caf\u{FFFD}"])
    }

    /// Otherwise another directory would be used.
    @Test func cache_isRefused() {
        let reason = "must be a directory whose path is valid UTF-8: \(argument())"
        #expect(throws: UsageError("load", "--cache \(reason)")) { try LoadOptions(["a", "--cache", argument()]) }
        #expect(throws: UsageError("cache list", "--cache \(reason)")) {
            try CacheOptions(["list", "--cache", argument()])
        }
    }

    #if os(Linux) && Curl
    @Test(.enabled(if: NginxServer.isInstalled)) func authorities_areRead() async throws {
        let server = try NginxServer(files: ["a.png": Pictures.png()])
        try write(Data(contentsOf: server.authority), bytes(".pem"))
        #expect(try await fixture.load(server.secureURL("/a.png").absoluteString, "--cacert", argument(".pem")) == 0)
    }
    #endif

    // MARK: URLs

    /// As browsers do.
    @Test func bytesOfURLs_areEscaped() throws {
        let url = ArgumentText.text(Array("http://h/".utf8) + name + Array("?q=".utf8) + [0xFF])
        #expect(try Operand.request(url).url?.absoluteString == "http://h/caf%E9?q=%FF")
        let file = ArgumentText.text(Array("file:///".utf8) + name)
        #expect(try Operand.request(file).url?.absoluteString == "file:///caf%E9")
        let host = ArgumentText.text(Array("http://".utf8) + name)
        #expect(throws: ImageLoaderError.self) { try Operand.request(host) }
    }

    @Test func lines_areBytes() async throws {
        let line = Array(fixture.url("/").utf8) + name + Array(".png".utf8)
        try write(Data(line + [13, 10] + line), bytes())
        let options = try PrefetchOptions([argument()])
        let command = PrefetchCommand(options: options, console: fixture.console, configuration: fixture.configuration)
        #expect(await command.run() == 0)
        #expect(fixture.server.statistics.requestsByPath == ["/caf%E9.png": 1])
        #expect(URLList(Data(name)).problems.first.map { ArgumentText.bytes(of: $0.text) } == name)
        let items = ViewItem.all(of: ["-"], list: Data([0x20] + name + [10] + line))
        #expect(items.map { ArgumentText.bytes(of: $0.text) } == [name, line])
        #expect(try items[0].request.get().url?.absoluteString.hasSuffix("/caf%E9") == true)
    }

    @Test func cacheEntries_areFound() async throws {
        let cache = try CacheFixture()
        let prefix = ArgumentText.text(Array("http://h/".utf8) + name)
        try await cache.fill("http://h/caf%E9/a.png", "http://h/caf%E9/b.png", "http://h/c.png")
        #expect(try await cache.run("list", "--prefix", prefix) == 0)
        #expect(cache.outputLines.count == 2)
        #expect(try await cache.run("remove", prefix + "/a.png") == 0)
        #expect(try await cache.run("remove", "--prefix", prefix) == 0)
        #expect(try cache.entries().count == 1)
    }
}
