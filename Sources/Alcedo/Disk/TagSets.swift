/// The entries' tag sets, each stored once however many entries have it.
///
/// Tags are stored as hashes, which is enough to find entries by tag.
struct TagSets: Sendable {
    /// The number of the empty set.
    static let none: UInt32 = 0

    struct TagSet: Sendable {
        var hashes: [UInt64]
        var count: Int
    }

    private(set) var sets: [TagSet] = [TagSet(hashes: [], count: 0)]
    private var numbers: [[UInt64]: UInt32] = [:]
    private var free: [UInt32] = []

    static func hashes(of tags: Set<String>) -> [UInt64] { tags.map(hash).sorted() }

    static func hash(_ tag: String) -> UInt64 { FastHash.hash(tag, seed: 7) }

    /// The hashes in a set.
    subscript(number: UInt32) -> [UInt64] { sets[Int(number)].hashes }

    /// Returns the number of a set of sorted hashes, and counts one more entry that has it.
    mutating func add(_ hashes: [UInt64]) -> UInt32 {
        if hashes.isEmpty { return Self.none }
        if let number = numbers[hashes] {
            sets[Int(number)].count += 1
            return number
        }
        let set = TagSet(hashes: hashes, count: 1)
        let number: UInt32
        if let place = free.popLast() {
            number = place
            sets[Int(place)] = set
        } else {
            number = UInt32(sets.count)
            sets.append(set)
        }
        numbers[hashes] = number
        return number
    }

    /// Removes one entry's use of a set.
    mutating func remove(_ number: UInt32) {
        guard number != Self.none else { return }
        let place = Int(number)
        sets[place].count -= 1
        guard sets[place].count == 0 else { return }
        numbers[sets[place].hashes] = nil
        sets[place].hashes = []
        free.append(number)
    }

    /// The sets that contain a tag.
    func numbers(with tag: UInt64) -> Set<UInt32> {
        Set(sets.indices.filter { sets[$0].hashes.contains(tag) }.map { UInt32($0) })
    }
}

extension EntryMetadata {
    /// The hashes by which the index finds the entry, in addition to its key: those of all its tags.
    var hashes: [UInt64] { TagSets.hashes(of: allTags) }
}
