import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Whatever comes in: a typed error that says what was wrong, and nothing in any cache.
@Suite(.timeLimit(.minutes(1))) struct BadInputTests {
    /// Loads over a transport that answers so, and checks that nothing was kept.
    private func error(answering answer: ScriptedDataLoader.Answer) async throws -> ImageLoaderError? {
        let fixture = try LoaderFixture(ScriptedDataLoader { _ in answer })
        let loader = fixture.makeLoader()
        let request = ImageRequest(url: try .test())
        let error = await #expect(throws: ImageLoaderError.self) { try await loader.image(for: request) }
        await loader.flush()
        #expect(loader.cachedImage(for: request) == nil)
        #expect(try fixture.temporary.names(in: "cache/entries").isEmpty)
        #expect(try fixture.temporary.names(in: "cache/temporary").isEmpty)
        #expect(fixture.cacheFailures.isEmpty)
        // Nothing remembers the failure either.
        await #expect(throws: ImageLoaderError.self) { try await loader.image(for: request) }
        #expect(fixture.transport.callCount == 2)
        return error
    }

    @Test(arguments: [
        "", "not a url", "http://[", "http://exa mple.com/", "no-scheme.png", "/absolute/path",
        "http://host.test:99999/a.png", "file:", "http:///x.png", "https://", "http://?a", "http://#a", "https://:80/",
        "http://user@/a.png",
    ])
    func invalidURL_isRejected(text: String) async throws {
        let error = #expect(throws: ImageLoaderError.self) { try ImageRequest(text) }
        if case .invalidURL(text, _) = error {} else { Issue.record("\(String(describing: error))") }
    }

    @Test(arguments: [
        "http://host", "HTTPS://Host.Test/a.png", "https://host?a", "http://host#a", "http://user@host.test:80/a.png",
        "http://127.0.0.1/a.png", "http://[::1]:80/a.png", "https://a-b.c/%20", "http://a_b/",
    ])
    func validURL_isAccepted(text: String) throws {
        try ImageRequest(text).validate()
    }

    @Test(arguments: ["ftp", "javascript", "about", "blob"])
    func otherSchemes_areRejected_withoutRequest(scheme: String) async throws {
        let fixture = try LoaderFixture(ScriptedDataLoader { _ in .status(200) })
        let url = try #require(URL(string: "\(scheme)://host.test/a.png"))
        await #expect(throws: ImageLoaderError.unsupportedScheme(scheme)) {
            try await fixture.makeLoader().image(for: url)
        }
        #expect(fixture.transport.callCount == 0)
    }

    @Test func relativeURL_isRejected() async throws {
        let fixture = try LoaderFixture(ScriptedDataLoader { _ in .status(200) })
        let url = try #require(URL(string: "a.png"))
        await #expect(throws: ImageLoaderError.invalidURL("a.png", reason: "it has no scheme, such as https: or file:"))
        {
            try await fixture.makeLoader().image(for: url)
        }
    }

    @Test(arguments: [301, 304, 400, 401, 404, 410, 500, 503])
    func failureStatus_isReported(status: Int) async throws {
        #expect(try await error(answering: .response(status: status, body: Pictures.png())) == .badStatus(status))
    }

    @Test func emptyBody_isReported() async throws {
        #expect(try await error(answering: .bytes(Data())) == .emptyBody)
        #expect(try await error(answering: .status(204)) == .emptyBody)
    }

    @Test func htmlPage_isReported() async throws {
        let page = Data("<!DOCTYPE html><html><body>Please log in</body></html>".utf8)
        let headers: HTTPHeaders = ["Content-Type": "image/png"]
        #expect(try await error(answering: .bytes(page, headers: headers)) == .notAnImage(found: "HTML"))
    }

    @Test func bodyShorterThanAnnounced_isReported() async throws {
        let png = try Pictures.png()
        let answer = ScriptedDataLoader.Answer.response(
            status: 200, headers: [:], body: png, expectedBytes: png.count + 9)
        #expect(try await error(answering: answer) == .truncated(received: png.count, expected: png.count + 9))
    }

    @Test func oversizedBody_isRejected_byLengthAndWhileReceiving() async throws {
        for announced in [5_000, nil] {
            var fixture = try LoaderFixture(
                ScriptedDataLoader { _ in
                    .response(status: 200, headers: [:], body: Data(count: 5_000), expectedBytes: announced)
                })
            fixture.configuration.download.response.maximumBytes = 4_999
            await #expect(throws: ImageLoaderError.limitExceeded(.inputBytes, value: 5_000, allowed: 4_999)) {
                try await fixture.makeLoader().image(for: .test())
            }
        }
    }

    @Test func oversizedLength_isRejected_beforeTheBody() async throws {
        var fixture = try LoaderFixture(ScriptedDataLoader())
        fixture.configuration.download.response.maximumBytes = 4_999
        let loader = fixture.makeLoader()
        let load = Task { try await loader.image(for: .test()) }
        let call = try await fixture.transport.nextCall()
        call.respond(expectedBytes: 5_000)
        await #expect(throws: ImageLoaderError.limitExceeded(.inputBytes, value: 5_000, allowed: 4_999)) {
            try await load.value
        }
    }

    @Test func invalidLength_isIgnored_andLongerBodyReported() async throws {
        let png = try Pictures.png()
        let fixture = try LoaderFixture(
            ScriptedDataLoader { _ in .response(status: 200, headers: [:], body: png, expectedBytes: -1) })
        _ = try await fixture.makeLoader().image(for: .test())
        let long = ScriptedDataLoader.Answer.response(status: 200, headers: [:], body: png, expectedBytes: 10)
        let error = try await error(answering: long)
        if case .malformedResponse = error {} else { Issue.record("\(String(describing: error))") }
    }

    @Test func unrequestedPart_isReported() async throws {
        let error = try await error(answering: .response(status: 206, body: Pictures.png()))
        if case .malformedResponse = error {} else { Issue.record("\(String(describing: error))") }
    }

    @Test(arguments: [0.02, 0.3, 0.7, 0.99])
    func truncatedJPEG_isReported(share: Double) async throws {
        let jpeg = try Pictures.jpeg(200, 150)
        let part = jpeg.prefix(Int(Double(jpeg.count) * share))
        let error = try await error(answering: .bytes(part))
        if case .corruptImage(.jpeg, _) = error {} else { Issue.record("\(String(describing: error))") }
    }

    @Test func hugeClaimedSize_isRejected_beforeAllocating() async throws {
        var png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        png += [0, 0, 0, 13] + Data("IHDR".utf8) + [0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30, 8, 6, 0, 0, 0]
        png += [0xE8, 0xC3, 0x7D, 0x1A] + Data(count: 65 - png.count - 4)
        #expect(png.count == 65)
        #expect(
            try await error(answering: .bytes(png))
                == .limitExceeded(.imagePixels, value: 900_000_000, allowed: 1 << 28))
    }

    @Test func formatWithoutDecoder_isNamed() async throws {
        let pdf = Data("%PDF-1.7".utf8) + Data(count: 92)
        let error = try await error(answering: .bytes(pdf))
        if case .unsupportedFormat(.pdf) = error {} else { Issue.record("\(String(describing: error))") }
    }

    // MARK: Files

    @Test func localFile_isCachedInMemoryOnly() async throws {
        let fixture = try LoaderFixture(ScriptedDataLoader())
        let file = fixture.temporary.url.appendingPathComponent("a picture.png")
        try Pictures.png().write(to: file)
        let loader = fixture.makeLoader()
        #expect(try await loader.response(for: ImageRequest(url: file)).source == .local)
        #expect(try await loader.response(for: ImageRequest(url: file)).source == .memory)
        #expect(try await loader.data(for: ImageRequest(url: file)) == Pictures.png())
        #expect(try fixture.temporary.names() == ["a picture.png"])
    }

    @Test func unreadableLocalFile_isReported() async throws {
        let fixture = try LoaderFixture(ScriptedDataLoader())
        let loader = fixture.makeLoader()
        let directory = fixture.temporary.url
        await #expect(throws: ImageLoaderError.fileUnreadable(path: directory.path, reason: "not a regular file")) {
            try await loader.image(for: URL(fileURLWithPath: directory.path))
        }
        let missing = directory.appendingPathComponent("missing.png")
        await #expect(throws: ImageLoaderError.fileUnreadable(path: missing.path, reason: "No such file or directory"))
        {
            try await loader.image(for: missing)
        }
        let empty = directory.appendingPathComponent("empty.png")
        try Data().write(to: empty)
        await #expect(throws: ImageLoaderError.emptyBody) { try await loader.image(for: empty) }
        let far = try #require(URL(string: "file://elsewhere/a.png"))
        #expect(await failure { try await loader.image(for: far) } == .invalidURL)
        let relative = try #require(URL(string: "file:a.png"))
        await #expect(throws: ImageLoaderError.invalidURL("file:a.png", reason: "its path is relative")) {
            try await loader.image(for: relative)
        }
    }

    @Test(arguments: ["", "localhost", "LOCALHOST"]) func localhostFile_isRead(host: String) async throws {
        let fixture = try LoaderFixture(ScriptedDataLoader())
        let file = fixture.temporary.url.appendingPathComponent("a.png")
        try Pictures.png().write(to: file)
        let url = try #require(URL(string: "file://\(host)\(file.path)"))
        _ = try await fixture.makeLoader().image(for: url)
    }

    @Test func localFileAboveLimit_isRejected() async throws {
        var fixture = try LoaderFixture(ScriptedDataLoader())
        fixture.configuration.download.response.maximumBytes = 99
        let file = fixture.temporary.url.appendingPathComponent("large.png")
        try Data(count: 100).write(to: file)
        await #expect(throws: ImageLoaderError.limitExceeded(.inputBytes, value: 100, allowed: 99)) {
            try await fixture.makeLoader().image(for: file)
        }
    }

    @Test func largestSettings_areHandled() async throws {
        let png = try Pictures.png()
        var fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(png) })
        fixture.configuration.memory.maximumBytes = .max
        fixture.configuration.disk?.maximumBytes = .max
        fixture.configuration.download.maximumConcurrentDownloads = .max
        fixture.configuration.download.maximumConcurrentDownloadsPerHost = .max
        fixture.configuration.download.maximumResumableBytes = .max
        fixture.configuration.download.bodyBudget = BodyBudget(byteLimit: .max)
        fixture.configuration.download.redirects.limit = .max
        fixture.configuration.download.totalTimeout = .seconds(Int64.max)
        fixture.configuration.download.idleTimeout = .seconds(Int64.max)
        fixture.configuration.download.retry.attempts = .max
        fixture.configuration.download.retry.hostBudget = .max
        fixture.configuration.decode.maximumConcurrentDecodes = .max
        fixture.configuration.decode.limits.bitmapBytes = .max
        fixture.configuration.decode.limits.pixels = .max
        fixture.configuration.decode.limits.side = .max
        let loader = fixture.makeLoader()
        #expect(try await loader.image(for: .test()).size == PixelSize(width: 8, height: 6))
        await loader.flush()
    }

    @Test func everyError_hasOneLineDescription() {
        let errors: [ImageLoaderError] = [
            .cancelled, .invalidURL("x", reason: "y"), .unsupportedScheme("ftp"), .badStatus(404), .emptyBody,
            .fileUnreadable(path: "/x", reason: "y"), .connectionFailed(.refused, detail: "z"), .timedOut(.idle),
            .timedOut(.total), .redirectRefused(location: "x", reason: "y"), .malformedResponse("x"),
            .truncated(received: 1, expected: 2), .truncated(received: 1, expected: nil), .notAnImage(found: "HTML"),
            .unsupportedImage(.gif, reason: "x"), .corruptImage(.jpeg, reason: "x"), .encodingFailed(.png, reason: "x"),
            .limitExceeded(.imagePixels, value: 2, allowed: 1),
        ]
        let texts = errors.map { "\($0)" }
        #expect(Set(texts).count == errors.count)
        #expect(texts.allSatisfy { !$0.contains("\n") && !$0.isEmpty })
    }
}
