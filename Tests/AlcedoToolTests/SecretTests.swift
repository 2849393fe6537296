import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

/// Nothing that a command prints or writes has a password, a token or a whole data URL.
@Suite(.timeLimit(.minutes(1))) struct SecretTests {
    private let fixture: LoadFixture

    init() throws { fixture = try LoadFixture.ofPictures() }

    /// URLs of the server that succeed, fail, can't be loaded and can't be parsed.
    private var urls: [String] {
        let base = fixture.url("/").dropLast().replacing("http://", with: "http://user:S3CRET@")
        return [
            "\(base)/a.png?token=S3CRET&w=1", "\(base)/missing?sig=S3CRET", "ftp://user:S3CRET@h/a.png",
            "http://user:S3CRET@[/a.png", "\(base)/b.png?code=S3CRET",
            "\(base)/b.png?redirect=http%3A%2F%2Fh%2F%3Ftoken%3DS3CRET",
            "\(base)/missing/http%3A%2F%2Fh%2F%3Ftoken%3DS3CRET", "u:S3CRET@h/x", "u_a:S3CRET@h/x",
            "//u:S3CRET@h/x?token=S3CRET", "\(base)/c;token=S3CRET.png",
        ]
    }

    private func expectNoSecrets(_ text: String, _ location: SourceLocation = #_sourceLocation) {
        #expect(!text.contains("S3CRET") && !text.isEmpty, "\(text)", sourceLocation: location)
    }

    @Test(arguments: ["json", "svg"]) func load(_ ending: String) async throws {
        let file = fixture.temporary.file("timeline." + ending)
        #expect(try await fixture.load(urls + ["--timeline", file]) == 1)
        expectNoSecrets(fixture.console.output)
        expectNoSecrets(fixture.console.errors)
        #expect(fixture.errorLines.count == 7 && fixture.console.output.contains("/a.png?token=***&w=1: png"))
        expectNoSecrets(try String(contentsOfFile: file, encoding: .utf8))
    }

    @Test func json() async throws {
        #expect(try await fixture.load(urls + ["--json"]) == 1)
        expectNoSecrets(fixture.console.output)
    }

    @Test func probe() async throws {
        for arguments in [[], ["--json"]] {
            _ = await ProbeCommand(
                options: try ProbeOptions(urls + arguments), console: fixture.console,
                configuration: fixture.configuration
            ).run()
        }
        expectNoSecrets(fixture.console.output)
        expectNoSecrets(fixture.console.errors)
    }

    @Test func savedNames() async throws {
        let out = fixture.temporary.file("out")
        #expect(try await fixture.load(urls + ["-o", out]) == 1)
        expectNoSecrets(fixture.console.output)
        #expect(try fixture.temporary.names(in: "out").sorted() == ["a.png", "b-2.png", "b.png", "c.png"])
    }

    @Test func prefetchAndCache() async throws {
        let list = fixture.temporary.file("list")
        try urls.joined(separator: "\n").write(toFile: list, atomically: true, encoding: .utf8)
        let cache = fixture.temporary.file("cache")
        for arguments in [[], ["--json"]] {
            _ = await PrefetchCommand(
                options: try PrefetchOptions([list] + arguments), console: fixture.console,
                configuration: fixture.configuration
            ).run()
            for action in [["list"], ["verify"], ["remove", "http://user:S3CRET@h/?token=S3CRET"], ["clear"]] {
                let options = try CacheOptions(action + ["--cache", cache] + arguments)
                _ = await CacheCommand(options: options, console: fixture.console).run()
            }
        }
        expectNoSecrets(fixture.console.output)
        expectNoSecrets(fixture.console.errors)
    }

    @Test func usageErrors() async throws {
        #expect(await Main.run(["prefetch", "a", "http://user:S3CRET@h/"], on: fixture.console) == 2)
        expectNoSecrets(fixture.console.errors)
        #expect(await Main.run(["user:S3CRET@h/"], on: fixture.console) == 2)
        #expect(await Main.run(["prefetch", "a", "user:S3CRET@h/?token=S3CRET"], on: fixture.console) == 2)
        expectNoSecrets(fixture.console.errors)
    }

    @Test func namesOnTheScreen() throws {
        for text in urls { expectNoSecrets(ViewItem(text).name) }
        var bars = ProgressBars()
        _ = bars.receive(.downloadStarted(try #require(URL(string: "http://h/x%3Ftoken%3DS3CRET"))))
        expectNoSecrets(bars.lines(in: TerminalSize()).joined())
        expectNoSecrets(ViewItem("http://user:S3CRET@[/").name)
        expectNoSecrets(StatusLine.details(of: .redirectRefused(location: "http://u:S3CRET@h/", reason: "no")))
        let data = "data:image/png;base64," + String(repeating: "S3CRET", count: 1_000)
        #expect(ViewItem(data).name.utf8.count < 120)
    }

    @Test func dataURLs_areShort() async throws {
        let url = "data:image/png;base64," + Data(count: 30_000).base64EncodedString()
        #expect(try await fixture.load(url, "--json") == 1)
        #expect(fixture.console.output.utf8.count < 400 && fixture.console.errors.utf8.count < 200)
        let list = fixture.temporary.file("list")
        try url.write(toFile: list, atomically: true, encoding: .utf8)
        let console = Console(capturing: ())
        let options = try PrefetchOptions([list, "--json"])
        let command = PrefetchCommand(options: options, console: console, configuration: fixture.configuration)
        #expect(await command.run() == 1)
        #expect(console.output.utf8.count < 500 && console.errors.utf8.count < 300)
    }

    @Test func dataURLs_areShort_inQueries() async throws {
        let url = fixture.url("/a.png?u=data:image/png;base64,") + Data(count: 3_000).base64EncodedString()
        let file = fixture.temporary.file("timeline.json")
        #expect(try await fixture.load(url, "--json", "--timeline", file) == 0)
        #expect(fixture.console.output.utf8.count < 500)
        #expect(try !String(contentsOfFile: file, encoding: .utf8).contains("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"))
    }
}
