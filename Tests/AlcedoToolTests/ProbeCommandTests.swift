import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

@Suite(.timeLimit(.minutes(1))) struct ProbeCommandTests {
    private static let start: Int64 = 1_800_000_000

    /// A server of one picture with these fields, and a clock that stands still.
    private func fixture(_ fields: HTTPHeaders) throws -> LoadFixture {
        let png = try Pictures.png()
        var fixture = try LoadFixture { request in
            guard request.path.hasSuffix(".png") else { return .status(404) }
            var reply = LoopbackServer.Reply.resource(png, contentType: "image/png", etag: "\"1\"", for: request)
            for field in fields { reply = reply.header(field.name, field.value) }
            return reply
        }
        fixture.configuration.timeOfDay = { Self.start }
        return fixture
    }

    /// What is printed of ``fixture(_:)``'s picture.
    private func lines(_ url: String, source: String, freshness: String, whenStale: String?) throws -> [String] {
        [
            url, "  status       200", "  source       \(source)", "  image        png, 8 × 6",
            "  orientation  1, upright", "  bytes        \(ByteText.exact(try Pictures.png().count))",
            "  ThumbHash    \(try hash(of: Pictures.png()))", "  freshness    \(freshness)",
        ] + (whenStale.map { ["  when stale   \($0)"] } ?? [])
    }

    /// As the library makes it.
    private func hash(of file: Data) throws -> String {
        try ImageDecoders.builtIn.decode(file).thumbHash().base64EncodedString()
    }

    // MARK: Sources

    @Test func response_isFromTheServer_andThenFromTheCache() async throws {
        var fixture = try fixture(["Cache-Control": "max-age=14400, stale-if-error=60", "Age": "2880"])
        let url = fixture.url("/a.png")
        #expect(try await fixture.probe(url) == 0)
        fixture.configuration.timeOfDay = { Self.start + 3_600 }
        #expect(try await fixture.probe(url) == 0)
        let stale = "may be used for 1 min if the server fails"
        let expected = try [("server", "3 h 12 min"), ("cache", "2 h 12 min")].flatMap { source, time in
            try lines(
                url, source: source, freshness: "fresh for \(time): max-age=14400 less age 2880", whenStale: stale)
        }
        #expect(fixture.outputLines == expected)
        #expect(fixture.console.errors.isEmpty)
        #expect(fixture.server.statistics.requests == 1)
    }

    @Test func revalidate_asksTheServer_evenIfFresh() async throws {
        let fixture = try fixture(["Cache-Control": "max-age=60, must-revalidate"])
        let url = fixture.url("/a.png")
        #expect(try await fixture.probe(url) == 0)
        #expect(try await fixture.probe(url, "--revalidate") == 0)
        let expected = try lines(
            url, source: "cache, confirmed by the server", freshness: "fresh for 1 min: max-age=60",
            whenStale: "must be revalidated: must-revalidate")
        #expect(fixture.outputLines.suffix(expected.count) == expected[...])
        #expect(fixture.server.statistics.requests == 2)
    }

    @Test func staleResponse_isUsedOffline() async throws {
        var fixture = try fixture(["Cache-Control": "max-age=60, stale-if-error=60"])
        let url = fixture.url("/a.png")
        #expect(try await fixture.probe(url) == 0)
        fixture.configuration.timeOfDay = { Self.start + 180 }
        #expect(try await fixture.probe(url, "--offline") == 0)
        let expected = try lines(
            url, source: "cache, because the server wasn't asked", freshness: "stale for 2 min: max-age=60",
            whenStale: "must be revalidated: the time for stale use is over")
        #expect(fixture.outputLines.suffix(expected.count) == expected[...])
        #expect(fixture.server.statistics.requests == 1)
    }

    @Test func staleResponse_isUsed_ifTheServerFails() async throws {
        var fixture = try fixture(["Cache-Control": "max-age=60"])
        fixture.configuration.download.retry = .none
        let url = fixture.url("/a.png")
        #expect(try await fixture.probe(url) == 0)
        fixture.configuration.timeOfDay = { Self.start + 180 }
        fixture.server.enqueue(.status(503))
        #expect(try await fixture.probe(url) == 0)
        let expected = try lines(
            url, source: "cache, because the server failed or couldn't be reached",
            freshness: "stale for 2 min: max-age=60",
            whenStale: "may be used for another 23 h 58 min if the server fails (the default)")
        #expect(fixture.outputLines.suffix(expected.count) == expected[...])
    }

    @Test func freshResponse_isUsed_ifTheServerCantRevalidateIt() async throws {
        var fixture = try fixture(["Cache-Control": "max-age=60, stale-if-error=60"])
        fixture.configuration.download.retry = .none
        let url = fixture.url("/a.png")
        #expect(try await fixture.probe(url) == 0)
        fixture.server.enqueue(.status(503))
        #expect(try await fixture.probe(url, "--revalidate") == 0)
        let expected = try lines(
            url, source: "cache, because the server failed or couldn't be reached",
            freshness: "fresh for 1 min: max-age=60", whenStale: "may be used for 1 min if the server fails")
        #expect(fixture.outputLines.suffix(expected.count) == expected[...])
    }

    @Test func offlineMiss_isOneLine_andAsksNobody() async throws {
        let fixture = try fixture([:])
        let (cached, missing) = (fixture.url("/a.png"), fixture.url("/b.png"))
        #expect(try await fixture.probe(cached) == 0)
        #expect(try await fixture.probe(missing, cached, "--offline") == 1)
        #expect(fixture.errorLines == ["\(missing): the image is in no cache, and the request allows no other source"])
        #expect(fixture.outputLines.filter { !$0.hasPrefix(" ") } == [cached, cached])
        #expect(fixture.server.statistics.requestsByPath == ["/a.png": 1])
    }

    @Test func fileURL_hasNoFreshness() async throws {
        let fixture = try fixture([:])
        let file = fixture.temporary.url.appendingPathComponent("ä b.jpg")
        try Pictures.turnedJPEG(64, 48).write(to: file)
        #expect(try await fixture.probe(file.absoluteString, "--offline") == 0)
        let jpeg = try Pictures.turnedJPEG(64, 48)
        let expected = [
            file.absoluteString, "  source       local", "  image        jpeg, 48 × 64",
            "  orientation  6, rotated 90° clockwise", "  bytes        \(ByteText.exact(jpeg.count))",
            "  ThumbHash    \(try hash(of: jpeg))",
        ]
        #expect(fixture.outputLines == expected)
    }

    @Test func animation_isReportedWithItsFrames() async throws {
        let frames = try (0..<3).map { index in
            AnimationFrame(try Pictures.plain(4, 5, [UInt8(index) * 80, 0, 0, 255]), delay: .milliseconds(100))
        }
        let animation = try PNGEncoder().encode(frames, loopCount: .forever)
        let fixture = try LoadFixture { _ in .bytes(animation) }
        #expect(try await fixture.probe(fixture.url("/a.png")) == 0)
        #expect(fixture.outputLines.contains("  image        png, 4 × 5, 3 frames"))
    }

    // MARK: The cache's directory

    @Test func cacheOption_choosesTheDirectory() async throws {
        let fixture = try fixture(["Cache-Control": "no-cache"])
        let (url, path) = (fixture.url("/a.png"), fixture.temporary.file("other"))
        #expect(try await fixture.probe(url, "--cache", path) == 0)
        #expect(try fixture.temporary.names() == ["other"])
        #expect(try await fixture.probe(url, "--cache", path) == 0)
        let expected = try lines(
            url, source: "cache, confirmed by the server", freshness: "must be revalidated each time: no-cache",
            whenStale: nil)
        #expect(fixture.outputLines.suffix(expected.count) == expected[...])
    }

    @Test func missingCache_isAnErrorOffline_andIsNotCreated() async throws {
        let fixture = try fixture([:])
        let path = fixture.temporary.file("none")
        #expect(try await fixture.probe(fixture.url("/a.png"), "--cache", path, "--offline") == 1)
        #expect(fixture.errorLines == ["alcedo probe: \(path): No such file or directory"])
        #expect(fixture.console.output.isEmpty)
        #expect(try fixture.temporary.names() == [])
    }

    /// A probe doesn't know the limits of the cache's program, and must neither miss nor remove what they permit.
    @Test func entryOfAnotherProgram_isFound_howeverOld() async throws {
        let fixture = try fixture([:])
        let cache = try CacheFixture()
        try cache.plant(source: "http://h/old.png")
        let entry = try #require(try cache.entries().first)
        // With the default settings, it has expired.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -30 * 86_400)],
            ofItemAtPath: "\(cache.path)/entries/\(entry)")
        #expect(try await fixture.probe("http://h/old.png", "--cache", cache.path, "--offline") == 0)
        #expect(
            fixture.outputLines.prefix(3) == ["http://h/old.png", "  source       cache", "  image        png, 8 × 6"])
        #expect(try cache.entries() == [entry])
    }

    // MARK: Failures

    @Test func rubbish_isNoPicture_andItsFreshnessIsReported() async throws {
        let page = Data("<!DOCTYPE html>\n<html><body>Log in</body></html>".utf8)
        let fixture = try LoadFixture { request in
            .bytes(page, contentType: "image/png").header("Cache-Control", "no-store")
        }
        let url = fixture.url("/a.png")
        #expect(try await fixture.probe(url) == 1)
        let error = try #require(fixture.errorLines.first)
        #expect(error.hasPrefix("\(url): not an image: "))
        #expect(fixture.errorLines.count == 1)
        let expected = [
            url, "  status       200", "  source       server", "  image        \(error.dropFirst(url.count + 2))",
            "  bytes        \(page.count)", "  freshness    must not be stored: no-store",
        ]
        #expect(fixture.outputLines == expected)
    }

    @Test func picturesProbedAtOnce_haveTheirOwnHashes() async throws {
        let pictures = try (0..<8).map { try PNGEncoder().encode(Pictures.plain(9, 9, [UInt8($0) * 30, 0, 0, 255])) }
        let fixture = try LoadFixture { request in
            .bytes(pictures[Int(request.path.dropFirst()) ?? 0], contentType: "image/png")
        }
        #expect(try await fixture.probe(pictures.indices.map { fixture.url("/\($0)") }) == 0)
        let hashes = fixture.outputLines.filter { $0.hasPrefix("  ThumbHash") }
        #expect(hashes == (try pictures.map { "  ThumbHash    \(try hash(of: $0))" }))
    }

    @Test func damagedPicture_isReported_withWhatItsHeaderSays() async throws {
        let damaged = try Pictures.png().prefix(60)
        let fixture = try LoadFixture { _ in .bytes(Data(damaged), contentType: "image/png") }
        #expect(try await fixture.probe(fixture.url("/a.png")) == 1)
        #expect(fixture.outputLines.contains("  image        png, 8 × 6"))
        #expect(!fixture.outputLines.contains { $0.contains("ThumbHash") })
        #expect(fixture.errorLines.count == 1 && fixture.errorLines.first?.contains("png") == true)
    }

    @Test func failures_areOneLineEach_andTheOthersAreReportedInOrder() async throws {
        let fixture = try fixture([:])
        let good = (0..<40).map { fixture.url("/\($0).png") }
        let file = fixture.temporary.url.appendingPathComponent("no.png").absoluteString
        let bad = [fixture.url("/missing"), "ftp://h/a", "a\nb", file]
        #expect(try await fixture.probe(Array(good[..<20]) + bad + good[20...]) == 1)
        #expect(fixture.outputLines.filter { !$0.hasPrefix(" ") } == good)
        #expect(fixture.errorLines.count == bad.count)
        #expect(fixture.errorLines.first == "\(bad[0]): the server answered with status 404")
        for (line, url) in zip(fixture.errorLines, bad) { #expect(line.hasPrefix(OneLine.of(url) + ": ")) }
    }

    @Test func unusableCache_isAWarning_andNoFailure() async throws {
        let fixture = try fixture([:])
        try Data("x".utf8).write(to: fixture.temporary.url.appendingPathComponent("file"))
        #expect(try await fixture.probe(fixture.url("/a.png"), "--cache", fixture.temporary.file("file")) == 0)
        #expect(fixture.outputLines.contains("  source       server"))
        #expect(!fixture.errorLines.isEmpty)
        #expect(fixture.errorLines.allSatisfy { $0.hasPrefix("warning: cache ") })
    }
}
