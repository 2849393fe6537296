import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite struct TagSetsTests {
    @Test func set_isStoredOnce_andItsNumberReused() {
        var sets = TagSets()
        let one = sets.add([1, 2])
        #expect(sets.add([1, 2]) == one)
        let other = sets.add([2])
        #expect(Set([TagSets.none, one, other]).count == 3)
        #expect(sets[one] == [1, 2] && sets[other] == [2])
        #expect(sets.useCount == 3)
        sets.remove(one)
        #expect(sets[one] == [1, 2])
        sets.remove(one)
        #expect(sets.useCount == 1)
        #expect(sets.add([3]) == one)
        #expect(sets[one] == [3])
        // Of the one that is gone nothing is left.
        #expect(sets.add([1, 2]) != one)
    }

    @Test func noTags_areNoSet() {
        var sets = TagSets()
        #expect(sets.add([]) == TagSets.none)
        sets.remove(TagSets.none)
        #expect(sets.useCount == 0)
        #expect(sets[TagSets.none].isEmpty)
        #expect(sets.numbers(with: 1).isEmpty)
    }

    @Test func tag_isFound_inItsSetsOnly() {
        var sets = TagSets()
        let (one, both, other) = (sets.add([1]), sets.add([1, 2]), sets.add([2]))
        #expect(sets.numbers(with: 1) == [one, both])
        #expect(sets.numbers(with: 2) == [both, other])
        sets.remove(both)
        #expect(sets.numbers(with: 1) == [one])
        #expect(sets.numbers(with: 3).isEmpty)
    }

    @Test func hashes_areSortedAndStable() {
        #expect(TagSets.hashes(of: []) == [])
        let hashes = TagSets.hashes(of: ["a", "b", "c", ""])
        #expect(hashes == hashes.sorted() && Set(hashes).count == 4)
        // It stands in index files.
        #expect(String(TagSets.hash("bird"), radix: 16) == "bf47190ea59b1e8e")
    }

    @Test func randomHistories_agreeWithCounts() {
        var random = SeededRandom(seed: 9)
        var sets = TagSets()
        var held: [(number: UInt32, hashes: [UInt64])] = []
        for _ in 0..<5_000 {
            if Bool.random(using: &random) || held.isEmpty {
                let hashes = (UInt64(1)...4).filter { _ in Bool.random(using: &random) }
                held.append((sets.add(hashes), hashes))
            } else {
                sets.remove(held.remove(at: Int.random(in: 0..<held.count, using: &random)).number)
            }
            must(held.allSatisfy { sets[$0.number] == $0.hashes })
            must(sets.useCount == held.count { !$0.hashes.isEmpty })
            let tag = UInt64.random(in: 1...4, using: &random)
            must(sets.numbers(with: tag) == Set(held.filter { $0.hashes.contains(tag) }.map(\.number)))
        }
    }
}
