import Alcedo
import AlcedoTestSupport
import Testing

@testable import TestFixtures

@Suite struct DownloadQueueTests {
    private typealias Queue = DownloadQueue<Int>

    /// A queue whose slots are all taken by blockers from other hosts.
    private func blocked(width: Int, hostWidth: Int = 100, order: DownloadOrder = .firstInFirstOut) -> Queue {
        var queue = Queue(width: width, hostWidth: hostWidth, order: order)
        for blocker in 1...width {
            check(queue.request(-blocker, host: "blocker\(blocker)", priority: .veryHigh, now: .zero), [-blocker])
        }
        return queue
    }

    /// Requests slots when none is free.
    private func wait(
        _ ids: some Sequence<Int>, host: String = "a", priority: RequestPriority = .normal, in queue: inout Queue
    ) {
        for id in ids { check(queue.request(id, host: host, priority: priority, now: .zero), []) }
    }

    /// The downloads that one slot goes to in turn until none waits.
    private func drain(_ queue: inout Queue, releasing first: Int = -1) -> [Int] {
        var order: [Int] = []
        var running = first
        while let next = queue.release(running, now: .zero).first {
            #expect(queue.brokenInvariant == nil)
            order.append(next)
            running = next
        }
        return order
    }

    // MARK: Slots

    @Test func slots_areGivenInOrderOfArrival() {
        var queue = Queue(width: 2, hostWidth: 2)
        check(queue.request(1, host: "a", priority: .normal, now: .zero), [1])
        check(queue.request(2, host: "a", priority: .normal, now: .zero), [2])
        wait([3, 4], in: &queue)
        check(queue.release(2, now: .zero), [3])
        check(queue.release(1, now: .zero), [4])
        check(queue.release(1, now: .zero), [])
        #expect(queue.runningCount == 2)
        #expect(queue.waitingCount == 0)
    }

    @Test func repeatedRequest_changesNothing() {
        var queue = blocked(width: 1)
        wait([1, 2], in: &queue)
        wait([1], host: "b", priority: .veryHigh, in: &queue)
        check(queue.request(-1, host: "b", priority: .low, now: .zero), [])
        #expect(queue.waitingByHost == ["a": 2])
        #expect(drain(&queue) == [1, 2])
    }

    @Test func returningDownload_goesToTheEnd() {
        var queue = blocked(width: 1)
        wait([1, 2, 3], in: &queue)
        check(queue.release(2, now: .zero), [])
        wait([2], in: &queue)
        #expect(drain(&queue) == [1, 3, 2])
    }

    @Test func lastInFirstOut_startsTheNewestFirst() {
        var queue = blocked(width: 1, order: .lastInFirstOut)
        wait(1...4, in: &queue)
        wait([5, 6], priority: .low, in: &queue)
        #expect(drain(&queue) == [4, 3, 2, 1, 6, 5])
    }

    @Test func smallerWidth_endsNothing_andLargerWidthStartsMore() {
        var queue = Queue(width: 3, hostWidth: 2)
        for id in 1...2 { check(queue.request(id, host: "a", priority: .normal, now: .zero), [id]) }
        check(queue.request(3, host: "b", priority: .normal, now: .zero), [3])
        wait(4...6, in: &queue)
        check(queue.setWidth(1, now: .zero), [])
        #expect(queue.runningCount == 3)
        check(queue.release(1, now: .zero) + queue.release(3, now: .zero), [])
        check(queue.release(2, now: .zero), [4])
        check(queue.setHostWidth(3, now: .zero), [])
        check(queue.setWidth(3, now: .zero), [5, 6])
        #expect(queue.brokenInvariant == nil)
    }

    /// Transfers that keep the minimum rate go on. The end of each other one brings the next start nearer.
    @Test func allAboveASmallerWidth_holdUpWhatWaits() {
        var queue = Queue(width: 4, hostWidth: 2)
        for id in 1...4 { check(queue.request(id, host: "a\(id)", priority: .normal, now: .zero), [id]) }
        check(queue.setWidth(2, now: .zero), [])
        #expect(!(1...4).contains { queue.holdsUp($0) })
        wait([5], host: "b", in: &queue)
        #expect((1...4).allSatisfy { queue.holdsUp($0) })
        check(queue.release(1, now: .zero) + queue.release(2, now: .zero), [])
        #expect(queue.holdsUp(3))
        check(queue.release(3, now: .zero), [5])
        #expect(!queue.holdsUp(4))
    }

