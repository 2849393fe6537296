import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Downloads that leave their slots to other hosts.
@Suite(.timeLimit(.minutes(1))) struct CoordinatorYieldTests {
    private func makeFixture(
        width: Int = 12, hostWidth: Int = 6, _ configure: (inout DownloadCoordinator.Settings) -> Void = { _ in }
    ) -> CoordinatorFixture {
        CoordinatorFixture {
            $0.maximumConcurrentDownloads = width
            $0.maximumConcurrentDownloadsPerHost = hostWidth
            configure(&$0)
        }
    }

    private func request(_ url: String, _ priority: RequestPriority = .normal) throws -> ImageRequest {
        var request = ImageRequest(url: try #require(URL(string: url)))
        request.priority = priority
        return request
    }

    /// A download whose first bytes have arrived.
    private func begin(
        _ request: ImageRequest, _ fixture: CoordinatorFixture
    ) async throws -> (caller: Task<Download, any Error>, call: ScriptedDataLoader.Call) {
        let caller = fixture.download(request)
        let call = try await fixture.nextCall()
        try await fixture.begin(call, bytes: 10)
        return (caller, call)
    }

    @Test func oldestOfTwelveHosts_yieldsToAnotherOne_andContinuesLater() async throws {
        let fixture = makeFixture()
        var slow: [(caller: Task<Download, any Error>, call: ScriptedDataLoader.Call)] = []
        for number in 0..<12 {
            slow.append(try await begin(request("http://slow\(number).test/\(number)"), fixture))
            fixture.clock.advance(by: .seconds(1))
        }
        #expect(fixture.clock.sleeperCount == 0)
        let wanted = fixture.download(try request("http://other.test/wanted", .veryHigh))
        await fixture.untilQueued("wanted")
        #expect(try await fixture.clock.nextSleeper().offset == .seconds(72))
        fixture.clock.advance(by: .seconds(60))
        let call = try await fixture.nextCall()
        #expect(call.request.url.path == "/wanted")
        #expect(slow.map { $0.call.isCancelled } == [true] + Array(repeating: false, count: 11))
        await fixture.untilQueued("0")
        #expect(await fixture.statistics.queuedByHost == ["slow0.test": 1])
        fixture.complete(call)
        _ = try await wanted.value
        // It continues with the bytes that it has, and nobody was told of an error.
        let again = try await fixture.nextCall()
        #expect(again.request.url.path == "/0")
        #expect(again.request.headers["Range"] == "bytes=10-")
        fixture.goOn(again, from: 10)
        #expect(try await slow[0].caller.value.body == fixture.body)
        let statistics = await fixture.statistics
        #expect(statistics.retried == 0 && statistics.resumed == 1 && statistics.failed == 0)
        #expect(fixture.retries.isEmpty)
        await fixture.until { _ in fixture.clock.sleeperCount == 0 }
        for slow in slow { slow.caller.cancel() }
    }

    @Test func downloadThatYields_mayBeCancelled_whileItWaits() async throws {
        let fixture = makeFixture(width: 1)
        let slow = try await begin(request("http://slow.test/slow"), fixture)
        let wanted = fixture.download(try request("http://other.test/wanted"))
        await fixture.untilQueued("wanted")
        _ = try await fixture.clock.nextSleeper()
        fixture.clock.advance(by: .seconds(60))
        let call = try await fixture.nextCall()
        await fixture.untilQueued("slow")
        slow.caller.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await slow.caller.value }
        await fixture.until { $0.cancelled == 1 && $0.queued == 0 }
        fixture.complete(call)
        _ = try await wanted.value
        #expect(fixture.transport.callCount == 2)
    }

    @Test func requestWithABody_neverYields() async throws {
        let fixture = makeFixture(width: 1)
        var sending = try request("http://slow.test/slow")
        (sending.method, sending.body) = (.post, Data([1]))
        let slow = try await begin(sending, fixture)
        let wanted = fixture.download(try request("http://other.test/wanted", .veryHigh))
        await fixture.untilQueued("wanted")
        for minute in 1...3 {
            #expect(try await fixture.clock.nextSleeper().offset == .seconds(60 * minute))
            fixture.clock.advance(by: .seconds(60))
        }
        #expect(slow.call.end == nil)
        slow.call.send(fixture.body.dropFirst(10))
        slow.call.finish()
        _ = try await slow.caller.value
        fixture.complete(try await fixture.nextCall())
        _ = try await wanted.value
    }

    // MARK: Hosts

    @Test func host_isCountedByItsName() async throws {
        let fixture = makeFixture(hostWidth: 2)
        let first = try await begin(request("http://host.test/1"), fixture)
        let second = try await begin(request("https://HOST.test.:8443/2"), fixture)
        let third = fixture.download(try request("http://host.test:81/3"))
        await fixture.untilQueued("3")
        #expect(await fixture.statistics.queuedByHost == ["host.test": 1])
        // A sub-domain is another host.
        let other = try await begin(request("http://a.host.test/4"), fixture)
        let url = try #require(URL(string: "https://host.test:444/any"))
        try await fixture.coordinator.setMaximumConcurrentDownloads(3, forHostOf: url)
        let call = try await fixture.nextCall()
        #expect(call.request.url.path == "/3")
        for caller in [first.caller, second.caller, third, other.caller] { caller.cancel() }
    }
}
