import AlcedoTestSupport
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite struct LazyHeapTests {
    @Test func elements_areOrderedByRank() {
        var heap = LazyHeap<Int, String>()
        for (rank, name) in [(3, "c"), (1, "a"), (2, "b"), (-1, "z")] { heap.insert(name, rank: rank) }
        #expect(heap.first == "z")
        heap.remove(rank: 2)
        #expect(heap.count == 3)
        check(heap.removeFirst(), "z")
        check(heap.removeFirst(), "a")
        check(heap.removeFirst(), "c")
        check(heap.removeFirst(), nil)
        #expect(heap.isEmpty)
    }

    @Test func reinsertedRank_occursOnce() {
        var heap = LazyHeap<Int, Int>()
        for rank in 1...3 { heap.insert(rank, rank: rank) }
        for _ in 0..<3 {
            heap.remove(rank: 2)
            #expect(heap.count == 2)
            heap.insert(2, rank: 2)
        }
        #expect(heap.count == 3)
        check(heap.removeFirst(), 1)
        check(heap.removeFirst(), 2)
        check(heap.removeFirst(), 3)
    }

    @Test func randomHistories_agreeWithSortedList() {
        var random = SeededRandom(seed: 11)
        var heap = LazyHeap<Int, Int>()
        var model: Set<Int> = []
        for step in 0..<5_000 {
            let rank = Int.random(in: 0..<500, using: &random)
            // Waves, so that it grows, shrinks and is emptied.
            switch (Int.random(in: 0..<10, using: &random), step / 1_000 % 2) {
            case (0..<2, _):
                check(heap.removeFirst(), model.min())
                if let least = model.min() { model.remove(least) }
            case (2..<8, 0), (2..<4, 1):
                if model.insert(rank).inserted { heap.insert(rank, rank: rank) }
            default:
                if model.remove(rank) != nil { heap.remove(rank: rank) }
            }
            must(heap.first == model.min() && heap.count == model.count && heap.isEmpty == model.isEmpty)
            must(Set(heap.contents.map(\.element)) == model)
            must(heap.brokenInvariant == nil, heap.brokenInvariant ?? "")
        }
    }

    @Test func room_isReleased_afterRemoval() {
        var random = SeededRandom(seed: 12)
        var heap = LazyHeap<Int, Int>()
        for rank in (0..<100_000).shuffled(using: &random) { heap.insert(rank, rank: rank) }
        for rank in (0..<100_000).shuffled(using: &random) where rank != 50_000 { heap.remove(rank: rank) }
        #expect(heap.count == 1)
        #expect(heap.capacity < 200)
        check(heap.removeFirst(), 50_000)

        for rank in 0..<100_000 { heap.insert(rank, rank: rank) }
        for rank in 0..<99_999 { check(heap.removeFirst(), rank) }
        #expect(heap.capacity < 200)
    }

    // MARK: Cost

    /// A rank that counts how often it is compared or hashed.
    private struct CountedRank: Hashable, Comparable {
        let number: Int
        static let uses = Atomic(0)

        static func < (first: Self, second: Self) -> Bool {
            uses.add(1, ordering: .relaxed)
            return first.number < second.number
        }

        func hash(into hasher: inout Hasher) {
            Self.uses.add(1, ordering: .relaxed)
            hasher.combine(number)
        }
    }

    @Test func everyChange_costsLogarithmically() {
        let count = 100_000
        var random = SeededRandom(seed: 13)
        var heap = LazyHeap<CountedRank, Void>()
        for number in (0..<count).shuffled(using: &random) { heap.insert((), rank: CountedRank(number: number)) }
        let numbers = (0..<count).shuffled(using: &random)
        for number in numbers.prefix(count / 2) { heap.remove(rank: CountedRank(number: number)) }
        for number in numbers.prefix(count / 4) { heap.insert((), rank: CountedRank(number: number)) }
        while !heap.isEmpty { _ = heap.removeFirst() }
        // Each of 225,000 changes, at 17 levels and two comparisons a level, and no more.
        #expect(CountedRank.uses.load(ordering: .relaxed) < 225_000 * 2 * 17)
    }
}
