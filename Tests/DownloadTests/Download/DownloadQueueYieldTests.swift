import Alcedo
import Testing

@testable import TestFixtures

/// How many slots hosts get of each other, and when a transfer of one yields to another.
@Suite struct DownloadQueueYieldTests {
    private typealias Queue = DownloadQueue<Int>

    // MARK: The last third

    @Test func lastThirdOfTheSlots_isForHostsThatHoldNone() {
        var queue = Queue(width: 12, hostWidth: 6)
        let first = (0..<10).flatMap { queue.request($0, host: "a", priority: .normal, now: .zero) }
        check(first, Array(0..<6))
        let second = (10..<20).flatMap { queue.request($0, host: "b", priority: .veryHigh, now: .zero) }
        check(second, [10, 11])
        let others = (20..<25).flatMap { queue.request($0, host: "c\($0)", priority: .low, now: .zero) }
        check(others, Array(20..<24))
        // A newcomer goes before more urgent downloads of a host that holds slots.
        check(queue.release(20, now: .zero), [24])
        check(queue.release(21, now: .zero), [])
        #expect(queue.brokenInvariant == nil)
    }

    @Test func singleHost_mayTakeAllSlots_untilThereIsAnother() {
        var queue = Queue(width: 6, hostWidth: 6)
        check((0..<8).flatMap { queue.request($0, host: "a", priority: .normal, now: .zero) }, Array(0..<6))
        check(queue.request(10, host: "b", priority: .normal, now: .zero), [])
        check(queue.release(0, now: .zero), [10])
        check(queue.release(1, now: .zero), [])
        #expect(queue.isShort && queue.holdsUp(2) == false)
        // The other one's last download has ended.
        check(queue.release(10, now: .zero), [6, 7])
        #expect(queue.brokenInvariant == nil)
    }

    // MARK: The choice

    /// Two slots of `a` and one of `b`, while another host waits.
    private func full(waiting priority: RequestPriority = .normal) -> Queue {
        var queue = Queue(width: 3, hostWidth: 2)
        check(queue.request(1, host: "a", priority: .normal, now: .zero), [1])
        check(queue.request(2, host: "a", priority: .normal, now: .seconds(1)), [2])
        check(queue.request(3, host: "b", priority: .normal, now: .seconds(2)), [3])
        check(queue.request(4, host: "c", priority: priority, now: .seconds(10)), [])
        return queue
    }

    /// Which one yields, one minute after the other host began to wait.
    private func yielding(
        _ queue: inout Queue, at seconds: Int = 70, bytes: [Int: Int] = [:], losing: Set<Int> = [],
        once: Set<Int> = []
    ) -> Int? {
        queue.yielding(now: .seconds(seconds)) {
            .init(bytes: bytes[$0] ?? 60_000, keepsBytes: !losing.contains($0), isRepeatable: !once.contains($0))
        }
    }

    @Test func oldestTransferOfTheWidestHost_yields_afterAMinute() {
        var queue = full()
        #expect(queue.nextYield == .seconds(70))
        check(yielding(&queue, at: 69), nil)
        check(yielding(&queue), 1)
        // One at a time.
        #expect(queue.nextYield == .seconds(130))
        check(yielding(&queue), nil)
        check(queue.yield(1, now: .seconds(71)), [4])
        check(queue.request(1, host: "a", priority: .normal, now: .seconds(71)), [])
        #expect(queue.nextYield == nil)
        // It holds a slot still, and waits for no yielding.
        check(queue.release(4, now: .seconds(80)), [])
        check(queue.release(3, now: .seconds(80)), [1])
    }

    @Test func startOfAnyDownload_restartsTheMinute() {
        var queue = full()
        check(queue.request(5, host: "d", priority: .normal, now: .seconds(20)), [])
        check(queue.release(3, now: .seconds(50)), [4])
        #expect(queue.nextYield == .seconds(110))
        check(queue.release(5, now: .seconds(50)), [])
        #expect(queue.nextYield == nil)
    }

