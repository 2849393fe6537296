import Testing

@testable import Alcedo
@testable import TestFixtures

/// Decisions that are carried out in several orders, between those of other stores. Sizes are in blocks of 512 bytes.
@Suite struct DiskIndexSharingTests {
    private func name(_ number: Int) -> EntryName { StoredKey("http://h/\(number)").name }

    private func item(_ number: Int, _ blocks: Int) -> DiskIndex.Item { .init(name: name(number), bytes: blocks * 512) }

    private func record(_ number: Int, _ blocks: UInt32 = 1) -> IndexRecord {
        .entry(name(number), IndexedEntry(units: blocks, lastUse: 0))
    }

    /// An index of an empty directory.
    private func openIndex(blocks: Int) -> DiskIndex {
        var index = DiskIndex(limits: .init(bytes: blocks * 512))
        check(index.complete(with: nil, by: 0, at: 0), [])
        return index
    }

    /// Inserts an entry of so many blocks; its victims.
    @discardableResult
    private func insert(_ number: Int, _ blocks: Int = 1, in index: inout DiskIndex) -> [EntryName]? {
        index.insert(name(number), bytes: blocks * 512, at: 0)?.victims.map(\.name)
    }

    private func has(_ number: Int, _ index: DiskIndex) -> Bool { index.presence(of: name(number), at: 0) != .absent }

    /// Limits are lowered in slices, and what is added meanwhile makes room for itself.
    @Test func loweredLimits_areMetInSlices_andTotalOnlyFalls() {
        var index = openIndex(blocks: 20)
        for number in 1...10 { insert(number, 2, in: &index) }
        check(index.change(.init(bytes: 8 * 512), most: 0), [])
        check(index.keepLimits(most: 2), [item(1, 2), item(2, 2)])
        #expect(index.totalBytes == 16 * 512)
        check(insert(11, 3, in: &index), [name(3), name(4)])
        #expect(index.totalBytes == 15 * 512)
        // A smaller one in the place of another needs no room.
        check(insert(10, 1, in: &index), [])
        check(insert(12, 9, in: &index), nil)
        check(index.keepLimits(most: 9), (5...7).map { item($0, 2) })
        #expect(index.totalBytes == 8 * 512)
        check(index.keepLimits(most: 9), [])
        check(insert(13, 1, in: &index), [name(8)])
        #expect(index.totalBytes == 7 * 512)
        // Likewise the number of entries.
        check(index.change(.init(bytes: 99 * 512, count: 2), most: 1), [item(9, 2)])
        check(insert(14, 1, in: &index), [name(11)])
        check(insert(14, 2, in: &index), [])
        #expect(index.count == 3)
    }

    /// What was found to be gone, or was never written, is no decision: another store may have written it meanwhile.
    @Test func forgottenEntry_isWhatOthersSay() throws {
        var index = openIndex(blocks: 10)
        let made = index.insert(name(1), bytes: 512, at: 0)
        let plan = try #require(made)
        index.settle(order: index.makeOrder())
        check(index.forget(name(1), version: plan.version &+ 2), false)
        #expect(has(1, index))
        check(index.forget(name(1), version: plan.version), true)
        #expect(!has(1, index) && index.totalBytes == 0)
        index.apply(record(1, 3), at: 0)
        #expect(has(1, index) && index.totalBytes == 3 * 512)
    }

    @Test func postponedRemoval_outlastsTheOrderBefore() {
        var index = openIndex(blocks: 10)
        let items = [item(1, 1), item(2, 1)]
        for item in items { index.remove(item.name) }
        index.postpone(items.prefix(1))
        let first = index.makeOrder()
        index.postpone(items.suffix(1))
        let second = index.makeOrder()
        index.settle(order: first)
        for number in 1...2 { index.apply(record(number), at: 0) }
        #expect(has(1, index) && !has(2, index))
        index.settle(order: second)
        index.apply(record(2), at: 0)
        #expect(has(2, index) && index.outstanding.isEmpty)
    }

    /// What this store has written is more recent than what it read of others before.
    @Test func ownWrites_areMoreRecent_thanWhatWasReadBefore() {
        var index = openIndex(blocks: 10)
        for number in 1...2 { insert(number, in: &index) }
        let order = index.makeOrder()
        insert(3, in: &index)
        let settled = index.settle(order: order)
        #expect(Set(settled) == [name(1), name(2)])
        for number in 4...5 { index.apply(record(number), at: 0) }
        index.putOwnLast(settled: settled)
        #expect(index.names(at: 0) == [4, 5, 1, 2, 3].map(name))
    }
}
