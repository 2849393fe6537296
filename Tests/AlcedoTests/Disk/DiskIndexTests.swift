import AlcedoTestSupport
import Testing

@testable import Alcedo

@Suite struct DiskIndexTests {
    private func name(_ number: Int) -> EntryName { EntryName(ResourceKey(text: "http://h/\(number)")) }

    private func openIndex(limit: Int) -> DiskIndex {
        var index = DiskIndex(byteLimit: limit)
        check(index.complete(with: []), [])
        return index
    }

    @Test func theLeastRecentlyUsed_goesFirst() {
        var index = openIndex(limit: 3)
        for number in 1...3 { check(index.insert(name(number), bytes: 1)?.victims, []) }
        index.recordUse(of: name(1))
        check(index.insert(name(4), bytes: 1)?.victims, [name(2)])
        check(index.insert(name(5), bytes: 2)?.victims, [name(3), name(1)])
        #expect(index.totalBytes == 3)
        #expect(index.brokenInvariant == nil)
    }

    @Test func anEntryLargerThanTheLimit_isNotTaken_andItsOldOneGoes() {
        var index = openIndex(limit: 3)
        _ = index.insert(name(1), bytes: 1)
        check(index.insert(name(1), bytes: 4)?.version, nil)
        #expect(index.presence(of: name(1)) == .absent)
        #expect(index.totalBytes == 0)
    }

    @Test func overwriting_countsOnce() {
        var index = openIndex(limit: 10)
        let first = index.insert(name(1), bytes: 6)?.version
        let second = index.insert(name(1), bytes: 7)?.version
        #expect(index.totalBytes == 7)
        #expect(first != second)
        // The failure of the first write says nothing of the second.
        check(index.remove(name(1), version: first ?? 0), false)
        #expect(index.presence(of: name(1)) != .absent)
    }

    @Test func beforeTheDirectoryIsRead_onlyRemovedNamesAreKnown() {
        var index = DiskIndex(byteLimit: 10)
        #expect(index.presence(of: name(1)) == .unknown)
        index.remove(name(1))
        #expect(index.presence(of: name(1)) == .absent)
        check(index.complete(with: [(name(1), 1), (name(2), 1)]), [])
        #expect(index.presence(of: name(1)) == .absent)
        #expect(index.presence(of: name(2)) != .absent)
        #expect(index.presence(of: name(3)) == .absent)
    }

    @Test func aDirectoryAboveTheLimit_losesItsOldest() {
        var index = DiskIndex(byteLimit: 2)
        check(index.complete(with: (1...5).map { (name($0), 1) }), [name(1), name(2), name(3)])
        #expect(index.brokenInvariant == nil)
    }

    @Test func afterRemoveAll_whatTheDirectoryHeldIsForgotten() {
        var index = DiskIndex(byteLimit: 10)
        index.removeAll()
        check(index.complete(with: [(name(1), 1)]), [])
        #expect(index.presence(of: name(1)) == .absent)
    }

    @Test func randomHistories_agreeWithADictionary() {
        var random = SeededRandom(seed: 11)
        var index = openIndex(limit: 100)
        var model: [EntryName: Int] = [:]
        let names = (0..<40).map(name)
        for step in 0..<50_000 {
            let name = names[Int.random(in: 0..<40, using: &random)]
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                index.remove(name)
                model[name] = nil
            case 1:
                index.recordUse(of: name)
            default:
                let bytes = Int.random(in: 0...30, using: &random)
                model[name] = nil
                let plan = index.insert(name, bytes: bytes)
                for victim in plan?.victims ?? [] { must(model.removeValue(forKey: victim) != nil, "evicted twice") }
                model[name] = bytes
            }
            must(index.totalBytes == model.values.reduce(0, +), "step \(step)")
            must(index.count == model.count, "step \(step)")
            must(index.brokenInvariant == nil, index.brokenInvariant ?? "")
        }
    }
}