    @Test func allAboveASmallerWidthOfTheirHost_holdUpWhatWaitsThere() {
        var queue = Queue(width: 12, hostWidth: 4)
        for id in 1...2 { check(queue.request(id, host: "a", priority: .low, now: .zero), [id]) }
        for id in 3...4 { check(queue.request(id, host: "a", priority: .normal, now: .zero), [id]) }
        check(queue.request(5, host: "b", priority: .normal, now: .zero), [5])
        check(queue.setHostWidth("a", 2, now: .zero), [])
        wait([6], priority: .low, in: &queue)
        // Those for prefetching are too many as well.
        #expect([1, 2, 3, 4, 5].filter { queue.holdsUp($0) } == [1, 2])
        wait([7], in: &queue)
        #expect([1, 2, 3, 4, 5].filter { queue.holdsUp($0) } == [1, 2, 3, 4])
    }

    @Test func prefetchesAboveASmallerWidth_holdUpOthers() {
        var queue = Queue(width: 8, hostWidth: 8)
        for id in 1...4 { check(queue.request(id, host: "a\(id)", priority: .low, now: .zero), [id]) }
        check(queue.request(5, host: "b", priority: .normal, now: .zero), [5])
        check(queue.setWidth(5, now: .zero), [])
        wait([6], host: "c", priority: .low, in: &queue)
        #expect((1...5).filter { queue.holdsUp($0) } == [1, 2, 3, 4])
    }

    @Test func newOrder_appliesToLaterRequests() {
        var queue = blocked(width: 1)
        wait([1, 2], in: &queue)
        queue.setOrder(.lastInFirstOut)
        wait([3, 4], in: &queue)
        #expect(drain(&queue) == [4, 3, 1, 2])
    }

    // MARK: Priorities

    @Test func urgentDownload_goesFirst_whateverItsHostAndArrival() {
        var queue = blocked(width: 1)
        for (id, priority) in RequestPriority.allCases.enumerated() {
            wait([id], host: "host\(id % 2)", priority: priority, in: &queue)
        }
        #expect(drain(&queue) == [4, 3, 2, 1, 0])
    }

    @Test func changedPriority_preservesTheArrivalOrder() {
        var queue = blocked(width: 1)
        wait(1...4, in: &queue)
        wait(5...6, priority: .high, in: &queue)
        check(queue.setPriority(2, .high, now: .zero), [])
        check(queue.setPriority(6, .normal, now: .zero), [])
        // Lowered and raised again.
        check(queue.setPriority(3, .veryLow, now: .zero), [])
        check(queue.setPriority(3, .normal, now: .zero), [])
        #expect(drain(&queue) == [2, 5, 1, 3, 4, 6])
    }

    /// Loads whose look-up on disk takes longer arrive later.
    @Test(arguments: [DownloadOrder.firstInFirstOut, .lastInFirstOut])
    func loads_areInTheirOwnOrder_howeverTheyArrive(order: DownloadOrder) {
        var queue = Queue(width: 1, hostWidth: 1, order: order)
        check(queue.request(0, host: "a", load: 1, priority: .normal, now: .zero), [0])
        for (id, load) in [(3, 4), (1, 2), (4, 4), (2, 3)] as [(Int, UInt64)] {
            check(queue.request(id, host: "a", load: load, priority: .normal, now: .zero), [])
        }
        check(queue.setPriority(2, .high, now: .zero), [])
        check(queue.setPriority(2, .normal, now: .zero), [])
        #expect(drain(&queue, releasing: 0) == (order == .firstInFirstOut ? [1, 2, 3, 4] : [4, 3, 2, 1]))
    }

    @Test func background_getsHalfOfTheSlotsAtMost() {
        var queue = Queue(width: 6, hostWidth: 6)
        for id in 1...3 {
            check(queue.request(id, host: "a", priority: id == 1 ? .veryLow : .low, now: .zero), [id])
        }
        wait([4], priority: .low, in: &queue)
        wait([5], priority: .veryLow, in: &queue)
        check(queue.request(6, host: "a", priority: .normal, now: .zero), [6])
        check(queue.release(6, now: .zero), [])
        check(queue.release(1, now: .zero), [4])
        check(queue.release(2, now: .zero), [5])
        #expect(queue.brokenInvariant == nil)
    }

