import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Transfers that occupy a slot with little progress while others wait for it.
@Suite(.timeLimit(.minutes(1))) struct CoordinatorSlowTransferTests {
    private func makeFixture(
        width: Int = 2, hostWidth: Int = 6, _ configure: (inout DownloadCoordinator.Settings) -> Void = { _ in }
    ) -> CoordinatorFixture {
        CoordinatorFixture(width: width, hostWidth: hostWidth) {
            $0.minimumRate = MinimumRate()
            configure(&$0)
        }
    }

    /// Downloads from one host that stall after their first bytes.
    private func drips(_ count: Int, _ fixture: CoordinatorFixture) async throws -> [CoordinatorFixture.Running] {
        var drips: [CoordinatorFixture.Running] = []
        for number in 0..<count { drips.append(try await fixture.begin(.test("drip\(number)"))) }
        return drips
    }

    @Test(arguments: [6, 12]) func slowTransfer_isEnded_forAnotherHost(width: Int) async throws {
        let fixture = makeFixture(width: width, hostWidth: width)
        let drips = try await drips(width, fixture)
        // Without waiters, no timer runs.
        #expect(fixture.clock.sleeperCount == 0)
        let wanted = try await fixture.queue(.at("http://other.test/wanted"))
        #expect(try await fixture.clock.nextSleeper().offset == .seconds(30))
        fixture.clock.advance(by: .seconds(30))
        let call = try await fixture.nextCall()
        #expect(call.request.url.path == "/wanted")
        fixture.complete(call)
        _ = try await wanted.value
        // Only one was ended.
        let ended = drips.filter { $0.call.isCancelled }
        #expect(ended.count == 1)
        await #expect(throws: ImageLoaderError.timedOut(.tooSlow)) { try await ended.first?.caller.value }
        await fixture.until { $0.running == width - 1 }
        #expect(fixture.clock.sleeperCount == 0)
        for drip in drips { drip.caller.cancel() }
    }

    @Test func eachWaiter_eventuallyGetsASlot() async throws {
        let fixture = makeFixture(width: 3)
        let drips = try await drips(3, fixture)
        var wanted: [Task<Download, any Error>] = []
        for number in 0..<3 { wanted.append(try await fixture.queue(.at("http://other.test/\(number)"))) }
        _ = try await fixture.clock.nextSleeper()
        fixture.clock.advance(by: .seconds(30))
        for _ in 0..<3 { fixture.complete(try await fixture.nextCall()) }
        for caller in wanted { _ = try await caller.value }
        // The slots that became free served the remaining waiters.
        #expect(drips.contains { $0.call.isCancelled })
        for drip in drips { drip.caller.cancel() }
    }

    @Test func slowTransfersAboveASmallerWidth_areEnded_untilWhatWaitsStarts() async throws {
        let fixture = makeFixture(width: 6)
        let drips = try await drips(6, fixture)
        try await fixture.coordinator.setMaximumConcurrentDownloads(2)
        let wanted = try await fixture.queue(.at("http://other.test/wanted", .veryHigh))
        #expect(try await fixture.clock.nextSleeper().offset == .seconds(30))
        fixture.clock.advance(by: .seconds(30))
        let call = try await fixture.nextCall()
        #expect(call.request.url.path == "/wanted")
        #expect(drips.count { $0.call.isCancelled } == 5)
        fixture.complete(call)
        _ = try await wanted.value
        for drip in drips { drip.caller.cancel() }
    }

    @Test func transferAtTheMinimumRate_keepsItsSlot() async throws {
        let fixture = makeFixture(width: 1)
        let caller = try fixture.download()
        let call = try await fixture.nextCall()
        call.respond(expectedBytes: 100_000)
        call.send(Data(count: 30 * 1024))
        try await call.delivered()
        let waiting = try await fixture.queue("waiting")
        _ = try await fixture.clock.nextSleeper()
        fixture.clock.advance(by: .seconds(30))
        #expect(try await fixture.clock.nextSleeper().offset == .seconds(60))
        #expect(call.end == nil)
        call.send(Data(count: 100_000 - 30 * 1024))
        call.finish()
        _ = try await caller.value
        fixture.complete(try await fixture.nextCall())
        _ = try await waiting.value
        #expect(fixture.clock.sleeperCount == 0)
    }

    @Test func silentTransfer_keepsItsSlot_whileMemoryBlocksStarts() async throws {
        let fixture = CoordinatorFixture {
            $0.minimumRate = MinimumRate()
            $0.bodyBudget = BodyBudget(byteLimit: 100)
        }
        let budget = fixture.coordinator.bodyBudget
        let silent = try fixture.download("silent")
        let call = try await fixture.nextCall()
        let body = try #require(await budget.admit(isRead: false))
        body.add(1_000)
        let wanted = try await fixture.queue(.at("http://other.test/wanted"))
        _ = try await fixture.clock.nextSleeper()
        fixture.clock.advance(by: .seconds(30))
        // The timer for the next check is set: this check has ended nothing.
        _ = try await fixture.clock.nextSleeper()
        #expect(call.end == nil)
        body.release()
        let next = try await fixture.nextCall()
        fixture.complete(next)
        fixture.complete(call)
        _ = try await (wanted.value, silent.value)
    }

    @Test func transferWithoutAHead_isEnded_whenItBlocksItsHost() async throws {
        let fixture = makeFixture(width: 6, hostWidth: 1)
        let silent = try fixture.download("silent")
        let call = try await fixture.nextCall()
        let elsewhere = fixture.download(try .at("http://other.test/elsewhere"))
        let other = try await fixture.nextCall()
        let waiting = try await fixture.queue("waiting")
        _ = try await fixture.clock.nextSleeper()
        fixture.clock.advance(by: .seconds(30))
        try await call.cancelled()
        await #expect(throws: ImageLoaderError.timedOut(.tooSlow)) { try await silent.value }
        fixture.complete(try await fixture.nextCall())
        _ = try await waiting.value
        // The other transfer is just as slow but blocks no one.
        #expect(other.end == nil)
        fixture.complete(other)
        _ = try await elsewhere.value
    }

    @Test func partOfAnEndedTransfer_isResumedByTheNextRequest() async throws {
        let fixture = makeFixture(width: 1)
        let drip = try #require(try await drips(1, fixture).first)
        let waiting = try await fixture.queue("waiting")
        _ = try await fixture.clock.nextSleeper()
        fixture.clock.advance(by: .seconds(30))
        await #expect(throws: ImageLoaderError.timedOut(.tooSlow)) { try await drip.caller.value }
        fixture.complete(try await fixture.nextCall())
        _ = try await waiting.value
        let again = try fixture.download("drip0")
        let call = try await fixture.nextCall()
        #expect(call.request.headers["Range"] == "bytes=10-")
        fixture.goOn(call, from: 10)
        #expect(try await again.value.body == fixture.body)
    }

    @Test func endedTransfer_isRetried_ifNothingElseWaits() async throws {
        let fixture = makeFixture(width: 1) { $0.retry = .atOnce() }
        let drip = try #require(try await drips(1, fixture).first)
        let waiting = try await fixture.queue("waiting")
        _ = try await fixture.clock.nextSleeper()
        fixture.clock.advance(by: .seconds(30))
        let next = try await fixture.nextCall()
        #expect(next.request.url.path == "/waiting")
        await fixture.until { $0.retried == 1 }
        #expect(fixture.retries.map(\.error) == [.timedOut(.tooSlow)])
        fixture.complete(next)
        _ = try await waiting.value
        let again = try await fixture.nextCall()
        #expect(again.request.headers["Range"] == "bytes=10-")
        fixture.goOn(again, from: 10)
        #expect(try await drip.caller.value.body == fixture.body)
    }

    @Test func endedTransfer_isNotRetried_whileOthersWait() async throws {
        let fixture = makeFixture(width: 1) { $0.retry = .atOnce() }
        let drip = try #require(try await drips(1, fixture).first)
        let waiting = [try await fixture.queue("1"), try await fixture.queue("2")]
        _ = try await fixture.clock.nextSleeper()
        fixture.clock.advance(by: .seconds(30))
        await #expect(throws: ImageLoaderError.timedOut(.tooSlow)) { try await drip.caller.value }
        #expect(fixture.retries.isEmpty)
        for caller in waiting {
            fixture.complete(try await fixture.nextCall())
            _ = try await caller.value
        }
    }

    @Test func timer_endsWithTheLastWaiter() async throws {
        let fixture = makeFixture(width: 1)
        let drip = try #require(try await drips(1, fixture).first)
        let waiting = try await fixture.queue("waiting")
        _ = try await fixture.clock.nextSleeper()
        waiting.cancel()
        _ = await waiting.result
        await fixture.until { $0.queued == 0 }
        while fixture.clock.sleeperCount > 0, !Task.isCancelled { await Task.yield() }
        drip.caller.cancel()
    }

    @Test func requestWithABody_isExempt() async throws {
        let fixture = makeFixture(width: 1)
        let sending = fixture.download(
            try .test("upload") {
                $0.method = .post
                $0.body = Data([1])
            })
        let call = try await fixture.nextCall()
        let waiting = try await fixture.queue("waiting")
        #expect(fixture.clock.sleeperCount == 0)
        fixture.complete(call)
        _ = try await sending.value
        fixture.complete(try await fixture.nextCall())
        _ = try await waiting.value
    }
}
