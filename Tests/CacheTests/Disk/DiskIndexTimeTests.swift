import Testing

@testable import Alcedo
@testable import TestFixtures

/// What a disk index decides by time and by tag.
@Suite struct DiskIndexTimeTests {
    private let year: UInt32 = 31_536_000
    private let start: UInt32 = 1_000_000_000

    private func name(_ number: Int) -> EntryName { StoredKey("http://h/\(number)").name }

    private func openIndex(timeToLive: Int? = nil) -> DiskIndex {
        var index = DiskIndex(limits: .init(bytes: 1 << 20, timeToLive: timeToLive))
        check(index.complete(with: [], by: 0, at: 0), [])
        return index
    }

    private func insert(_ number: Int, expires: UInt32 = 0, at now: UInt32, in index: inout DiskIndex) {
        check(index.insert(name(number), bytes: 512, expires: expires, at: now)?.victims, [])
    }

    private func has(_ number: Int, at now: UInt32, _ index: DiskIndex) -> Bool {
        index.presence(of: name(number), at: now) != .absent
    }

    @Test func entry_expires_afterItsLastUse() {
        var index = openIndex(timeToLive: 10)
        insert(1, at: start, in: &index)
        insert(2, at: start, in: &index)
        index.recordUse(of: name(1), at: start + 5)
        #expect(has(2, at: start + 10, index) && !has(2, at: start + 11, index))
        #expect(index.names(at: start + 11) == [name(1)])
        check(index.expire(at: start + 10), [])
        check(index.expire(at: start + 11).map(\.name), [name(2)])
        check(index.expire(at: start + 16).map(\.name), [name(1)])
        #expect(index.count == 0)
    }

    @Test func entry_expires_atItsOwnTime() {
        var index = openIndex(timeToLive: 100)
        insert(1, expires: start + 10, at: start, in: &index)
        insert(2, expires: start + 20, at: start, in: &index)
        insert(3, at: start, in: &index)
        index.recordUse(of: name(1), at: start + 9)
        #expect(has(1, at: start + 9, index) && !has(1, at: start + 10, index))
        check(index.expire(at: start + 9), [])
        check(index.expire(at: start + 10).map(\.name), [name(1)])
        check(index.expire(at: start + 20).map(\.name), [name(2)])
        check(index.expire(at: start + 100), [])
        check(index.expire(at: start + 101).map(\.name), [name(3)])
    }

    @Test func expiredEntries_areRemovedInParts() {
        var index = openIndex(timeToLive: 10)
        for number in 1...3 { insert(number, at: start, in: &index) }
        for number in 4...9 { insert(number, expires: start + 11, at: start + 5, in: &index) }
        check(index.expire(at: start + 11, most: 2).map(\.name), [name(1), name(2)])
        check(index.expire(at: start + 11, most: 0).count, 0)
        let parts = [2, 4, 9].map { index.expire(at: start + 11, most: $0).count }
        #expect(parts == [2, 4, 1])
        #expect(index.count == 0)
    }

    @Test func expiredEntry_isDecided() {
        var index = openIndex()
        insert(1, expires: start, at: 0, in: &index)
        index.settle(order: index.makeOrder())
        check(index.expire(at: start).count, 1)
        index.apply(.entry(name(1), IndexedEntry(units: 1, lastUse: 0)), at: start)
        #expect(!has(1, at: start, index))
    }

    // MARK: The clock

    @Test func clockJump_makesNothingImmortal() {
        var index = openIndex(timeToLive: 100)
        check(index.expire(at: start), [])
        insert(1, at: start, in: &index)
        // Nobody looked for what is expired while it was wrong.
        insert(2, at: start + year, in: &index)
        index.recordUse(of: name(1), at: start + year)
        insert(3, at: start + 1, in: &index)
        #expect((1...3).allSatisfy { has($0, at: start + 1, index) })
        check(index.entry(name(1))?.lastUse, start + 1)
        check(index.expire(at: start + 101), [])
        check(index.expire(at: start + 102).count, 3)
    }

    @Test(arguments: [0, 1, 2, 3, 4])
    func clockSetBack_isDetected(event: Int) {
        var index = openIndex(timeToLive: 100)
        insert(1, at: start + year, in: &index)
        switch event {
        case 0: insert(2, at: start, in: &index)
        case 1: index.recordUse(of: name(9), at: start)
        case 2: index.keepLeftover(.init(name: name(9), bytes: 0), at: start)
        case 3: index.apply(.removed(name(9)), at: start)
        default: check(index.expire(at: start), [])
        }
        check(index.entry(name(1))?.lastUse, start)
        #expect(index.brokenInvariant == nil)
        #expect(index.expire(at: start + 101).contains { $0.name == name(1) })
    }

