import AlcedoTestSupport
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite struct SortedListTests {
    @Test func elements_areOrderedByRank() {
        var list = SortedList<Int, String>()
        for (rank, name) in [(3, "c"), (1, "a"), (2, "b"), (-1, "z")] { list.insert(name, rank: rank) }
        #expect(list.first == "z")
        list.remove(rank: 2)
        check(list.removeFirst(), "z")
        check(list.removeFirst(), "a")
        check(list.removeFirst(), "c")
        check(list.removeFirst(), nil)
        #expect(list.isEmpty)
    }

    @Test func randomHistories_agreeWithASet() {
        var random = SeededRandom(seed: 11)
        var list = SortedList<Int, Int>()
        var model: Set<Int> = []
        for step in 0..<5_000 {
            let rank = Int.random(in: 0..<500, using: &random)
            // Waves, so that it grows, shrinks and is emptied.
            switch (Int.random(in: 0..<10, using: &random), step / 1_000 % 2) {
            case (0..<2, _):
                check(list.removeFirst(), model.min())
                if let least = model.min() { model.remove(least) }
            case (2..<8, 0), (2..<4, 1):
                if model.insert(rank).inserted { list.insert(rank, rank: rank) }
            default:
                if model.remove(rank) != nil { list.remove(rank: rank) }
            }
            must(list.entries.map(\.element) == model.sorted() && list.entries.allSatisfy { $0.rank == $0.element })
            must(list.first == model.min() && list.isEmpty == model.isEmpty)
        }
    }

    /// A rank that counts how often it is compared.
    private struct CountedRank: Comparable {
        let number: Int
        static let uses = Atomic(0)

        static func < (first: Self, second: Self) -> Bool {
            uses.add(1, ordering: .relaxed)
            return first.number < second.number
        }
    }

    @Test func changes_compareFewRanks() {
        let count = 10_000
        var random = SeededRandom(seed: 13)
        var list = SortedList<CountedRank, Void>()
        for number in (0..<count).shuffled(using: &random) { list.insert((), rank: CountedRank(number: number)) }
        for number in (0..<count).shuffled(using: &random) { list.remove(rank: CountedRank(number: number)) }
        #expect(list.isEmpty)
        #expect(CountedRank.uses.load(ordering: .relaxed) <= 2 * count * 14)
    }
}
