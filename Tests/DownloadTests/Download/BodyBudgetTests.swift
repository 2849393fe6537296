import AlcedoTestSupport
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct BodyBudgetTests {
    private let budget = BodyBudget(byteLimit: 100)

    @Test func share_isReturnedOnce_howeverOftenItIsReleased() {
        let share = budget.share { .normal }
        share.add(30)
        share.add(40)
        #expect(budget.byteCount == 70)
        share.release()
        share.release()
        share.add(10)
        #expect(budget.byteCount == 0)
    }

    @Test func share_isReturned_withItsLastReference() {
        do {
            let share = budget.share { .normal }
            share.add(30)
            #expect(budget.byteCount == 30)
        }
        #expect(budget.byteCount == 0)
    }

    @Test func sharedBody_isCounted_untilTheLastCallerReleasesIt() {
        let share = budget.share { .normal }
        share.add(30)
        share.hold(for: 2)
        share.release()
        #expect(budget.byteCount == 30)
        share.release()
        #expect(budget.byteCount == 0)
        let unwanted = budget.share { .normal }
        unwanted.add(30)
        unwanted.hold(for: 0)
        #expect(budget.byteCount == 0)
    }

    @Test func waitingDownloads_areNotifiedOfRoom_once() {
        let calls = Mutex(0)
        let waiter = ObjectIdentifier(budget)
        let mayStart = { [budget] in
            budget.mayStart(.normal, of: waiter) { calls.withLock { $0 += 1 } }
        }
        let (first, second) = (budget.share { .normal }, budget.share { .normal })
        first.add(99)
        #expect(mayStart())
        second.add(1)
        #expect(!mayStart() && !mayStart())
        first.release()
        second.release()
        #expect(calls.withLock { $0 } == 1)
        let third = budget.share { .normal }
        third.add(100)
        third.release()
        // No download waited for room.
        #expect(calls.withLock { $0 } == 1)
        let fourth = budget.share { .normal }
        fourth.add(100)
        #expect(!mayStart())
        budget.stopWaiting(waiter)
        fourth.release()
        // It no longer waited.
        #expect(calls.withLock { $0 } == 1)
    }

    @Test func releasedShare_countsNothingMore_andIsNotKept() {
        let share = budget.share { .normal }
        share.add(10)
        share.complete()
        share.add(10)
        #expect(budget.byteCount == 20)
        share.release()
        share.add(10)
        share.updatePriority()
        #expect(budget.byteCount == 0)
    }

    @Test func demand_isTold_whenItChanges() {
        let calls = Mutex(0)
        let (first, second) = (budget.share { .normal }, budget.share { .normal })
        second.onDemand(canPause: true) { calls.withLock { $0 += 1 } }
        first.add(60)
        second.add(40)
        #expect(second.demand == .nothing && calls.withLock { $0 } == 1)
        #expect(second.takePause() && second.takePause())
        first.release()
        #expect(second.demand == .more && calls.withLock { $0 } == 2)
        #expect(second.takePause() && !second.takePause())
    }

    @Test func reads_waitForRoom() async throws {
        let full = budget.share { .normal }
        full.add(100)
        let order = Recorder<Int>()
        var readers: [Task<Void, Never>] = []
        for number in 0..<3 {
            readers.append(
                Task { [budget] in
                    guard let share = await budget.admit() else { return }
                    order.record(number)
                    share.add(60)
                    share.release()
                })
            while budget.waitingReads < number + 1, !Task.isCancelled { await Task.yield() }
        }
        #expect(order.values.isEmpty)
        full.release()
        for reader in readers { await reader.value }
        #expect(Set(order.values) == [0, 1, 2])
        #expect(budget.byteCount == 0)
    }

    @Test func readsOfUnknownSize_areLimited() async throws {
        var shares: [BodyShare] = []
        for _ in 0..<16 { shares.append(try #require(await budget.admit())) }
        let late = Task { [budget] in await budget.admit() }
        while budget.waitingReads < 1, !Task.isCancelled { await Task.yield() }
        // A finished read makes room for another, and so does a failed one.
        shares[0].add(1)
        let share = try #require(await late.value)
        shares.removeAll()
        share.release()
        #expect(budget.byteCount == 0)
        #expect(await budget.admit() != nil)
    }

    @Test func cancelledWaitingRead_returnsAtOnce_andTakesNothing() async throws {
        let full = budget.share { .normal }
        full.add(100)
        let reader = Task { [budget] in await budget.admit() }
        while budget.waitingReads < 1, !Task.isCancelled { await Task.yield() }
        reader.cancel()
        #expect(await reader.value == nil)
        #expect(budget.waitingReads == 0)
        full.release()
        for _ in 0..<16 { #expect(await budget.admit() != nil) }
    }
}