    @Test func clockSetBack_expiresNothingEarly() {
        var index = openIndex(timeToLive: 100)
        insert(1, at: start, in: &index)
        #expect(has(1, at: start - year, index))
        check(index.expire(at: start - year), [])
        #expect(has(1, at: start - year + 100, index) && !has(1, at: start - year + 101, index))
    }

    @Test func futureUses_countAsNow() {
        var index = openIndex(timeToLive: 100)
        index.apply(.entry(name(1), IndexedEntry(units: 1, lastUse: .max)), at: start)
        insert(2, at: start, in: &index)
        index.settle(order: index.makeOrder())
        let files = [
            DiskIndex.Found(name: name(2), bytes: 1, modified: 0), .init(name: name(3), bytes: 1, modified: .max),
        ]
        check(index.entry(name(1))?.lastUse, start)
        check(index.complete(with: files, by: 1, at: start), [])
        check(index.entry(name(3))?.lastUse, start)
        var read = DiskIndex(limits: index.limits, lastVersion: DiskIndex.firstVersionApart)
        read.apply(.entry(name(4), IndexedEntry(units: 1, lastUse: .max)), at: start + year)
        check(index.adopt(&read, by: 1), [])
        #expect(index.brokenInvariant == nil)
        check(index.expire(at: start), [])
        check(index.expire(at: start + 101).map(\.name), [name(4)])
    }

    @Test func extremeTimes_areHandled() {
        var index = openIndex(timeToLive: .max)
        insert(1, expires: .max, at: .max, in: &index)
        #expect(!has(1, at: .max, index) && has(1, at: .max - 1, index))
        insert(2, expires: 1, at: 0, in: &index)
        #expect(has(2, at: 0, index) && !has(2, at: 1, index))
        check(index.expire(at: 0), [])
        check(index.expire(at: 1).map(\.name), [name(2)])
        check(index.expire(at: .max - 1), [])
        check(index.expire(at: .max).map(\.name), [name(1)])
        check(index.change(.init(bytes: 1 << 20, timeToLive: 0)), [])
        insert(3, at: .max - 1, in: &index)
        #expect(has(3, at: .max - 1, index) && !has(3, at: .max, index))
    }

    // MARK: Selections

    @Test func source_hasItsVariants() {
        var index = openIndex()
        let keys = [StoredKey("http://h/1"), StoredKey("http://h/1", variant: "a"), StoredKey("http://h/2")]
        for key in keys { check(index.insert(key.name, bytes: 1, at: 0)?.victims, []) }
        #expect(Set(index.names(ofSource: keys[0].name.source)) == [keys[0].name, keys[1].name])
        #expect(index.names(ofSource: 1).isEmpty)
    }

    @Test func tag_listsItsEntries() {
        var index = openIndex()
        let tags = [["a"], ["a", "b"], [], ["b"]].map { TagSets.hashes(of: $0) }
        for (number, tags) in tags.enumerated() {
            check(index.insert(name(number), bytes: 1, tags: tags, at: 0)?.victims, [])
        }
        #expect(Set(index.names(withTag: "a")) == [name(0), name(1)])
        #expect(Set(index.names(withTag: "b")) == [name(1), name(3)])
        #expect(index.names(withTag: "c").isEmpty)
        insert(1, at: 0, in: &index)
        index.remove(name(3))
        #expect(index.names(withTag: "a") == [name(0)] && index.names(withTag: "b").isEmpty)
        index.removeAll()
        #expect(index.names(withTag: "a").isEmpty && index.brokenInvariant == nil)
    }

    @Test func records_listAllEntries_inOrder() {
        var index = openIndex()
        for number in 1...3 {
            check(index.insert(name(number), bytes: 512, expires: 50, tags: [7], at: UInt32(number))?.victims, [])
        }
        index.recordUse(of: name(2), at: 9)
        var other = DiskIndex(limits: index.limits)
        for record in index.records { other.apply(record, at: 9) }
        #expect(other.records == index.records && other.names(at: 9) == [name(1), name(3), name(2)])
        #expect(other.expire(at: 50).count == 3)
    }
}