    @Test func transferThatWouldLoseItsBytes_yieldsOnlyForAReason() {
        var queue = full()
        // Another one of its host keeps its bytes.
        check(yielding(&queue, losing: [1]), 2)
        queue = full()
        check(yielding(&queue, losing: [1, 2]), 3)
        queue = full()
        // All are as slow.
        check(yielding(&queue, losing: [1, 2, 3]), nil)
        check(yielding(&queue, at: 130, losing: [1, 2, 3]), nil)
        check(yielding(&queue, at: 610, losing: [1, 2, 3]), 1)
        queue = full()
        check(yielding(&queue, bytes: [3: 200_000], losing: [1, 2, 3]), 1)
        queue = full()
        // Of its own host.
        check(yielding(&queue, bytes: [2: 200_000], losing: [1, 2, 3]), 3)
        queue = full(waiting: .high)
        check(yielding(&queue, losing: [1, 2, 3]), 1)
    }

    @Test func transfersAboveASmallerWidth_yieldUntilTheOtherHostStarts() {
        var queue = full()
        check(queue.setWidth(1, now: .seconds(20)), [])
        #expect(queue.nextYield == .seconds(70))
        for (id, second) in [(1, 70), (2, 130), (3, 190)] {
            check(yielding(&queue, at: second), id)
            check(queue.yield(id, now: .seconds(second)), id == 3 ? [4] : [])
        }
        #expect(queue.nextYield == nil)
        #expect(queue.brokenInvariant == nil)
    }

    @Test func minute_passes_whileThereIsNoRoom() {
        var queue = full()
        check(queue.setRoom(from: nil, now: .seconds(20)), [])
        #expect(queue.nextYield == .seconds(70))
        check(queue.setRoom(from: .veryLow, now: .seconds(30)), [])
        check(queue.setRoom(from: nil, now: .seconds(40)), [])
        check(yielding(&queue), 1)
        // The slot is kept until there is room for what waits.
        check(queue.yield(1, now: .seconds(71)), [])
        check(queue.request(1, host: "a", priority: .normal, now: .seconds(71)), [])
        #expect(queue.nextYield == nil)
        check(queue.setRoom(from: .veryLow, now: .seconds(80)), [4])
    }

    @Test func transferThatHasPaused_isNotSlow() {
        var queue = full()
        let transfer = { (id: Int) in
            Queue.Transfer(
                bytes: id == 1 ? 20_000 : 60_000, pausedTime: id == 1 ? .seconds(50) : .zero, keepsBytes: false,
                isRepeatable: true)
        }
        check(queue.yielding(now: .seconds(70), transfer), nil)
        queue = full()
        check(yielding(&queue, bytes: [1: 20_000], losing: [1, 2, 3]), 1)
    }

    @Test func moreUrgentTransfer_andRequestThatIsSentOnce_keepTheirSlots() {
        var queue = full(waiting: .low)
        check(yielding(&queue), nil)
        queue = full()
        check(queue.setPriority(1, .high, now: .seconds(11)), [])
        check(yielding(&queue), 2)
        queue = full()
        check(yielding(&queue, once: [1, 2]), 3)
        queue = full()
        check(yielding(&queue, once: [1, 2, 3]), nil)
    }

    @Test func hostThatYields_hasItsTurnAfterAllOthers() {
        var queue = Queue(width: 2, hostWidth: 1)
        for (id, host) in ["a", "b", "a", "b", "c"].enumerated() {
            _ = queue.request(id, host: host, priority: .normal, now: .zero)
        }
        check(yielding(&queue) != nil, true)
        check(queue.yield(0, now: .seconds(70)), [4])
        check(queue.yield(1, now: .seconds(70)), [2])
        check(queue.yield(4, now: .seconds(70)), [3])
    }

    // MARK: Simulations

    /// Downloads over a link, second by second.
    private struct Site {
        struct Body {
            let host: String
            let priority: RequestPriority
            let size: Int
            var received = 0
            var inSlot = 0
        }

