import AlcedoTestSupport
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct UndecodedBytesTests {
    private let undecoded = UndecodedBytes(limit: 100)

    @Test func share_isReturnedOnce_howeverOftenItIsReleased() {
        let share = undecoded.share()
        share.add(30)
        share.add(40)
        #expect(undecoded.byteCount == 70)
        share.release()
        share.release()
        share.add(10)
        #expect(undecoded.byteCount == 0)
    }

    @Test func share_isReturned_withItsLastReference() {
        do {
            let share = undecoded.share()
            share.add(30)
            #expect(undecoded.byteCount == 30)
        }
        #expect(undecoded.byteCount == 0)
    }

    @Test func sharedBody_isCounted_untilTheLastCallerReleasesIt() {
        let share = undecoded.share()
        share.add(30)
        share.hold(for: 2)
        share.release()
        #expect(undecoded.byteCount == 30)
        share.release()
        #expect(undecoded.byteCount == 0)
        let unwanted = undecoded.share()
        unwanted.add(30)
        unwanted.hold(for: 0)
        #expect(undecoded.byteCount == 0)
    }

    @Test func waitingDownloads_areNotifiedOfRoom_once() {
        let calls = Mutex(0)
        undecoded.onRoom { calls.withLock { $0 += 1 } }
        let (first, second) = (undecoded.share(), undecoded.share())
        first.add(99)
        #expect(undecoded.hasRoom())
        second.add(1)
        #expect(!undecoded.hasRoom())
        first.release()
        second.release()
        #expect(calls.withLock { $0 } == 1)
        let third = undecoded.share()
        third.add(100)
        third.release()
        // No download waited for room.
        #expect(calls.withLock { $0 } == 1)
    }

    @Test func reads_waitForRoom() async throws {
        let full = undecoded.share()
        full.add(100)
        let order = Recorder<Int>()
        var readers: [Task<Void, Never>] = []
        for number in 0..<3 {
            readers.append(
                Task { [undecoded] in
                    guard let share = await undecoded.admit() else { return }
                    order.record(number)
                    share.add(60)
                    share.release()
                })
            while undecoded.waitingReads < number + 1, !Task.isCancelled { await Task.yield() }
        }
        #expect(order.values.isEmpty)
        full.release()
        for reader in readers { await reader.value }
        #expect(Set(order.values) == [0, 1, 2])
        #expect(undecoded.byteCount == 0)
    }

    @Test func readsOfUnknownSize_areLimited() async throws {
        var shares: [UndecodedShare] = []
        for _ in 0..<16 { shares.append(try #require(await undecoded.admit())) }
        let late = Task { [undecoded] in await undecoded.admit() }
        while undecoded.waitingReads < 1, !Task.isCancelled { await Task.yield() }
        // A finished read makes room for another, and so does a failed one.
        shares[0].add(1)
        let share = try #require(await late.value)
        shares.removeAll()
        share.release()
        #expect(undecoded.byteCount == 0)
        #expect(await undecoded.admit() != nil)
    }

    @Test func cancelledWaitingRead_returnsAtOnce_andTakesNothing() async throws {
        let full = undecoded.share()
        full.add(100)
        let reader = Task { [undecoded] in await undecoded.admit() }
        while undecoded.waitingReads < 1, !Task.isCancelled { await Task.yield() }
        reader.cancel()
        #expect(await reader.value == nil)
        #expect(undecoded.waitingReads == 0)
        full.release()
        for _ in 0..<16 { #expect(await undecoded.admit() != nil) }
    }
}
