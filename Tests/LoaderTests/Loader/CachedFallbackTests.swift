import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Which loads are answered with a cached fallback, without asking for the URL that failed before it.
@Suite(.timeLimit(.minutes(1))) struct CachedFallbackTests {
    private let png: Data
    private let clock = ManualClock()
    private let asked = Recorder<String>()

    init() throws { png = try Pictures.png() }

    /// A server that has the paths in `good`, sends text in chunks for `text.html`, and fails for all other paths.
    private func fixture(
        good: Set<String> = ["b.png"], _ configure: (inout ImageLoader.Configuration) -> Void = { _ in }
    ) throws -> LoaderFixture {
        var fixture = try LoaderFixture(
            ScriptedDataLoader { [png, asked] request in
                let name = request.url.lastPathComponent
                asked.record(name)
                if name == "text.html" {
                    return .response(status: 200, headers: [:], body: Data("<html>".utf8), expectedBytes: nil)
                }
                return good.contains(name) ? .bytes(png) : .status(Int(name) ?? 503)
            })
        fixture.configuration.clock = clock
        fixture.configuration.download.failureLifetimes = FailureLifetimes()
        configure(&fixture.configuration)
        return fixture
    }

    private func request(
        _ path: String = "a.png", _ fallbacks: String..., change: (inout ImageRequest) -> Void = { _ in }
    ) throws -> ImageRequest {
        var request = try ImageRequest.test(path)
        request.fallbacks = try (fallbacks.isEmpty ? ["b.png"] : fallbacks).map { try .test($0) }
        change(&request)
        return request
    }

    /// Forgets which paths were asked for, and returns them.
    private func takeAsked() -> [String] { asked.takeAll() }

    // MARK: Where the fallback is

    @Test func memoryFallback_answers_forHalfAMinute() async throws {
        let fixture = try fixture { configuration in
            configuration.download.retry = RetryPolicy()
            // It sleeps on the clock too.
            configuration.disk = nil
        }
        let loader = fixture.makeLoader()
        let first = loader.imageTask(for: try request())
        // Two retries, each after a delay.
        for _ in 0..<2 { clock.advance(to: try await clock.nextSleeper()) }
        #expect(try await first.value.source == .network)
        #expect(takeAsked() == ["a.png", "a.png", "a.png", "b.png"])

        #expect(try await loader.response(for: request()).source == .memory)
        clock.advance(by: .seconds(30) - .nanoseconds(1))
        #expect(try await loader.response(for: request()).source == .memory)
        #expect(takeAsked().isEmpty)

        clock.advance(by: .nanoseconds(1))
        let second = loader.imageTask(for: try request())
        for _ in 0..<2 { clock.advance(to: try await clock.nextSleeper()) }
        #expect(try await second.value.source == .memory)
        #expect(takeAsked() == ["a.png", "a.png", "a.png"])
    }

    /// The server may accept the same image's URL with another signature.
    @Test func fallbackIsNoAnswer_whenAnotherURLWithTheKeyFailed() async throws {
        let loader = try fixture { $0.download.cacheKeys = .droppingQueryItems(["sig"]) }.makeLoader()
        _ = try await loader.image(for: request("403?sig=1"))
        #expect(takeAsked() == ["403", "b.png"])
        _ = try await loader.image(for: request("403?sig=1"))
        #expect(takeAsked().isEmpty)
        _ = try await loader.image(for: request("403?sig=2"))
        #expect(takeAsked() == ["403"])
    }

    @Test func fallbackLifetime_isConfigurable() async throws {
        let fixture = try fixture { $0.download.failureLifetimes.withCachedFallback = .seconds(5) }
        let loader = fixture.makeLoader()
        _ = try await loader.image(for: request())
        clock.advance(by: .seconds(5))
        _ = takeAsked()
        _ = try await loader.image(for: request())
        #expect(takeAsked() == ["a.png"])
    }

    @Test func diskFallback_answers() async throws {
        let loader = try fixture().makeLoader()
        _ = try await loader.image(for: request())
        await loader.flush()
        await loader.memoryCache.remove(.all)
        _ = takeAsked()
        #expect(try await loader.response(for: request()).source == .disk)
        #expect(takeAsked().isEmpty)
    }

    @Test func fallbackBytes_answer() async throws {
        let loader = try fixture().makeLoader()
        _ = try await loader.image(for: request())
        await loader.flush()
        _ = takeAsked()
        #expect(try await loader.data(for: request()) == png)
        #expect(takeAsked().isEmpty)
    }

    @Test func uncachedFallback_isIgnored() async throws {
        let loader = try fixture().makeLoader()
        _ = try await loader.image(for: request())
        await loader.remove(try .test("b.png"))
        _ = takeAsked()
        #expect(try await loader.response(for: request()).source == .network)
        #expect(takeAsked() == ["a.png", "b.png"])
    }

    // MARK: Chains

    @Test func firstCachedFallback_answers() async throws {
        let loader = try fixture(good: ["c.png", "d.png"]).makeLoader()
        _ = try await loader.image(for: request("a.png", "b.png", "c.png", "d.png"))
        _ = try await loader.image(for: .test("d.png"))
        _ = takeAsked()
        let found = try await loader.image(for: request("a.png", "b.png", "c.png", "d.png"))
        #expect(loader.cachedImage(for: try .test("c.png"))?.bitmap === found.bitmap)
        #expect(takeAsked().isEmpty)
    }

    @Test func untriedURL_isRequested_beforeLaterFallbackAnswers() async throws {
        let loader = try fixture(good: ["b.png", "c.png"]).makeLoader()
        _ = try await loader.image(for: request("a.png", "b.png", "c.png"))
        _ = try await loader.image(for: .test("c.png"))
        await loader.remove(try .test("b.png"))
        _ = takeAsked()
        #expect(try await loader.response(for: request("a.png", "b.png", "c.png")).source == .network)
        #expect(takeAsked() == ["a.png", "b.png"])
    }

    @Test func failedURL_answers_onceCached() async throws {
        let loader = try fixture().makeLoader()
        _ = try await loader.image(for: request())
        let kept = DecodedImage(bitmap: try Pictures.plain(1, 1))
        try await loader.store(kept, for: .test("a.png"))
        await #expect(throws: ImageLoaderError.badStatus(503)) {
            try await loader.image(for: .test { $0.readPolicy = .reload })
        }
        #expect(try await loader.image(for: request()).bitmap === kept.bitmap)
    }

    @Test func lastError_isThrown_whenNoneIsCached() async throws {
        let loader = try fixture(good: []).makeLoader()
        for _ in 0..<2 {
            await #expect(throws: ImageLoaderError.badStatus(500)) { try await loader.image(for: request("a", "500")) }
            #expect(takeAsked() == ["a", "500"])
        }
    }

    // MARK: Who asks anew

    @Test func retryingRequest_reachesTheServer() async throws {
        let loader = try fixture().makeLoader()
        let changes: [(inout ImageRequest) -> Void] = [
            { $0.retriesFailed = true }, { $0.readPolicy = .reload },
            { ($0.readPolicy, $0.writePolicy) = (.reload, .nothing) },
        ]
        for change in changes {
            _ = try await loader.image(for: request())
            _ = takeAsked()
            _ = try await loader.image(for: request(change: change))
            #expect(takeAsked().first == "a.png")
        }
    }

    @Test func forgettingOrRemoving_reachesTheServer() async throws {
        let loader = try fixture().makeLoader()
        for forget in [
            { await loader.downloads.forgetFailure(of: try .test()) }, { await loader.downloads.forgetFailures() },
            { await loader.remove(try .test()) },
        ] as [() async throws -> Void] {
            _ = try await loader.image(for: request())
            _ = takeAsked()
            try await forget()
            #expect(try await loader.response(for: request()).source == .memory)
            #expect(takeAsked() == ["a.png"])
        }
    }

    @Test func requestWithoutFallbacks_asksServer() async throws {
        let loader = try fixture().makeLoader()
        _ = try await loader.image(for: request())
        _ = takeAsked()
        await #expect(throws: ImageLoaderError.badStatus(503)) { try await loader.image(for: .test()) }
        await #expect(throws: ImageLoaderError.badStatus(503)) { try await loader.data(for: .test()) }
        #expect(takeAsked() == ["a.png", "a.png"])
    }

    @Test func success_forgetsFailure() async throws {
        let answers = Recorder<Void>()
        var fixture = try LoaderFixture(
            ScriptedDataLoader { [png, asked] request in
                asked.record(request.url.lastPathComponent)
                guard request.url.lastPathComponent == "a.png" else { return .bytes(png) }
                answers.record(())
                return answers.values.count == 1 ? .status(503) : .bytes(png)
            })
        fixture.configuration.download.failureLifetimes = FailureLifetimes()
        let loader = fixture.makeLoader()
        _ = try await loader.image(for: request())
        _ = try await loader.image(for: request { ($0.readPolicy, $0.writePolicy) = (.reload, .nothing) })
        _ = takeAsked()
        #expect(try await loader.response(for: request()).source == .network)
        #expect(takeAsked() == ["a.png"])
    }

    // MARK: Bytes that are no picture

    @Test func undecodableBytes_failImageLoadsOnly() async throws {
        let loader = try fixture().makeLoader()
        let request = try request("text.html", "b.png")
        _ = try await loader.image(for: request)
        _ = takeAsked()
        #expect(try await loader.response(for: request).source == .memory)
        #expect(takeAsked().isEmpty)
        await loader.flush()
        #expect(try await loader.data(for: request) == Data("<html>".utf8))
        #expect(takeAsked() == ["text.html"])
    }

    @Test func cancelledLoad_isNotRemembered() async throws {
        let fixture = try LoaderFixture(ScriptedDataLoader())
        var configuration = fixture.configuration
        configuration.download.failureLifetimes = FailureLifetimes()
        let loader = ImageLoader(configuration, calls: fixture.calls)
        let kept = DecodedImage(bitmap: try Pictures.plain(1, 1))
        try await loader.store(kept, for: .test("b.png"))
        let task = loader.imageTask(for: try request())
        let call = try await fixture.transport.nextCall()
        task.cancel()
        try await call.cancelled()
        let next = loader.imageTask(for: try request())
        (try await fixture.transport.nextCall()).fail(.timedOut(.idle))
        #expect(try await next.image.bitmap === kept.bitmap)
        #expect(fixture.transport.callCount == 2)
    }
}
