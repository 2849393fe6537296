import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct FallbackTests {
    private let png: Data
    private let asked = Recorder<DataRequest>()

    init() throws { png = try Pictures.png() }

    /// Serves those of the paths that `good` has, and answers the others with a status by their name.
    private func fixture(good: Set<String>) throws -> LoaderFixture {
        try LoaderFixture(
            ScriptedDataLoader { [png, asked] request in
                asked.record(request)
                let name = request.url.lastPathComponent
                return good.contains(name) ? .bytes(png) : .status(Int(name) ?? 500)
            })
    }

    private func request(_ path: String, _ fallbacks: String...) throws -> ImageRequest {
        var request = try ImageRequest.test(path)
        request.fallbacks = try fallbacks.map { try URL.test($0) }
        return request
    }

    private var paths: [String] { asked.values.map(\.url.lastPathComponent) }

    @Test func fallbacks_areNotRequested_whenFirstLoads() async throws {
        let loader = try fixture(good: ["a.png"]).makeLoader()
        _ = try await loader.image(for: request("a.png", "b.png"))
        #expect(paths == ["a.png"])
    }

    @Test func fallbacks_areTried_inOrderWithSameOptions() async throws {
        let fixture = try fixture(good: ["c.png", "d.png"])
        let loader = fixture.makeLoader()
        var request = try request("404", "410", "c.png", "d.png")
        request.headers["X-Size"] = "large"
        request.credentials = .init(user: "me", password: "secret")
        request.method = .post
        request.body = Data("body".utf8)
        request.readPolicy = .reload
        _ = try await loader.image(for: request)
        #expect(paths == ["404", "410", "c.png"])
        for sent in asked.values {
            #expect(sent.headers["X-Size"] == "large")
            #expect(sent.headers["Authorization"] == "Basic bWU6c2VjcmV0")
            #expect(sent.headers["Cache-Control"] == "no-cache")
            #expect(sent.method == .post && sent.body == Data("body".utf8))
        }
        #expect(try await loader.data(for: request) == png)
        #expect(paths.count == 6)
    }

    @Test func whenAllFail_errorOfLastIsThrown() async throws {
        let fixture = try fixture(good: [])
        let loader = fixture.makeLoader()
        await #expect(throws: ImageLoaderError.badStatus(503)) {
            try await loader.image(for: request("404", "500", "503"))
        }
        await #expect(throws: ImageLoaderError.badStatus(410)) { try await loader.data(for: request("404", "410")) }
        let failed = fixture.events.values.compactMap { event in
            if case .failed(let request, _) = event { request.url?.lastPathComponent } else { nil }
        }
        // One for the image, one for the bytes.
        #expect(failed == ["404", "404"])
    }

    @Test func image_isStored_underURLThatServedIt() async throws {
        let fixture = try fixture(good: ["b.png"])
        let loader = fixture.makeLoader()
        let request = try request("404", "b.png")
        #expect(try await loader.response(for: request).source == .network)
        #expect(loader.cachedImage(for: request) == nil)
        #expect(loader.cachedImage(for: try .test("b.png")) != nil)
        #expect(try await loader.response(for: request).source == .memory)
        await loader.flush()
        #expect(try await fixture.makeLoader().response(for: try .test("b.png")).source == .disk)
        #expect(paths == ["404", "b.png", "404"])
    }

    @Test func cancelling_stopsChain() async throws {
        let fixture = try LoaderFixture(ScriptedDataLoader())
        let loader = fixture.makeLoader()
        // One that is in memory would be handed out to a cancelled Task too.
        let early = loader.imageTask(for: try .test("c.png"))
        let call = try await fixture.transport.nextCall()
        call.respond()
        call.send(png)
        call.finish()
        _ = try await early.value
        let task = loader.imageTask(for: try request("a.png", "b.png", "c.png"))
        (try await fixture.transport.nextCall()).fail(.timedOut(.idle))
        let second = try await fixture.transport.nextCall()
        #expect(second.request.url.path == "/b.png")
        task.cancel()
        try await second.cancelled()
        await #expect(throws: ImageLoaderError.cancelled) { try await task.value }
        #expect(fixture.transport.callCount == 3)
    }

    @Test func secrets_areNotSent_toAnotherOrigin() async throws {
        var fixture = try fixture(good: ["c.png"])
        fixture.configuration.download.redirects.secretHeaders = ["X-Key"]
        var request = try request("404")
        request.credentials = .init(user: "me", password: "secret")
        request.headers["X-Key"] = "secret"
        request.headers["X-Size"] = "large"
        let bound = ["Host", "Origin", "Referer", "Cookie", "Proxy-Authorization"]
        for name in bound { request.headers[name] = "one.test" }
        request.fallbacks = [try #require(URL(string: "http://mirror.test/410")), try .test("c.png")]
        _ = try await fixture.makeLoader().image(for: request)
        let sent = asked.values.map(\.headers)
        #expect(sent.map { $0["Authorization"] != nil } == [true, false, true])
        #expect(sent.map { $0["X-Key"] } == ["secret", nil, "secret"])
        #expect(sent.map { $0["X-Size"] } == ["large", "large", "large"])
        for name in bound { #expect(sent.map { $0[name] } == ["one.test", nil, "one.test"], "\(name)") }
    }

    @Test func events_continue_withFallback() async throws {
        let fixture = try LoaderFixture(ScriptedDataLoader())
        let task = fixture.makeLoader().imageTask(for: try request("a.png", "b.png"))
        var events = task.events.makeAsyncIterator()
        let first = try await fixture.transport.nextCall()
        #expect(await events.next() == .started(attempt: 1))
        first.fail(.timedOut(.idle))
        let second = try await fixture.transport.nextCall()
        var next = await events.next()
        // The end of the first, unless the second began before it was read.
        if next == .ended(error: .timedOut(.idle)) { next = await events.next() }
        #expect(next == .started(attempt: 1))
        second.respond()
        second.send(png)
        second.finish()
        _ = try await task.value
        while let event = await events.next() { next = event }
        #expect(next == .ended(error: nil))
    }

    @Test func fallback_mayBeAnotherKindOfSource() async throws {
        let loader = try fixture(good: []).makeLoader()
        var request = try request("404")
        let picture = try #require(URL(string: "data:image/png;base64,\(png.base64EncodedString())"))
        request.fallbacks = [try #require(URL(string: "ftp://host.test/a.png")), picture]
        #expect(try await loader.response(for: request).source == .local)
    }

    @Test func cachedFallback_isFound_withoutServer() async throws {
        let loader = try fixture(good: ["b.png"]).makeLoader()
        _ = try await loader.image(for: .test("b.png"))
        var request = try request("404", "b.png")
        request.readPolicy = .cachedOnly
        #expect(try await loader.response(for: request).source == .memory)
        #expect(paths == ["b.png"])
    }
}