    /// As by default, with all pictures on one host.
    @Test func background_getsHalfOfTheSlotsOfItsHost() {
        var queue = Queue(width: 12, hostWidth: 6)
        for id in 1...3 { check(queue.request(id, host: "a", priority: .low, now: .zero), [id]) }
        wait([4], host: "a", priority: .low, in: &queue)
        check(queue.request(5, host: "b", priority: .low, now: .zero), [5])
        for id in 6...8 { check(queue.request(id, host: "a", priority: .normal, now: .zero), [id]) }
        // It becomes visible while it runs, and makes room for another one only when one of the host's slots is free.
        check(queue.setPriority(1, .normal, now: .zero), [])
        #expect(!queue.holdsUp(5) && queue.holdsUp(2) && queue.holdsUp(6))
        check(queue.release(6, now: .zero), [4])
        #expect(queue.brokenInvariant == nil)
    }

    /// A redirected download counts in the background of its new host.
    @Test func backgroundOfAHost_isFull_forRedirectedDownloads() {
        var queue = Queue(width: 12, hostWidth: 2)
        check(queue.request(1, host: "a", priority: .low, now: .zero), [1])
        check(queue.request(2, host: "b", priority: .low, now: .zero), [2])
        check(queue.move(2, toHost: "a", now: .zero), [])
        check(queue.release(1, now: .zero), [2])
        #expect(queue.brokenInvariant == nil)
    }

    @Test func background_getsTheOnlySlot() {
        var queue = Queue(width: 1, hostWidth: 1)
        check(queue.request(1, host: "a", priority: .veryLow, now: .zero), [1])
    }

    @Test func littleRoom_isForUrgentDownloadsOnly() {
        var queue = DownloadQueue<Int>(width: 4, hostWidth: 4)
        check(queue.setRoom(from: nil, now: .zero), [])
        for (id, priority) in [RequestPriority.low, .normal, .high].enumerated() {
            check(queue.request(id, host: "a", priority: priority, now: .zero), [])
        }
        #expect(!queue.hasRoom && queue.isShort)
        check(queue.setRoom(from: .high, now: .zero), [2])
        #expect(!queue.hasRoom && queue.isShort)
        check(queue.request(3, host: "a", priority: .veryHigh, now: .zero), [3])
        check(queue.setRoom(from: .veryLow, now: .zero), [1, 0])
        #expect(queue.hasRoom && !queue.isShort)
    }

    @Test func raisedRunningDownload_makesRoomInTheBackground() {
        var queue = Queue(width: 4, hostWidth: 4)
        for id in 1...2 { check(queue.request(id, host: "a", priority: .low, now: .zero), [id]) }
        wait([3], priority: .low, in: &queue)
        check(queue.setPriority(1, .veryLow, now: .zero), [])
        check(queue.setPriority(1, .high, now: .zero), [3])
        #expect(queue.brokenInvariant == nil)
    }

    @Test func loweredRunningDownload_continues_andCountsAsBackground() {
        var queue = Queue(width: 4, hostWidth: 4)
        for id in 1...3 { check(queue.request(id, host: "a", priority: .normal, now: .zero), [id]) }
        for id in 1...3 { check(queue.setPriority(id, .low, now: .zero), []) }
        wait([4], priority: .low, in: &queue)
        #expect(queue.runningCount == 3)
        check(queue.release(1, now: .zero), [])
        check(queue.release(2, now: .zero), [4])
        #expect(queue.brokenInvariant == nil)
    }

    @Test func raisedWaitingDownload_leavesTheBackgroundAtOnce() {
        var queue = Queue(width: 2, hostWidth: 2)
        check(queue.request(1, host: "a", priority: .low, now: .zero), [1])
        wait([2], priority: .low, in: &queue)
        check(queue.setPriority(2, .normal, now: .zero), [2])
    }

    // MARK: Hosts

    @Test func hosts_takeTurns() {
        var queue = blocked(width: 1)
        wait(10...13, host: "a", in: &queue)
        wait(20...21, host: "b", in: &queue)
        wait(30...30, host: "c", in: &queue)
        #expect(queue.waitingByHost == ["a": 4, "b": 2, "c": 1])
        #expect(drain(&queue) == [10, 20, 30, 11, 21, 12, 13])
        #expect(queue.waitingByHost == [:])
    }

    @Test func hosts_takeTurnsWithinEachPriority() {
        var queue = blocked(width: 1)
        wait([10, 11], host: "a", priority: .high, in: &queue)
        wait([12, 13], host: "a", in: &queue)
        wait([20, 21], host: "b", in: &queue)
        #expect(drain(&queue) == [10, 11, 12, 20, 13, 21])
    }

