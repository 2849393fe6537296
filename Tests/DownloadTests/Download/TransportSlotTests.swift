import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// The effect of the slots on a server, for every transport.
@Suite(.timeLimit(.minutes(2))) struct TransportSlotTests {
    private func makeFixture(
        _ transport: RealTransport, _ configure: (inout DownloadCoordinator.Settings) -> Void
    ) -> CoordinatorFixture {
        var settings = TransportSettings()
        settings.maximumConnectionsPerHost = 64
        return CoordinatorFixture(loader: transport.make(settings)) {
            $0.idleTimeout = .seconds(3_600)
            configure(&$0)
        }
    }

    @Test(arguments: RealTransport.all)
    func hostLimit_holds_underCancellation(_ transport: RealTransport) async throws {
        let fixture = makeFixture(transport) {
            $0.maximumConcurrentDownloads = 12
            $0.maximumConcurrentDownloadsPerHost = 6
        }
        var peaks: [Int] = []
        for _ in 0..<20 {
            let server = try LoopbackServer { _ in .bytes(Data(count: 1000)).stalling(.afterBytes(500)) }
            let callers = (0..<12).map { fixture.download(ImageRequest(url: server.url("/\($0)"))) }
            try await server.until { $0.requests >= 6 }
            // Waiting downloads take the slots of cancelled ones, and are then cancelled themselves.
            for caller in callers { caller.cancel() }
            for caller in callers { _ = await caller.result }
            await fixture.until { $0.running == 0 && $0.queued == 0 }
            peaks.append(server.statistics.peakActiveRequests)
        }
        // Once in thousands of rounds, the kernel delivers a close after the request that followed it.
        #expect(peaks.count { $0 == 6 } >= 19, "\(peaks)")
    }

    /// The same place under the other name of this machine.
    private func elsewhere(_ url: URL) -> String { url.absoluteString.replacing("127.0.0.1", with: "localhost") }

    @Test(arguments: RealTransport.all)
    func redirectedDownload_takesASlotOfItsNewHost(_ transport: RealTransport) async throws {
        let target = try LoopbackServer()
        let hosts = try (0..<12).map { _ in
            try LoopbackServer { [url = elsewhere(target.url("/target"))] _ in .redirect(to: url) }
        }
        // In an optimized build, the array and its servers would be released after the last use.
        defer { withExtendedLifetime(hosts) {} }
        let fixture = makeFixture(transport) {
            $0.maximumConcurrentDownloads = 12
            $0.maximumConcurrentDownloadsPerHost = 2
        }
        let callers = hosts.map { fixture.download(ImageRequest(url: $0.url("/start"))) }
        var exchanges = [try await target.nextRequest(), try await target.nextRequest()]
        // The others have left their hosts and wait without a slot.
        await fixture.until { $0.queued == 10 }
        #expect(await fixture.statistics.running == 2)
        #expect(target.statistics.requests == 2)
        for count in 3...14 {
            exchanges.removeFirst().reply(.bytes(fixture.body))
            if count <= 12 { exchanges.append(try await target.nextRequest()) }
        }
        for caller in callers { #expect(try await caller.value.body == fixture.body) }
        #expect(target.statistics.peakActiveRequests == 2)
        #expect(await fixture.statistics.running == 0)
    }

    @Test(arguments: RealTransport.all)
    func redirectedDownload_leavesTheQueue_whenCancelledInLine(_ transport: RealTransport) async throws {
        let target = try LoopbackServer()
        let host = try LoopbackServer { [url = elsewhere(target.url("/target"))] _ in .redirect(to: url) }
        let fixture = makeFixture(transport) { $0.maximumConcurrentDownloadsPerHost = 1 }
        let first = fixture.download(try ImageRequest(elsewhere(target.url("/first"))))
        let exchange = try await target.nextRequest()
        let redirected = fixture.download(ImageRequest(url: host.url("/start")))
        await fixture.until { $0.queued == 1 }
        redirected.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await redirected.value }
        await fixture.until { $0.queued == 0 && $0.running == 1 }
        exchange.reply(.bytes(fixture.body))
        _ = try await first.value
        #expect(target.statistics.requests == 1)
    }

    /// Its caller leaves, and another one joins, as the slot at the target is given.
    @Test(arguments: RealTransport.all)
    func redirectedDownload_thatIsJoinedInLine_countsTowardItsNewHost(_ transport: RealTransport) async throws {
        let target = try LoopbackServer()
        let host = try LoopbackServer { [url = elsewhere(target.url("/target"))] _ in .redirect(to: url) }
        let fixture = makeFixture(transport) { $0.maximumConcurrentDownloadsPerHost = 1 }
        let first = fixture.download(try ImageRequest(elsewhere(target.url("/first"))))
        let exchange = try await target.nextRequest()
        let request = ImageRequest(url: host.url("/start"))
        let redirected = fixture.download(request)
        await fixture.until { $0.queued == 1 }
        await fixture.coordinator.pause()
        exchange.reply(.bytes(fixture.body))
        _ = try await first.value
        let joined = Recorder<Task<Download, any Error>>()
        await fixture.coordinator.inOneTurn {
            redirected.cancel()
            $0.resume()
            joined.record(fixture.download(request))
        }
        let second = try await target.nextRequest()
        let other = fixture.download(try ImageRequest(elsewhere(target.url("/other"))))
        await fixture.until { $0.queued == 1 }
        #expect(target.statistics.requests == 2)
        second.reply(.bytes(fixture.body))
        #expect(try await joined.values[0].value.body == fixture.body)
        try await target.nextRequest().reply(.bytes(fixture.body))
        _ = try await other.value
        await #expect(throws: ImageLoaderError.cancelled) { try await redirected.value }
    }

    /// Another port is another origin, but the same host.
    @Test(arguments: RealTransport.all)
    func redirectWithinAHost_keepsItsSlot(_ transport: RealTransport) async throws {
        let (target, host) = (try LoopbackServer(), try LoopbackServer())
        let fixture = makeFixture(transport) { $0.maximumConcurrentDownloadsPerHost = 1 }
        let redirected = fixture.download(ImageRequest(url: host.url("/start")))
        let start = try await host.nextRequest()
        let other = fixture.download(ImageRequest(url: target.url("/other")))
        await fixture.until { $0.queued == 1 }
        start.reply(.redirect(to: target.url("/target").absoluteString))
        let next = try await target.nextRequest()
        #expect(next.request.path == "/target")
        next.reply(.bytes(fixture.body))
        #expect(try await redirected.value.body == fixture.body)
        try await target.nextRequest().reply(.bytes(fixture.body))
        _ = try await other.value
    }

    @Test(arguments: RealTransport.all)
    func redirectsBetweenOrigins_shareOneLimit(_ transport: RealTransport) async throws {
        let (first, second) = (try LoopbackServer(), try LoopbackServer())
        let (there, back) = (second.url("/b").absoluteString, first.url("/a").absoluteString)
        first.handle("/a") { _ in .redirect(to: there) }
        second.handle("/b") { _ in .redirect(to: back) }
        let fixture = makeFixture(transport) { $0.redirects.limit = 3 }
        await #expect(throws: ImageLoaderError.limitExceeded(.redirects, value: 4, allowed: 3)) {
            try await fixture.download(ImageRequest(url: first.url("/a"))).value
        }
        #expect(first.statistics.requests + second.statistics.requests == 4)
        #expect(await fixture.statistics.running == 0)
    }

    @Test(arguments: RealTransport.all)
    func body_isResumed_acrossARedirect(_ transport: RealTransport) async throws {
        let target = try LoopbackServer()
        let host = try LoopbackServer { [url = target.url("/target").absoluteString] _ in .redirect(to: url) }
        let fixture = makeFixture(transport) { $0.retry = .atOnce() }
        let body = fixture.body
        let caller = fixture.download(ImageRequest(url: host.url("/start")))
        let cut = try await target.nextRequest()
        cut.sendHead(length: body.count, headers: CoordinatorFixture.resumable)
        cut.send(body.prefix(40))
        cut.close()
        let rest = try await target.nextRequest()
        #expect(rest.request.headers["Range"] == "bytes=40-")
        let range: HTTPHeaders = ["ETag": "\"v1\"", "Content-Range": "bytes 40-\(body.count - 1)/\(body.count)"]
        rest.sendHead(status: 206, length: body.count - 40, headers: range)
        rest.send(body.dropFirst(40))
        rest.finish()
        #expect(try await caller.value.body == body)
        #expect(host.statistics.requests == 2)
    }
}
