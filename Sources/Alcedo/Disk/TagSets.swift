/// The sets of tags that entries have, each held once however many have it: by their folds, which is enough to find them.
struct TagSets: Sendable {
    /// Of the entries without tags.
    static let none: UInt32 = 0

    private struct Kept: Sendable {
        var folds: [UInt64]
        var count: Int
    }

    private var sets: [Kept] = [Kept(folds: [], count: 0)]
    private var numbers: [[UInt64]: UInt32] = [:]
    private var free: [UInt32] = []

    static func folds(of tags: Set<String>) -> [UInt64] { tags.map(fold).sorted() }

    static func fold(_ tag: String) -> UInt64 { Fold.fold(tag, seed: 7) }

    /// The folds of a set.
    subscript(number: UInt32) -> [UInt64] { sets[Int(number)].folds }

    /// The number of a set of sorted folds, for one more entry.
    mutating func add(_ folds: [UInt64]) -> UInt32 {
        if folds.isEmpty { return Self.none }
        if let number = numbers[folds] {
            sets[Int(number)].count += 1
            return number
        }
        let kept = Kept(folds: folds, count: 1)
        let number: UInt32
        if let place = free.popLast() {
            number = place
            sets[Int(place)] = kept
        } else {
            number = UInt32(sets.count)
            sets.append(kept)
        }
        numbers[folds] = number
        return number
    }

    /// Takes an entry's share of a set back.
    mutating func remove(_ number: UInt32) {
        guard number != Self.none else { return }
        let place = Int(number)
        sets[place].count -= 1
        guard sets[place].count == 0 else { return }
        numbers[sets[place].folds] = nil
        sets[place].folds = []
        free.append(number)
    }

    /// Which sets have a tag.
    func numbers(with tag: UInt64) -> Set<UInt32> {
        Set(sets.indices.filter { sets[$0].folds.contains(tag) }.map { UInt32($0) })
    }

    /// How many entries have tags; for tests.
    var useCount: Int { sets.reduce(0) { $0 + $1.count } }
}
