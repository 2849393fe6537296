import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// What a program does with a loader's downloads as a whole, and what a loader remembers of those that were useless.
@Suite(.timeLimit(.minutes(1))) struct DownloadControlTests {
    private var fixture: LoaderFixture
    private let png: Data

    init() throws {
        png = try Pictures.png()
        fixture = try LoaderFixture(ScriptedDataLoader())
    }

    private func untilQueued(_ count: Int) async {
        await fixture.events.wait { $0.count { if case .began(.queued) = $0 { true } else { false } } >= count }
    }

    // MARK: Scheduling

    @Test func pause_startsNoDownloads_andCachesAnswer() async throws {
        let loader = fixture.makeLoader()
        let first = loader.imageTask(for: try .test("first.png"))
        let call = try await fixture.transport.nextCall()
        await loader.downloads.pause()
        let waiting = loader.imageTask(for: try .test())
        await untilQueued(1)
        call.answer(png)
        _ = try await first.value
        #expect(try await loader.response(for: .test("first.png")).source == .memory)
        _ = try await loader.image(for: ImageRequest(data: png, id: "bytes"))
        let statistics = await loader.downloads.statistics
        #expect(statistics.running == 0 && statistics.queued == 1)
        #expect(fixture.transport.callCount == 1)
        await loader.downloads.resume()
        try await fixture.transport.nextCall().answer(png)
        _ = try await waiting.value
    }

    /// The loader's own transport, and each one that is given without settings.
    @Test(arguments: [nil] + RealTransport.all)
    func transport_hasConnection_forEachDownload(transport: RealTransport?) async throws {
        let server = try LoopbackServer()
        var configuration = fixture.configuration
        configuration.dataLoader = transport?.make(TransportSettings())
        // Nothing but what the test does ends a download, however busy the machine is.
        configuration.download.idleTimeout = .seconds(3_600)
        configuration.download.maximumConcurrentDownloads = 12
        configuration.download.maximumConcurrentDownloadsPerHost = 1
        let loader = ImageLoader(configuration)
        try await loader.downloads.setMaximumConcurrentDownloads(12, forHostOf: server.url())
        let tasks = (0..<12).map { loader.dataTask(for: ImageRequest(url: server.url("/\($0)"))) }
        try await server.until { $0.activeRequests == 12 }
        for _ in tasks { (try await server.nextRequest()).reply(.bytes(png)) }
        for task in tasks { #expect(try await task.value == png) }
    }

    @Test func width_appliesToItsHostOnly() async throws {
        let loader = fixture.makeLoader()
        let host = try #require(URL(string: "HTTPS://HOST.test:81/any?x"))
        try await loader.downloads.setMaximumConcurrentDownloads(1, forHostOf: host)
        let tasks = try ["a.png", "b.png"].map { loader.imageTask(for: try .test($0)) }
        let call = try await fixture.transport.nextCall()
        await untilQueued(1)
        #expect(await loader.downloads.statistics.queuedByHost == ["host.test": 1])
        let other = loader.imageTask(for: try ImageRequest("http://a.host.test/a.png"))
        let otherCall = try await fixture.transport.nextCall()
        #expect(otherCall.request.url.host == "a.host.test")
        // Taken back, the second has a slot although the first still has one.
        try await loader.downloads.setMaximumConcurrentDownloads(nil, forHostOf: .test())
        let second = try await fixture.transport.nextCall()
        for call in [call, otherCall, second] { call.answer(png) }
        for task in tasks + [other] { _ = try await task.value }
    }

    @Test func statistics_countDownloadOutcomes() async throws {
        let loader = fixture.makeLoader()
        let tasks = [loader.imageTask(for: try .test()), loader.imageTask(for: try .test())]
        let data = loader.dataTask(for: try .test())
        let call = try await fixture.transport.nextCall()
        await fixture.untilCoalesced(1)
        while !Task.isCancelled, await loader.downloads.statistics.coalesced < 1 { await Task.yield() }
        #expect(await loader.downloads.statistics.running == 1)
        call.answer(png)
        for task in tasks { _ = try await task.value }
        _ = try await data.value
        let failing = loader.dataTask(for: try .test("failing.png"))
        (try await fixture.transport.nextCall()).fail(.timedOut(.idle))
        await #expect(throws: ImageLoaderError.timedOut(.idle)) { try await failing.value }
        let cancelled = loader.dataTask(for: try .test("cancelled.png"))
        let last = try await fixture.transport.nextCall()
        cancelled.cancel()
        try await last.cancelled()
        while !Task.isCancelled, await loader.downloads.statistics.cancelled == 0 { await Task.yield() }
        let statistics = await loader.downloads.statistics
        #expect(statistics.started == 3 && statistics.succeeded == 1 && statistics.failed == 1)
        // One image task joined the other's flight; the data task joined their download, or the other way round.
        #expect(await loader.coalescedLoadCount == 1)
        #expect(statistics.coalesced == 1)
        #expect(statistics.running == 0 && statistics.queued == 0)
        #expect(statistics.bytesReceived == png.count)
    }

    @Test func retries_areReportedAndCounted() async throws {
        var fixture = fixture
        fixture.configuration.download.retry = .atOnce()
        let loader = fixture.makeLoader()
        let task = loader.imageTask(for: try .test())
        (try await fixture.transport.nextCall()).respond(status: 503)
        try await fixture.transport.nextCall().answer(png)
        #expect(try await task.value.source == .network)
        #expect(await loader.downloads.statistics.retried == 1)
        var events = task.events.makeAsyncIterator()
        #expect(await events.next() == .started(attempt: 2))
    }

    // MARK: Remembered failures

    private func remembering(_ answer: ScriptedDataLoader.Answer) throws -> LoaderFixture {
        var fixture = try LoaderFixture(ScriptedDataLoader { _ in answer })
        fixture.configuration.download.failureLifetimes = FailureLifetimes()
        return fixture
    }

    @Test func rememberedFailure_answers_untilForgotten() async throws {
        let fixture = try remembering(.status(404))
        let loader = fixture.makeLoader()
        func fail(_ path: String, calls: Int) async throws {
            await #expect(throws: ImageLoaderError.badStatus(404)) { try await loader.image(for: .test(path)) }
            #expect(fixture.transport.callCount == calls)
        }
        try await fail("a.png", calls: 1)
        try await fail("a.png", calls: 1)
        try await fail("b.png", calls: 2)
        await loader.downloads.forgetFailure(of: try .test("a.png"))
        try await fail("a.png", calls: 3)
        try await fail("b.png", calls: 3)
        await loader.downloads.forgetFailures()
        try await fail("b.png", calls: 4)
        await loader.remove(try .test("b.png"))
        try await fail("b.png", calls: 5)
        await loader.removeAll()
        try await fail("b.png", calls: 6)
    }

    @Test func failure_isRemembered_forItsClassLifetime() async throws {
        var fixture = try remembering(.status(404))
        let clock = ManualClock()
        fixture.configuration.clock = clock
        let loader = fixture.makeLoader()
        for (advance, calls) in [(0, 1), (299, 1), (1, 2)] {
            clock.advance(by: .seconds(advance))
            await #expect(throws: ImageLoaderError.badStatus(404)) { try await loader.image(for: .test()) }
            #expect(fixture.transport.callCount == calls)
        }
    }

    @Test func undecodableBody_isRemembered_whenLengthWasKnown() async throws {
        let damaged = png.prefix(png.count / 2)
        for (answer, isRemembered) in [
            (ScriptedDataLoader.Answer.bytes(damaged), true), (.bytes(Data("<html>".utf8)), true),
            (.response(status: 200, headers: [:], body: damaged, expectedBytes: nil), false),
            (
                .response(status: 200, headers: ["Transfer-Encoding": "chunked"], body: damaged, expectedBytes: nil),
                true
            ),
        ] {
            let fixture = try remembering(answer)
            let loader = fixture.makeLoader()
            for _ in 0..<2 {
                let kind = await failure { try await loader.image(for: .test()) }
                #expect(kind == .corruptImage || kind == .notAnImage)
            }
            #expect(fixture.transport.callCount == (isRemembered ? 1 : 2))
            await loader.flush()
            #expect(try await loader.isKept(.test()) == false)
        }
    }

    @Test func undecodableBytes_areStillReturned() async throws {
        let page = Data("<svg>".utf8)
        let fixture = try remembering(.bytes(page))
        let loader = fixture.makeLoader()
        #expect(await failure { try await loader.image(for: .test()) } == .unsupportedFormat)
        #expect(try await loader.data(for: try .test()) == page)
    }

    @Test func truncatedBodyWithoutLength_isNotStored() async throws {
        let png = try Pictures.png(64, 64)
        let server = try LoopbackServer()
        server.enqueue(.bytes(png).withoutLength().truncating(.afterBytes(png.count / 2)), .bytes(png))
        var configuration = fixture.configuration
        configuration.dataLoader = nil
        configuration.download.failureLifetimes = FailureLifetimes()
        let loader = ImageLoader(configuration, calls: fixture.calls)
        let request = ImageRequest(url: server.url("/a.png"))
        #expect(await failure { try await loader.image(for: request) } == .corruptImage)
        await loader.flush()
        #expect(try await loader.isKept(request) == false)
        #expect(try await loader.response(for: request).source == .network)
        #expect(server.statistics.requests == 2)
    }
}

extension ImageLoader {
    /// Whether one of the caches has it.
    fileprivate func isKept(_ request: ImageRequest) async throws -> Bool {
        var request = request
        request.readPolicy = .cachedOnly
        do {
            _ = try await image(for: request)
            return true
        } catch ImageLoaderError.notCached {
            return false
        }
    }
}