        var queue = Queue(width: 12, hostWidth: 6)
        var bodies: [Int: Body] = [:]
        var running: Set<Int> = []
        var starts: [Int: Int] = [:]
        var now = 0
        var lost = 0
        var yields = 0
        /// Bytes per second, of each transfer or of all together.
        let rate: Int
        let isShared: Bool
        /// Whether transfers can be resumed.
        let keepsBytes: Bool

        mutating func request(_ id: Int, host: String, _ priority: RequestPriority = .normal, size: Int = .max) {
            bodies[id] = Body(host: host, priority: priority, size: size)
            start(queue.request(id, host: host, priority: priority, now: .seconds(now)))
        }

        private mutating func start(_ ids: [Int]) {
            for id in ids {
                running.insert(id)
                if starts[id] == nil { starts[id] = now }
            }
        }

        mutating func run(seconds: Int) {
            for _ in 0..<seconds {
                now += 1
                let share = isShared ? rate / max(1, running.count) : rate
                for id in running.sorted() {
                    bodies[id]?.received += share
                    bodies[id]?.inSlot += share
                    guard let body = bodies[id], body.received >= body.size else { continue }
                    running.remove(id)
                    bodies[id] = nil
                    start(queue.release(id, now: .seconds(now)))
                }
                yieldIfDue()
            }
        }

        private mutating func yieldIfDue() {
            let (bodies, keepsBytes) = (bodies, keepsBytes)
            let yielding = queue.yielding(now: .seconds(now)) {
                .init(bytes: bodies[$0]?.inSlot ?? 0, keepsBytes: keepsBytes, isRepeatable: true)
            }
            guard let id = yielding, let body = bodies[id] else { return }
            yields += 1
            running.remove(id)
            self.bodies[id]?.inSlot = 0
            if !keepsBytes {
                lost += body.inSlot
                self.bodies[id]?.received = 0
            }
            start(queue.yield(id, now: .seconds(now)))
            start(queue.request(id, host: body.host, priority: body.priority, now: .seconds(now)))
        }
    }

    @Test(arguments: [12, 2_000], [true, false])
    func urgentDownload_startsSoon_behindManySlowHosts(hosts: Int, keepsBytes: Bool) throws {
        for arrival in [0, 1, 59, 100, 3_000] {
            var site = Site(rate: 2_000, isShared: false, keepsBytes: keepsBytes)
            for id in 0..<2 * hosts { site.request(id, host: "host\(id % hosts)") }
            site.run(seconds: arrival)
            site.request(-1, host: "wanted", .veryHigh, size: 100_000)
            site.run(seconds: 90)
            #expect(try #require(site.starts[-1]) <= arrival + 60)
        }
    }

    /// The same without urgency, behind no more hosts than there are slots.
    @Test func anyDownload_startsSoon_behindFewSlowHosts() throws {
        var site = Site(rate: 2_000, isShared: false, keepsBytes: true)
        for id in 0..<60 { site.request(id, host: "host\(id % 12)") }
        site.run(seconds: 100)
        site.request(-1, host: "wanted")
        site.run(seconds: 90)
        #expect(try #require(site.starts[-1]) <= 160)
    }

    /// Two hosts can't even make another one wait.
    @Test func twoHosts_leaveSlotsToOthers() throws {
        var site = Site(rate: 2_000, isShared: false, keepsBytes: true)
        for id in 0..<40 { site.request(id, host: "host\(id % 2)") }
        site.run(seconds: 100)
        site.request(-1, host: "wanted")
        #expect(site.starts[-1] == 100)
    }

    @Test(arguments: [1, 2, 4, 13, 40], [true, false])
    func honestPicturesOverASlowLink_loseNoByte(hosts: Int, keepsBytes: Bool) {
        var site = Site(rate: 20_000, isShared: true, keepsBytes: keepsBytes)
        let sizes = (0..<40).map { 20_000 + $0 % 7 * 45_000 }
        for (id, size) in sizes.enumerated() { site.request(id, host: "host\(id % hosts)", size: size) }
        // As long as the link takes, if it is never idle.
        site.run(seconds: sizes.reduce(0, +) / 20_000 + 40)
        #expect(site.bodies.isEmpty && site.lost == 0)
        #expect(site.starts.count == 40)
    }
}
