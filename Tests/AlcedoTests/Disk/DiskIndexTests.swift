import AlcedoTestSupport
import Testing

@testable import Alcedo

@Suite struct DiskIndexTests {
    private func name(_ number: Int) -> EntryName { EntryName(ResourceKey(text: "http://h/\(number)")) }

    private func item(_ number: Int, _ bytes: Int) -> DiskIndex.Item { .init(name: name(number), bytes: bytes) }

    private func openIndex(limit: Int) -> DiskIndex {
        var index = DiskIndex(byteLimit: limit)
        check(index.complete(with: []), [])
        return index
    }

    @Test func theLeastRecentlyUsed_goesFirst() {
        var index = openIndex(limit: 3)
        for number in 1...3 { check(index.insert(name(number), bytes: 1)?.victims.map(\.name), []) }
        index.recordUse(of: name(1))
        check(index.insert(name(4), bytes: 1)?.victims.map(\.name), [name(2)])
        check(index.insert(name(5), bytes: 2)?.victims.map(\.name), [name(3), name(1)])
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
        check(index.complete(with: [item(1, 1), item(2, 1)]), [])
        #expect(index.presence(of: name(1)) == .absent)
        #expect(index.presence(of: name(2)) != .absent)
        #expect(index.presence(of: name(3)) == .absent)
    }

    @Test func aDirectoryAboveTheLimit_losesItsOldest() {
        var index = DiskIndex(byteLimit: 2)
        check(index.complete(with: (1...5).map { item($0, 1) }), [item(1, 1), item(2, 1), item(3, 1)])
        #expect(index.brokenInvariant == nil)
    }

    @Test func afterRemoveAll_whatTheDirectoryHeldIsForgotten() {
        var index = DiskIndex(byteLimit: 10)
        index.removeAll()
        check(index.complete(with: [item(1, 1)]), [])
        #expect(index.presence(of: name(1)) == .absent)
    }

    @Test(arguments: [100, Int.max])
    func filesOfAnySize_overflowNothing(limit: Int) {
        var index = DiskIndex(byteLimit: limit)
        let huge = DiskWork.allocated(.max)
        let found = [item(1, 1), item(2, huge), item(3, huge), item(4, 2)]
        // The largest that fits stays when there is no limit to speak of, for as long as no newer one needs its room.
        let victims = index.complete(with: found).map(\.name)
        #expect(victims == (limit == 100 ? [name(2), name(3)] : [name(1), name(2)]))
        #expect(index.presence(of: name(4)) != .absent)
        #expect(index.brokenInvariant == nil)
    }

    @Test func lengthsAreCountedInBlocks_ofAnySize() {
        #expect([-1, 0, 1, 4096, 4097].map(DiskWork.allocated) == [0, 0, 4096, 4096, 8192])
        #expect(DiskWork.allocated(.max) > .max - 8192)
    }

    @Test func aLeftover_isCounted_isNotFound_andIsEvictedLikeAny() {
        var index = openIndex(limit: 3)
        _ = index.insert(name(1), bytes: 1)
        index.keepLeftover(item(2, 2))
        #expect(index.totalBytes == 3)
        #expect(index.presence(of: name(2)) == .absent)
        check(index.insert(name(3), bytes: 2)?.victims, [item(1, 1), item(2, 2)])
        // A newer entry of that name is not touched, and one that is larger than the limit drives out nothing.
        index.keepLeftover(item(3, 1))
        index.keepLeftover(item(4, 4))
        #expect(index.totalBytes == 2)
        #expect(index.presence(of: name(3)) != .absent)
        #expect(index.brokenInvariant == nil)
    }

    @Test func useWithoutEnd_keepsTheLineShort_andItsOrder() {
        var index = openIndex(limit: 3)
        for number in 1...3 { check(index.insert(name(number), bytes: 1)?.victims, []) }
        for use in 0..<10_000 {
            index.recordUse(of: name(1 + use % 3))
            must(index.brokenInvariant == nil, index.brokenInvariant ?? "")
        }
        for _ in 0..<10_000 {
            check(index.insert(name(2), bytes: 1)?.victims, [])
            must(index.brokenInvariant == nil, index.brokenInvariant ?? "")
        }
        // The last uses of the loop were 2, 3, 1.
        check(index.insert(name(4), bytes: 2)?.victims.map(\.name), [name(3), name(1)])
    }

    @Test func randomHistories_agreeWithAListInOrderOfUse() {
        var random = SeededRandom(seed: 11)
        var index = openIndex(limit: 100)
        // The least recently used first.
        var model: [DiskIndex.Item] = []
        for step in 0..<50_000 {
            let number = Int.random(in: 0..<40, using: &random)
            let place = model.firstIndex { $0.name == name(number) }
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                must(index.remove(name(number)) == (place != nil), "step \(step)")
                if let place { model.remove(at: place) }
            case 1...5:
                index.recordUse(of: name(number))
                if let place { model.append(model.remove(at: place)) }
            default:
                let new = item(number, Int.random(in: 0...30, using: &random))
                if let place { model.remove(at: place) }
                for victim in index.insert(new.name, bytes: new.bytes)?.victims ?? [] {
                    must(model.first == victim, "step \(step): not the least recently used")
                    model.removeFirst()
                }
                model.append(new)
            }
            must(index.totalBytes == model.reduce(0) { $0 + $1.bytes }, "step \(step)")
            must(index.count == model.count, "step \(step)")
            must(index.brokenInvariant == nil, index.brokenInvariant ?? "")
        }
    }
}
