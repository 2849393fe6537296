import Alcedo
import AlcedoTestSupport
import Synchronization
import Testing

@testable import TestFixtures

/// The cost of a long line, in counts rather than seconds.
@Suite struct DownloadQueueSizeTests {
    private let count = 20_000

    /// An id that counts how often it is hashed or compared.
    private struct CountedID: Hashable {
        let number: Int
        static let uses = Atomic(0)

        static func == (first: Self, second: Self) -> Bool {
            uses.add(1, ordering: .relaxed)
            return first.number == second.number
        }

        func hash(into hasher: inout Hasher) {
            Self.uses.add(1, ordering: .relaxed)
            hasher.combine(number)
        }
    }

    @Test func events_doNotSearchTheLine() {
        var random = SeededRandom(seed: 21)
        var queue = DownloadQueue<CountedID>(width: 6, hostWidth: 3)
        let numbers = (0..<count).shuffled(using: &random)
        for number in numbers {
            let priority = RequestPriority.allCases[number % 5]
            _ = queue.request(CountedID(number: number), host: "host\(number % 7)", priority: priority, now: .zero)
        }
        for number in numbers.prefix(count / 4) {
            _ = queue.setPriority(CountedID(number: number), RequestPriority.allCases[number % 3], now: .zero)
        }
        for number in numbers { _ = queue.release(CountedID(number: number), now: .zero) }
        #expect(queue.runningCount + queue.waitingCount == 0)
        // Two and a quarter events each, with up to six look-ups, including collisions and tables that grow and shrink.
        #expect(CountedID.uses.load(ordering: .relaxed) < count * 45)
    }

    @Test func capacity_shrinks_whenAllLeave() {
        var random = SeededRandom(seed: 22)
        var queue = DownloadQueue<Int>(width: 1, hostWidth: 1)
        _ = queue.request(-1, host: "blocker", priority: .normal, now: .zero)
        for id in 0..<count {
            _ = queue.request(id, host: "host\(id % 100)", priority: .normal, now: .zero)
        }
        #expect(queue.capacity >= count)
        for id in (0..<count).shuffled(using: &random) where id != count / 2 { _ = queue.release(id, now: .zero) }
        #expect(queue.waitingCount == 1)
        #expect(queue.brokenInvariant == nil)
        check(queue.release(-1, now: .zero), [count / 2])
        #expect(queue.capacity < 1_000)
    }

    @Test func capacity_shrinks_whenTheLineIsServed() {
        var queue = DownloadQueue<Int>(width: 1, hostWidth: 1)
        let count = 20_000
        for id in 0..<count { _ = queue.request(id, host: "host\(id % 1_000)", priority: .normal, now: .zero) }
        for id in 0..<count - 1 { check(queue.release(id, now: .zero), [id + 1]) }
        #expect(queue.capacity < 1_000)
        #expect(queue.brokenInvariant == nil)
    }
}
