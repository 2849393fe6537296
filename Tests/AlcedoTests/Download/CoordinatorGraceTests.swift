import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

/// Transfers that go on for a while after the last one who waited for them has left.
@Suite(.timeLimit(.minutes(1))) struct CoordinatorGraceTests {
    private let fixture = CoordinatorFixture {
        $0.gracePeriod = .seconds(2)
        $0.width = 1
    }

    /// A download under way whose only caller has left.
    private func leaveOne(
        _ path: String = "a.png", of fixture: CoordinatorFixture? = nil
    ) async throws -> ScriptedDataLoader.Call {
        let fixture = fixture ?? self.fixture
        let caller = try fixture.download(path)
        let call = try await fixture.nextCall()
        caller.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await caller.value }
        _ = try await fixture.clock.nextSleeper()
        return call
    }

    @Test func theTransferGoesOn_untilTheGraceIsOver_andIsCancelledOnce() async throws {
        let call = try await leaveOne()
        fixture.clock.advance(by: .seconds(2) - .nanoseconds(1))
        #expect(fixture.clock.sleeperCount == 1)
        // It still takes what comes.
        try await fixture.begin(call, bytes: 10)
        #expect(call.end == nil)
        fixture.clock.advance(by: .nanoseconds(1))
        try await call.cancelled()
        await fixture.untilEnded(1)
        let statistics = await fixture.statistics
        #expect(statistics.cancelled == 1)
        #expect(statistics.inFlight == 0)
        #expect(statistics.bytesWasted == 10)
        let next = try fixture.download()
        fixture.complete(try await fixture.nextCall())
        _ = try await next.value
        #expect(fixture.clock.sleeperCount == 0)
    }

    @Test func whoComesBackInTime_sharesIt() async throws {
        let call = try await leaveOne()
        let caller = try fixture.download()
        await fixture.until { $0.coalesced == 1 }
        #expect(fixture.clock.sleeperCount == 0)
        // The end of the first stay is no end any more.
        fixture.clock.advance(by: .seconds(10))
        fixture.complete(call)
        #expect(try await caller.value.body == fixture.body)
        #expect(fixture.transport.callCount == 1)
        #expect(await fixture.statistics.bytesWasted == 0)
    }

    @Test func eachStay_lastsItsOwnTime() async throws {
        let call = try await leaveOne()
        fixture.clock.advance(by: .seconds(1))
        let caller = try fixture.download()
        await fixture.until { $0.coalesced == 1 }
        caller.cancel()
        _ = await caller.result
        #expect(try await fixture.clock.nextSleeper().offset == .seconds(3))
        fixture.clock.advance(by: .seconds(1))
        #expect(call.end == nil)
        #expect(fixture.clock.sleeperCount == 1)
        fixture.clock.advance(by: .seconds(1))
        try await call.cancelled()
    }

    @Test func whatCameMeanwhile_isThereAtOnce_withoutAnotherCall() async throws {
        fixture.complete(try await leaveOne())
        await fixture.until { $0.inFlight == 0 }
        // A slot is not held for it.
        let other = try fixture.download("other.png")
        fixture.complete(try await fixture.nextCall())
        _ = try await other.value
        #expect(try await fixture.download().value.body == fixture.body)
        #expect(fixture.transport.callCount == 2)
        #expect(await fixture.statistics.succeeded == 2)
        // Once it was handed out it is gone.
        let again = try fixture.download()
        fixture.complete(try await fixture.nextCall())
        _ = try await again.value
        #expect(fixture.clock.sleeperCount == 0)
    }

    @Test func whatCameMeanwhile_isGone_afterTheGrace() async throws {
        fixture.complete(try await leaveOne())
        await fixture.until { $0.inFlight == 0 }
        fixture.clock.advance(by: .seconds(2))
        await fixture.untilEnded(1)
        let caller = try fixture.download()
        fixture.complete(try await fixture.nextCall())
        _ = try await caller.value
        #expect(fixture.transport.callCount == 2)
        let statistics = await fixture.statistics
        #expect(statistics.coalesced == 0)
        #expect(statistics.bytesWasted == 100)
    }

    @Test(arguments: [RetryPolicy.none, .atOnce()])
    func aFailureMeanwhile_isNeitherKept_norTriedAgain(_ retry: RetryPolicy) async throws {
        let fixture = CoordinatorFixture {
            $0.gracePeriod = .seconds(2)
            $0.retry = retry
        }
        let call = try await leaveOne(of: fixture)
        try await fixture.begin(call, bytes: 10)
        call.fail(.timedOut(.idle))
        await fixture.untilEnded(1)
        #expect(fixture.clock.sleeperCount == 0)
        #expect(await fixture.statistics.bytesWasted == 10)
        let caller = try fixture.download()
        fixture.complete(try await fixture.nextCall())
        _ = try await caller.value
    }

    @Test func oneThatWaitsForItsTurn_hasNoGrace() async throws {
        let running = try fixture.download("running.png")
        let call = try await fixture.nextCall()
        let waiting = try await fixture.queue("waiting.png")
        waiting.cancel()
        _ = await waiting.result
        await fixture.untilEnded(1)
        #expect(fixture.clock.sleeperCount == 0)
        #expect(await fixture.statistics.queued == 0)
        fixture.complete(call)
        _ = try await running.value
        #expect(fixture.transport.callCount == 1)
    }

    @Test(arguments: [false, true]) func retiring_endsTheStay(_ all: Bool) async throws {
        let call = try await leaveOne()
        if all {
            await fixture.coordinator.retireAll()
        } else {
            try await fixture.coordinator.retire(ResourceKey(.test()))
        }
        try await call.cancelled()
        await fixture.untilEnded(1)
        #expect(await fixture.statistics.cancelled == 1)
        let caller = try fixture.download()
        fixture.complete(try await fixture.nextCall())
        _ = try await caller.value
    }

    @Test(arguments: [false, true]) func retiring_dropsWhatCameMeanwhile(_ all: Bool) async throws {
        fixture.complete(try await leaveOne())
        await fixture.until { $0.inFlight == 0 }
        if all {
            await fixture.coordinator.retireAll()
        } else {
            try await fixture.coordinator.retire(ResourceKey(.test()))
        }
        await fixture.untilEnded(1)
        #expect(fixture.clock.sleeperCount == 0)
        let caller = try fixture.download()
        fixture.complete(try await fixture.nextCall())
        _ = try await caller.value
        #expect(fixture.transport.callCount == 2)
    }

    @Test func oneLeftAlone_afterItWasRetired_hasNoGrace() async throws {
        let caller = try fixture.download()
        let call = try await fixture.nextCall()
        try await fixture.coordinator.retire(ResourceKey(.test()))
        caller.cancel()
        _ = await caller.result
        try await call.cancelled()
        #expect(fixture.clock.sleeperCount == 0)
    }

    @Test func oneThatNobodyWaitsFor_countsAsAPrefetch() async throws {
        let fixture = CoordinatorFixture {
            $0.gracePeriod = .seconds(2)
            $0.width = 2
        }
        let left = try fixture.download("left.png", priority: .high)
        let call = try await fixture.nextCall()
        left.cancel()
        _ = await left.result
        // Half of the slots are for those: it has the one.
        let prefetch = try await fixture.queue("prefetch.png", priority: .low)
        let wanted = try fixture.download("wanted.png")
        let next = try await fixture.nextCall()
        #expect(next.request.url.path == "/wanted.png")
        fixture.complete(next)
        fixture.complete(call)
        fixture.complete(try await fixture.nextCall())
        _ = (try await wanted.value, try await prefetch.value)
    }

    @Test func oneThatSleepsBeforeARetry_hasNoGrace() async throws {
        let fixture = CoordinatorFixture {
            $0.gracePeriod = .seconds(2)
            $0.retry = .atOnce()
        }
        let caller = try fixture.download()
        (try await fixture.nextCall()).respond(status: 503, headers: ["Retry-After": "9"])
        _ = try await fixture.clock.nextSleeper()
        caller.cancel()
        _ = await caller.result
        await fixture.untilEnded(1)
        #expect(fixture.clock.sleeperCount == 0)
        #expect(fixture.transport.callCount == 1)
    }

    @Test func whatIsKeptMeanwhile_hasALimit_andTheFirstGoesFirst() async throws {
        let fixture = CoordinatorFixture {
            $0.gracePeriod = .seconds(2)
            $0.graceByteLimit = 250
        }
        for (number, path) in ["a.png", "b.png", "c.png"].enumerated() {
            fixture.complete(try await leaveOne(path, of: fixture))
            await fixture.until { $0.inFlight == 0 }
            await fixture.untilEnded(number == 2 ? 1 : 0)
        }
        #expect(await fixture.statistics.bytesWasted == 100)
        #expect(fixture.clock.sleeperCount == 2)
        for path in ["b.png", "c.png"] {
            #expect(try await fixture.download(path).value.body == fixture.body)
        }
        #expect(fixture.transport.callCount == 3)
        let again = try fixture.download("a.png")
        fixture.complete(try await fixture.nextCall())
        _ = try await again.value
    }

    @Test func oneAboveTheLimit_isNotKept() async throws {
        let fixture = CoordinatorFixture {
            $0.gracePeriod = .seconds(2)
            $0.graceByteLimit = 99
        }
        fixture.complete(try await leaveOne(of: fixture))
        await fixture.untilEnded(1)
        #expect(fixture.clock.sleeperCount == 0)
        #expect(await fixture.statistics.bytesWasted == 100)
    }

    @Test func whatAnEarlierDownloadBrought_isNotWastedByTheNext() async throws {
        let first = try await leaveOne()
        try await fixture.begin(first, bytes: 60)
        fixture.clock.advance(by: .seconds(2))
        try await first.cancelled()
        await fixture.untilEnded(1)
        #expect(await fixture.statistics.bytesWasted == 60)
        let second = try await leaveOne()
        #expect(second.request.headers["Range"] == "bytes=60-")
        fixture.goOn(second, from: 60)
        await fixture.until { $0.inFlight == 0 }
        fixture.clock.advance(by: .seconds(2))
        await fixture.untilEnded(2)
        #expect(await fixture.statistics.bytesWasted == 100)
    }

    // MARK: Room for others

    private static func twoSlots(hostWidth: Int = 6) -> CoordinatorFixture {
        CoordinatorFixture {
            $0.gracePeriod = .seconds(2)
            $0.width = 2
            $0.hostWidth = hostWidth
        }
    }

    @Test func whoNeedsASlot_takesThatOfTheOneLeftFirst() async throws {
        let fixture = Self.twoSlots()
        let first = try await leaveOne("first.png", of: fixture)
        let second = try await leaveOne("second.png", of: fixture)
        let caller = try fixture.download("new.png")
        try await first.cancelled()
        fixture.complete(try await fixture.nextCall())
        _ = try await caller.value
        // One was enough: who comes back to the other shares it.
        #expect(second.end == nil)
        let back = try fixture.download("second.png")
        await fixture.until { $0.coalesced == 1 }
        fixture.complete(second)
        _ = try await back.value
        #expect(fixture.clock.sleeperCount == 0)
        #expect(fixture.transport.callCount == 3)
    }

    @Test func whereSomebodyNeedsTheSlot_thereIsNoStay() async throws {
        let caller = try fixture.download()
        let call = try await fixture.nextCall()
        let waiting = try await fixture.queue("waiting.png")
        caller.cancel()
        try await call.cancelled()
        fixture.complete(try await fixture.nextCall())
        _ = try await waiting.value
        #expect(fixture.clock.sleeperCount == 0)
        #expect(await fixture.statistics.cancelled == 1)
    }

    @Test func whatHasArrived_isContinuedByWhoComesBack() async throws {
        let call = try await leaveOne()
        try await fixture.begin(call, bytes: 40)
        let other = try fixture.download("other.png")
        try await call.cancelled()
        fixture.complete(try await fixture.nextCall())
        _ = try await other.value
        let back = try fixture.download()
        let next = try await fixture.nextCall()
        #expect(next.request.headers["Range"] == "bytes=40-")
        fixture.goOn(next, from: 40)
        #expect(try await back.value.body == fixture.body)
    }

    @Test func whereTheHostIsTheLimit_onlyOneOfThatHostGoes() async throws {
        let fixture = Self.twoSlots(hostWidth: 1)
        let elsewhere = fixture.download(ImageRequest(url: try #require(URL(string: "http://other.test/a.png"))))
        let otherCall = try await fixture.nextCall()
        elsewhere.cancel()
        _ = await elsewhere.result
        let call = try await leaveOne(of: fixture)
        let caller = try fixture.download("new.png")
        try await call.cancelled()
        fixture.complete(try await fixture.nextCall())
        _ = try await caller.value
        #expect(otherCall.end == nil)
        #expect(await fixture.statistics.cancelled == 1)
    }

    @Test func aPrefetch_takesNoSlot_untilItIsRaised() async throws {
        let call = try await leaveOne()
        let control = LoadControl(priority: .low)
        let prefetch = try await fixture.queue("prefetch.png", control: control)
        #expect(call.end == nil)
        control.setPriority(.normal)
        try await call.cancelled()
        fixture.complete(try await fixture.nextCall())
        _ = try await prefetch.value
    }

    @Test func whilePaused_nobodyTakesASlot() async throws {
        let call = try await leaveOne()
        await fixture.coordinator.pause()
        let caller = try await fixture.queue("new.png")
        #expect(call.end == nil)
        await fixture.coordinator.resume()
        try await call.cancelled()
        fixture.complete(try await fixture.nextCall())
        _ = try await caller.value
    }
}
