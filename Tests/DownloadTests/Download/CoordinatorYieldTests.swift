import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Downloads that leave their slots to other hosts.
@Suite(.timeLimit(.minutes(1))) struct CoordinatorYieldTests {
    @Test func oldestOfTwelveHosts_yieldsToAnotherOne_andContinuesLater() async throws {
        let fixture = CoordinatorFixture(width: 12)
        var slow: [CoordinatorFixture.Running] = []
        for number in 0..<12 {
            slow.append(try await fixture.begin(.at("http://slow\(number).test/\(number)")))
            fixture.clock.advance(by: .seconds(1))
        }
        #expect(fixture.clock.sleeperCount == 0)
        let wanted = try await fixture.queue(.at("http://other.test/wanted", .veryHigh))
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
        let fixture = CoordinatorFixture(width: 1)
        let slow = try await fixture.begin(.at("http://slow.test/slow"))
        let wanted = try await fixture.queue(.at("http://other.test/wanted"))
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
        let fixture = CoordinatorFixture(width: 1)
        var sending = try ImageRequest.at("http://slow.test/slow")
        (sending.method, sending.body) = (.post, Data([1]))
        let slow = try await fixture.begin(sending)
        let wanted = try await fixture.queue(.at("http://other.test/wanted", .veryHigh))
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

    /// Its part is too large to be kept, or the key was removed since it began.
    @Test(arguments: [(limit: 9, isRemoved: false), (limit: 10, isRemoved: true), (limit: 10, isRemoved: false)])
    func transferWhosePartIsNotKept_keepsItsSlot(limit: Int, isRemoved: Bool) async throws {
        let fixture = CoordinatorFixture(width: 1) { $0.maximumResumableBytes = limit }
        let request = try ImageRequest.at("http://slow.test/slow")
        let slow = try await fixture.begin(request)
        if isRemoved { await fixture.coordinator.retire(ResourceKey(request)) }
        let wanted = try await fixture.queue(.at("http://other.test/wanted"))
        _ = try await fixture.clock.nextSleeper()
        fixture.clock.advance(by: .seconds(60))
        if limit == 10, !isRemoved {
            try await slow.call.cancelled()
        } else {
            // The next check is due: this one has ended nothing.
            #expect(try await fixture.clock.nextSleeper().offset == .seconds(120))
            #expect(slow.call.end == nil)
        }
        for caller in [slow.caller, wanted] { caller.cancel() }
    }

    /// It had failed before it learned that it had to yield.
    @Test(arguments: [401, 503]) func failureOfATransferThatYields_countsLikeAnyOther(status: Int) async throws {
        let transport = ScriptedDataLoader()
        let deaf = DeafDataLoader(status: status, error: .badStatus(status), next: transport)
        let fixture = CoordinatorFixture(transport, loader: deaf, width: 1) {
            $0.retry = .atOnce()
            $0.authenticate = RequestAuthentication(id: "test") { _ in "Bearer 1" }
        }
        let slow = fixture.download(try .at("http://slow.test/slow"))
        await deaf.started.wait { !$0.isEmpty }
        let wanted = try await fixture.queue(.at("http://other.test/wanted"))
        _ = try await fixture.clock.nextSleeper()
        fixture.clock.advance(by: .seconds(60))
        while await fixture.coordinator.ending == nil, !Task.isCancelled { await Task.yield() }
        deaf.gate.record(())
        let call = try await fixture.nextCall()
        #expect(call.request.url.path == "/wanted")
        fixture.complete(call)
        _ = try await wanted.value
        let again = try await fixture.nextCall()
        #expect(again.request.headers["Authorization"] == (status == 401 ? "Bearer 1" : nil))
        fixture.complete(again)
        #expect(try await slow.value.body == fixture.body)
        #expect(await fixture.statistics.retried == (status == 401 ? 0 : 1))
    }

    // MARK: Hosts

    @Test func host_isCountedByItsName() async throws {
        let fixture = CoordinatorFixture(width: 12, hostWidth: 2)
        let first = try await fixture.begin(.at("http://host.test/1"))
        let second = try await fixture.begin(.at("https://HOST.test.:8443/2"))
        let third = try await fixture.queue(.at("http://host.test:81/3"))
        #expect(await fixture.statistics.queuedByHost == ["host.test": 1])
        // A sub-domain is another host.
        let other = try await fixture.begin(.at("http://a.host.test/4"))
        let url = try #require(URL(string: "https://host.test:444/any"))
        try await fixture.coordinator.setMaximumConcurrentDownloads(3, forHostOf: url)
        let call = try await fixture.nextCall()
        #expect(call.request.url.path == "/3")
        for caller in [first.caller, second.caller, third, other.caller] { caller.cancel() }
    }
}