    @Test func hostWithoutAFreeSlot_blocksNoOther() {
        var queue = Queue(width: 5, hostWidth: 2)
        for id in 10...11 { check(queue.request(id, host: "a", priority: .normal, now: .zero), [id]) }
        wait(12...99, host: "a", priority: .veryHigh, in: &queue)
        check(queue.request(100, host: "b", priority: .low, now: .zero), [100])
        check(queue.request(101, host: "b", priority: .normal, now: .zero), [101])
        check(queue.release(10, now: .zero), [12])
        #expect(queue.brokenInvariant == nil)
    }

    @Test func turnMissedForLackOfASlot_isRetained() {
        var queue = Queue(width: 2, hostWidth: 1)
        check(queue.request(10, host: "a", priority: .normal, now: .zero), [10])
        check(queue.request(20, host: "b", priority: .normal, now: .zero), [20])
        wait([11], host: "a", in: &queue)
        wait([21, 22], host: "b", in: &queue)
        wait([30], host: "c", in: &queue)
        // It is the turn of a, whose only slot is taken.
        check(queue.release(20, now: .zero), [21])
        queue.pause()
        check(queue.release(21, now: .zero), [])
        check(queue.release(10, now: .zero), [])
        check(queue.resume(now: .zero), [11, 30])
    }

    @Test func hostWidth_appliesAtOnce_untilItIsReset() {
        var queue = Queue(width: 8, hostWidth: 2)
        for id in 1...2 { check(queue.request(id, host: "a", priority: .normal, now: .zero), [id]) }
        wait(3...8, in: &queue)
        check(queue.setHostWidth("a", 4, now: .zero), [3, 4])
        check(queue.setHostWidth("a", 1, now: .zero), [])
        #expect(queue.runningCount == 4)
        for id in 1...3 { check(queue.release(id, now: .zero), []) }
        check(queue.release(4, now: .zero), [5])
        check(queue.setHostWidth("a", nil, now: .zero), [6])
        // A host without requests so far.
        check(queue.setHostWidth("b", 1, now: .zero), [])
        check(queue.request(20, host: "b", priority: .normal, now: .zero), [20])
        wait([21], host: "b", in: &queue)
        #expect(queue.brokenInvariant == nil)
    }

    // MARK: Pausing

    @Test func pausedQueue_startsNothing_andRunningDownloadsContinue() {
        var queue = Queue(width: 2, hostWidth: 2)
        check(queue.request(1, host: "a", priority: .normal, now: .zero), [1])
        queue.pause()
        #expect(queue.isPaused)
        wait(2...4, in: &queue)
        check(queue.setPriority(3, .high, now: .zero), [])
        check(queue.setHostWidth("a", 9, now: .zero), [])
        check(queue.startWaiting(now: .seconds(9)), [])
        check(queue.release(1, now: .zero), [])
        #expect(queue.runningCount == 0)
        check(queue.resume(now: .zero), [3, 2])
        #expect(!queue.isPaused)
        check(queue.resume(now: .zero), [])
    }

    // MARK: Start rate

    @Test func starts_obeyTheRate_andNextStartIsKnown() {
        var queue = Queue(width: 100, hostWidth: 100, startRate: StartRate(perSecond: 4, burst: 2))
        for id in 1...2 { check(queue.request(id, host: "a", priority: .normal, now: .seconds(10)), [id]) }
        #expect(queue.nextStart == nil)
        wait([3, 4], in: &queue)
        // These requests set the clock back to zero, and the rate counts from there.
        #expect(queue.nextStart == .milliseconds(250))
        check(queue.startWaiting(now: .milliseconds(249)), [])
        #expect(queue.nextStart == .milliseconds(250))
        check(queue.startWaiting(now: .milliseconds(250)), [3])
        #expect(queue.nextStart == .milliseconds(500))
        #expect(queue.brokenInvariant == nil)
        // Without a tick, the next event starts the downloads that are due.
        check(queue.request(5, host: "a", priority: .high, now: .milliseconds(750)), [5, 4])
        #expect(queue.nextStart == nil)
    }

    @Test func release_needsNoToken_butTheNextStartDoes() {
        var queue = Queue(width: 1, hostWidth: 1, startRate: StartRate(perSecond: 4))
        check(queue.request(1, host: "a", priority: .normal, now: .zero), [1])
        wait([2], in: &queue)
        // It waits for the slot, not for a token.
        #expect(queue.nextStart == nil)
        check(queue.release(1, now: .zero), [])
        #expect(queue.runningCount == 0)
        #expect(queue.nextStart == .milliseconds(250))
        queue.pause()
        #expect(queue.nextStart == nil)
        check(queue.resume(now: .milliseconds(250)), [2])
    }
}
