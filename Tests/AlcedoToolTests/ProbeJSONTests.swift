import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

/// The output of `alcedo probe --json`, as programs read it.
@Suite(.timeLimit(.minutes(1))) struct ProbeJSONTests {
    private struct Probe: Decodable {
        struct Use: Decodable {
            var isFresh: Bool
            var basis: String
            var lifetimeSeconds: Int
            var initialAgeSeconds: Int
            var staleWhileRevalidateSeconds: Int
            var staleIfErrorSeconds: Int
            var validated: Date
            var end: Date?
            var summary: String
            var whenStale: String?
        }

        var url: String
        var status: Int?
        var format: String?
        var width: Int?
        var height: Int?
        var frames: Int?
        var orientation: Int?
        var bytes: Int?
        var thumbHash: String?
        var source: String?
        var isConfirmed: Bool?
        var staleReason: String?
        var freshness: Use?
        var error: String?
    }

    private static let start: Int64 = 1_800_000_000

    /// The objects of the last command, which printed nothing else.
    private func probe(_ fixture: LoadFixture, _ arguments: String...) async throws -> (code: Int32, probes: [Probe]) {
        let before = fixture.console.output.count
        let code = try await fixture.probe(arguments + ["--json"])
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return (code, try decoder.decode([Probe].self, from: Data(fixture.console.output.dropFirst(before).utf8)))
    }

    private func fixture(_ control: String) throws -> LoadFixture {
        let jpeg = try Pictures.turnedJPEG(64, 48)
        var fixture = try LoadFixture { request in
            switch request.path {
            case "/a.jpg": .bytes(jpeg).header("Cache-Control", control).header("Age", "10")
            case "/text": .bytes(Data("text".utf8)).header("Cache-Control", control)
            default: .status(404)
            }
        }
        fixture.configuration.timeOfDay = { Self.start }
        return fixture
    }

    @Test func response_isOneObject() async throws {
        let fixture = try fixture("max-age=60, stale-while-revalidate=5, stale-if-error=7")
        let url = fixture.url("/a.jpg")
        let (code, probes) = try await probe(fixture, url)
        #expect(code == 0 && probes.count == 1)
        let found = try #require(probes.first)
        #expect(found.url == url && found.status == 200 && found.source == "network" && found.error == nil)
        #expect(found.format == "jpeg" && found.width == 48 && found.height == 64)
        #expect(found.frames == 1 && found.orientation == 6)
        #expect(try found.bytes == Pictures.turnedJPEG(64, 48).count)
        let hash = try ImageDecoders.builtIn.decode(Pictures.turnedJPEG(64, 48)).thumbHash()
        #expect(found.thumbHash == hash.base64EncodedString())
        #expect(found.isConfirmed == nil && found.staleReason == nil)
        let use = try #require(found.freshness)
        #expect(use.isFresh && use.basis == "maxAge" && use.lifetimeSeconds == 60 && use.initialAgeSeconds == 10)
        #expect(use.staleWhileRevalidateSeconds == 5 && use.staleIfErrorSeconds == 7)
        #expect(use.validated == Date(timeIntervalSince1970: Double(Self.start)))
        #expect(use.end == Date(timeIntervalSince1970: Double(Self.start + 50)))
        #expect(use.summary == "fresh for 50 s: max-age=60 less age 10")
        #expect(use.whenStale == "may be used for 5 s while it is revalidated, and for 7 s if the server fails")
    }

    @Test func cachedResponses_sayWhetherTheyAreConfirmedOrStale() async throws {
        var fixture = try fixture("max-age=60, stale-while-revalidate=50")
        let url = fixture.url("/a.jpg")
        _ = try await probe(fixture, url)
        let cached = try #require(try await probe(fixture, url).probes.first)
        #expect(cached.source == "disk" && cached.isConfirmed == false && cached.staleReason == nil)
        fixture.configuration.timeOfDay = { Self.start + 60 }
        let offline = try #require(try await probe(fixture, url, "--offline").probes.first)
        #expect(offline.isConfirmed == false && offline.staleReason == "byPolicy")
        #expect(offline.freshness?.isFresh == false)
        let stale = try #require(try await probe(fixture, url).probes.first)
        #expect(stale.isConfirmed == false && stale.staleReason == "whileRevalidating")
        #expect(stale.freshness?.summary == "stale for 10 s: max-age=60 less age 10")
    }

    @Test func responseOfAFailingServer_isNotConfirmed() async throws {
        var fixture = try fixture("max-age=60")
        fixture.configuration.download.retry = .none
        let url = fixture.url("/a.jpg")
        _ = try await probe(fixture, url)
        fixture.server.enqueue(.status(503))
        fixture.configuration.timeOfDay = { Self.start + 60 }
        let stale = try #require(try await probe(fixture, url).probes.first)
        #expect(stale.source == "disk" && stale.isConfirmed == false && stale.staleReason == "afterError")
    }

    @Test func failures_areObjects_withAnError() async throws {
        let fixture = try fixture("no-cache")
        let (missing, text) = (fixture.url("/missing"), fixture.url("/text"))
        let (code, probes) = try await probe(fixture, missing, text)
        #expect(code == 1 && probes.map(\.url) == [missing, text])
        #expect(probes.first?.error == "the server answered with status 404")
        #expect(probes.last?.error?.hasPrefix("not an image: ") == true)
        #expect(probes.last?.status == 200 && probes.last?.bytes == 4 && probes.last?.format == nil)
        #expect(probes.last?.freshness?.basis == "none" && probes.last?.freshness?.end == nil)
        #expect(fixture.errorLines.count == 2)
    }

    /// Programs depend on the names.
    @Test func keys_areStable() async throws {
        let fixture = try fixture("max-age=60")
        _ = try await fixture.probe([fixture.url("/a.jpg"), fixture.url("/missing"), "--json"])
        let parsed = try JSONSerialization.jsonObject(with: Data(fixture.console.output.utf8))
        let objects = try #require(parsed as? [[String: Any]])
        let keys = [
            "url", "status", "format", "width", "height", "frames", "orientation", "bytes", "thumbHash", "source",
            "freshness",
        ]
        #expect(Set(objects[0].keys) == Set(keys))
        #expect(Set(objects[1].keys) == ["url", "error", "errorKind"])
        #expect(objects[1]["errorKind"] as? String == "badStatus")
        let use = try #require(objects[0]["freshness"] as? [String: Any])
        let names = [
            "isFresh", "basis", "lifetimeSeconds", "initialAgeSeconds", "staleWhileRevalidateSeconds",
            "staleIfErrorSeconds", "validated", "end", "summary", "whenStale",
        ]
        #expect(Set(use.keys) == Set(names))
    }
}
