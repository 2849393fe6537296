import Testing

@testable import Alcedo
@testable import TestFixtures

/// Each decision by itself. Sizes are in blocks of 512 bytes; the random histories know the others.
@Suite struct DiskIndexTests {

    private func name(_ number: Int) -> EntryName { StoredKey("http://h/\(number)").name }

    private func item(_ number: Int, _ blocks: Int) -> DiskIndex.Item { .init(name: name(number), bytes: blocks * 512) }

    private func found(_ number: Int, _ blocks: Int, modified: UInt32 = 0) -> DiskIndex.Found {
        .init(name: name(number), bytes: blocks * 512, modified: modified)
    }

    private func record(_ number: Int, _ blocks: UInt32 = 1, lastUse: UInt32 = 0) -> IndexRecord {
        .entry(name(number), IndexedEntry(units: blocks, lastUse: lastUse))
    }

    /// An index of an empty directory.
    private func openIndex(blocks: Int, count: Int = .max, timeToLive: Int? = nil) -> DiskIndex {
        var index = DiskIndex(limits: .init(bytes: blocks * 512, count: count, timeToLive: timeToLive))
        check(index.complete(with: nil, by: 0, at: 0), [])
        return index
    }

    /// Inserts an entry of so many blocks; its victims.
    @discardableResult
    private func insert(_ number: Int, _ blocks: Int = 1, at now: UInt32 = 0, in index: inout DiskIndex) -> [EntryName]?
    {
        index.insert(name(number), bytes: blocks * 512, at: now)?.victims.map(\.name)
    }

    private func has(_ number: Int, at now: UInt32 = 0, _ index: DiskIndex) -> Bool {
        index.presence(of: name(number), at: now) != .absent
    }

    // MARK: Room

    @Test func leastRecentlyUsed_goesFirst() {
        var index = openIndex(blocks: 3)
        for number in 1...3 { check(insert(number, in: &index), []) }
        index.recordUse(of: name(1), at: 0)
        check(insert(4, in: &index), [name(2)])
        check(insert(5, 2, in: &index), [name(3), name(1)])
        #expect(index.totalBytes == 3 * 512)
        #expect(index.names(at: 0) == [name(4), name(5)])
        #expect(index.brokenInvariant == nil)
    }

    @Test(arguments: [0, 1, 512])
    func count_isLimitedToo(bytes: Int) {
        var index = openIndex(blocks: 100, count: 2)
        for number in 1...2 { check(index.insert(name(number), bytes: bytes, at: 0)?.victims.count, 0) }
        check(index.insert(name(3), bytes: bytes, at: 0)?.victims.map(\.name), [name(1)])
        // One that takes the place of another needs no more.
        check(index.insert(name(2), bytes: bytes, at: 0)?.victims.count, 0)
        #expect(index.count == 2)
        check(index.change(.init(bytes: 100, count: 0)).count, 2)
        check(index.insert(name(3), bytes: bytes, at: 0)?.version, nil)
        #expect(index.brokenInvariant == nil)
    }

    @Test func bytes_areCountedInWholeBlocks() {
        var index = DiskIndex(limits: .init(bytes: 1000))
        check(index.complete(with: [], by: 0, at: 0), [])
        // It would take 1024.
        check(index.insert(name(1), bytes: 600, at: 0)?.version, nil)
        check(index.insert(name(1), bytes: 1, at: 0)?.victims, [])
        #expect(index.totalBytes == 512)
        // Another would take it to 1024.
        check(index.insert(name(2), bytes: 1, at: 0)?.victims, [item(1, 1)])
        index.removeAll()
        index.keepLeftover(.init(name: name(3), bytes: 513), at: 0)
        #expect(index.count == 0)
    }

    @Test func entryLargerThanLimit_isNotTaken_andItsOldOneGoes() {
        var index = openIndex(blocks: 3)
        insert(1, in: &index)
        insert(2, in: &index)
        check(insert(1, 4, in: &index), nil)
        #expect(!has(1, index) && has(2, index))
        #expect(index.totalBytes == 512)
    }

    @Test(arguments: [Int.max, .max - 510, 1 << 41, -1, .min])
    func invalidSizes_areRejected(bytes: Int) {
        var index = DiskIndex(limits: .init(bytes: .max))
        check(index.complete(with: [.init(name: name(1), bytes: 512, modified: 0)], by: 0, at: 0), [])
        check(index.insert(name(2), bytes: bytes, at: 0)?.version, nil)
        index.keepLeftover(.init(name: name(3), bytes: bytes), at: 0)
        let version = index.insert(name(4), bytes: 512, at: 0)?.version ?? 0
        index.settle(name(4), version, bytes: bytes)
        #expect(index.totalBytes == 1024)
        check(index.trim(toBytes: bytes).count, bytes < 0 ? 2 : 0)
        #expect(index.brokenInvariant == nil)
    }

    @Test func largestSizes_areCounted() {
        let largest = Int(UInt32.max) * 512
        var index = DiskIndex(limits: .init(bytes: .max))
        // A listing says whatever the file system does.
        let files = [largest, .max, .max - 511].enumerated().map {
            DiskIndex.Found(name: name($0), bytes: $1, modified: .max)
        }
        check(index.complete(with: files + [.init(name: name(9), bytes: .min, modified: 0)], by: 0, at: .max), [])
        #expect(index.totalBytes == 3 * largest)
        check(index.insert(name(5), bytes: largest, expires: .max, at: .max)?.victims, [])
        check(index.change(.init(bytes: largest)).count, 4)
        #expect(index.brokenInvariant == nil)
    }

    @Test func smallerLimits_evictExcess() {
        var index = openIndex(blocks: 9)
        for number in 1...4 { insert(number, 2, in: &index) }
        check(index.change(.init(bytes: 5 * 512)), [item(1, 2), item(2, 2)])
        check(index.change(.init(bytes: -1)), [item(3, 2), item(4, 2)])
        #expect(index.limits == .init(bytes: 0, count: .max))
        // Of a directory that has not been read nothing goes yet.
        var unread = DiskIndex(limits: .init(bytes: 512))
        unread.apply(record(1), at: 0)
        check(unread.change(.init(bytes: 0)), [])
        check(unread.complete(with: nil, by: 0, at: 0), [item(1, 1)])
    }

    @Test func trimming_goesInParts() {
        var index = openIndex(blocks: 9)
        for number in 1...9 { insert(number, in: &index) }
        check(index.trim(toBytes: 512 * 2, most: 4).map(\.name), (1...4).map(name))
        check(index.trim(toBytes: 512 * 2, most: 4).map(\.name), (5...7).map(name))
        check(index.trim(toBytes: 512 * 2, most: 4), [])
        check(index.trim(toBytes: 0, most: 0), [])
        check(index.trim(toBytes: .min).map(\.name), [name(8), name(9)])
    }

    // MARK: Writes

    @Test func overwriting_countsTheLargerOnce() {
        var index = openIndex(blocks: 10)
        let first = index.insert(name(1), bytes: 6 * 512, at: 0)
        let second = index.insert(name(1), bytes: 5 * 512, at: 0)
        #expect(first?.mayRemain == item(1, 6) && second?.mayRemain == item(1, 6))
        #expect(index.totalBytes == 5 * 512 && index.count == 1)
        #expect(first?.version != second?.version)
        // The failure of the first write says nothing of the second, nor does its size.
        check(index.forget(name(1), version: first?.version ?? 0), false)
        index.settle(name(1), first?.version ?? 0, bytes: 512)
        #expect(index.totalBytes == 5 * 512 && has(1, index))
    }

    @Test func failedWrite_leavesNothing_andSmallerWriteReleasesRest() {
        var index = openIndex(blocks: 10)
        let plan = index.insert(name(1), bytes: 6 * 512, expires: 9, tags: [1], at: 5)
        check(plan?.entry, IndexedEntry(units: 6, lastUse: 5, expires: 9, tags: [1]))
        check(index.entry(name(1)), plan?.entry)
        index.settle(name(1), plan?.version ?? 0, bytes: 2 * 512)
        check(index.item(of: name(1)), item(1, 2))
        check(index.forget(name(1), version: plan?.version ?? 0), true)
        #expect(index.totalBytes == 0 && !has(1, index))
        check(index.item(of: name(1)), item(1, 0))
    }

    @Test func leftover_isCountedAndEvicted_butNotFound() {
        var index = openIndex(blocks: 3)
        insert(1, in: &index)
        index.keepLeftover(item(2, 2), at: 0)
        #expect(index.totalBytes == 3 * 512)
        #expect(!has(2, index) && index.names(at: 0) == [name(1)])
        check(index.names(ofSource: name(2).source), [])
        check(index.insert(name(3), bytes: 2 * 512, at: 0)?.victims, [item(1, 1), item(2, 2)])
        // A newer entry of that name is not touched, and one that is larger than the limit drives out nothing.
        index.keepLeftover(item(3, 1), at: 0)
        index.keepLeftover(item(4, 4), at: 0)
        #expect(index.totalBytes == 2 * 512 && has(3, index))
        // It may be more than the limit: it is there.
        index.keepLeftover(item(4, 3), at: 0)
        #expect(index.totalBytes == 5 * 512 && index.brokenInvariant == nil)
        // It is one for whoever reads the index file too, until another entry is put there.
        var other = openIndex(blocks: 5)
        for record in index.records { other.apply(record, at: 0) }
        #expect(other.totalBytes == 5 * 512 && has(3, other) && !has(4, other))
        other.apply(record(4), at: 0)
        #expect(has(4, other))
        var closed = DiskIndex(limits: .init(bytes: 512))
        closed.keepLeftover(item(1, 1), at: 0)
        #expect(closed.count == 0)
    }

    // MARK: Decisions that are under way

    @Test func beforeDirectoryIsRead_onlyRemovedNamesAreKnown() {
        var index = DiskIndex(limits: .init(bytes: 512 * 10))
        #expect(index.presence(of: name(1), at: 0) == .unknown)
        check(index.remove(name(1)), false)
        #expect(!has(1, index))
        check(index.complete(with: [found(1, 1), found(2, 1)], by: 0, at: 0), [])
        #expect(!has(1, index) && has(2, index) && !has(3, index))
    }

    @Test func externalChanges_apply_afterOwnOrders() {
        var index = openIndex(blocks: 10)
        insert(1, 2, in: &index)
        index.remove(name(2))
        let order = index.makeOrder()
        index.remove(name(3))
        for number in 1...3 { index.apply(record(number, 5), at: 0) }
        index.apply(.removed(name(1)), at: 0)
        #expect(index.totalBytes == 2 * 512 && has(1, index) && !has(2, index))
        index.settle(order: order)
        for number in 2...3 { index.apply(record(number, 5), at: 0) }
        #expect(has(2, index) && !has(3, index))
        index.apply(.removed(name(1)), at: 0)
        #expect(!has(1, index))
        index.settle(order: index.makeOrder())
        index.apply(record(3), at: 0)
        #expect(has(3, index))
    }

    @Test func laterDecision_outlastsEarlierOnesOrder() {
        var index = openIndex(blocks: 10)
        insert(1, in: &index)
        let first = index.makeOrder()
        index.remove(name(1))
        let second = index.makeOrder()
        index.settle(order: first)
        index.apply(record(1), at: 0)
        #expect(!has(1, index))
        index.settle(order: second)
        index.apply(record(1), at: 0)
        #expect(has(1, index))
    }

    @Test func victims_areDecidedAsWell() {
        var index = openIndex(blocks: 2)
        insert(1, in: &index)
        insert(2, in: &index)
        index.settle(order: index.makeOrder())
        insert(3, in: &index)
        check(index.trim(toBytes: 512), [item(2, 1)])
        for number in 1...2 { index.apply(record(number), at: 0) }
        #expect(!has(1, index) && !has(2, index))
        check(index.complete(with: [found(1, 1), found(2, 1), found(4, 1)], by: 1, at: 0), [])
        #expect(index.names(at: 0) == [name(4), name(3)] || index.names(at: 0) == [name(3), name(4)])
    }

    @Test func manyOrders_leaveNothingPending() {
        var index = openIndex(blocks: 10)
        for number in 0..<5_000 { insert(number, in: &index) }
        #expect(index.outstanding.count == 5_000)
        index.settle(order: index.makeOrder())
        #expect(index.outstanding.isEmpty && index.outstanding.capacity < 100)
    }

    // MARK: The directory

    @Test func directoryAboveLimit_losesItsOldest() {
        var index = DiskIndex(limits: .init(bytes: 2 * 512))
        let files = [3, 1, 5, 2, 4].map { found($0, 1, modified: UInt32($0)) }
        check(index.complete(with: files, by: 0, at: 9), [item(1, 1), item(2, 1), item(3, 1)])
        #expect(index.unreadCount == 2 && index.names(at: 9) == [name(4), name(5)])
        #expect(index.isComplete && index.brokenInvariant == nil)
    }

    @Test func listing_correctsRecords() throws {
        var index = DiskIndex(limits: .init(bytes: .max))
        index.apply(.entry(name(1), IndexedEntry(units: 1, lastUse: 5, expires: 7, tags: [3])), at: 9)
        index.apply(record(2, 1, lastUse: 4), at: 9)
        index.apply(record(3, 1, lastUse: 6), at: 9)
        // One is larger, one is gone, one is new, and older than both; it is listed twice.
        let files = [found(1, 4), found(3, 1), found(8, 2, modified: 5), found(8, 2, modified: 5)]
        check(index.complete(with: files, by: 0, at: 9), [])
        check(index.entry(name(1)), IndexedEntry(units: 4, lastUse: 5, expires: 7, tags: [3]))
        check(index.entry(name(8)), IndexedEntry(units: 2, lastUse: 5, isUnread: true))
        #expect(index.names(at: 0) == [name(8), name(1), name(3)])
        #expect(index.totalBytes == 7 * 512 && index.brokenInvariant == nil)
        // What its file says makes it known.
        let unread = try #require(index.unread.first)
        index.learn(unread.name, unread.version &+ 1, expires: 1, tags: [])
        #expect(index.unreadCount == 1)
        index.learn(unread.name, unread.version, expires: 8, tags: [3])
        #expect(index.unreadCount == 0 && index.unread.isEmpty)
        check(
            index.expire(at: 8).map(\.name).sorted { $0.key < $1.key }, [name(1), name(8)].sorted { $0.key < $1.key })
    }

    @Test func listing_ignoresPendingOrders() {
        var index = openIndex(blocks: 10)
        insert(1, 3, at: 5, in: &index)
        insert(2, 1, at: 6, in: &index)
        index.remove(name(2))
        check(index.complete(with: [found(2, 1)], by: 1, at: 9), [])
        #expect(has(1, index) && !has(2, index) && index.totalBytes == 3 * 512)
    }

    @Test func readState_replacesKnownState() {
        var index = DiskIndex(limits: .init(bytes: 3 * 512))
        index.apply(record(8), at: 0)
        index.remove(name(1))
        var read = DiskIndex(limits: .init(bytes: .max), lastVersion: DiskIndex.firstVersionApart)
        for number in 1...5 { read.apply(record(number, lastUse: UInt32(number)), at: 9) }
        check(index.adopt(&read, by: 0).map(\.name), [name(2)])
        #expect(index.isComplete && index.records == (3...5).map { record($0, lastUse: UInt32($0)) })
        #expect(index.brokenInvariant == nil)
    }

    @Test func adoptedEntry_hasItsOwnVersion() {
        var index = openIndex(blocks: 9)
        insert(1, in: &index)
        let old = index.presence(of: name(1), at: 0)
        index.settle(order: index.makeOrder())
        var read = DiskIndex(limits: .init(bytes: .max), lastVersion: DiskIndex.firstVersionApart)
        read.apply(record(1), at: 0)
        check(index.adopt(&read, by: 1), [])
        #expect(has(1, index) && index.presence(of: name(1), at: 0) != old)
        // Another version again, after the next one was read.
        let adopted = index.presence(of: name(1), at: 0)
        var next = DiskIndex(limits: .init(bytes: .max), lastVersion: 3)
        next.apply(record(1), at: 0)
        check(index.adopt(&next, by: 1), [])
        #expect(has(1, index) && ![old, adopted].contains(index.presence(of: name(1), at: 0)))
        // What it had before is handed back, to be released elsewhere.
        #expect(read.count == 1 && next.presence(of: name(1), at: 0) == adopted)
    }

    @Test func removeAll_forgetsEarlierState() {
        var index = DiskIndex(limits: .init(bytes: 10 * 512))
        index.apply(.entry(name(1), IndexedEntry(units: 1, lastUse: 0, expires: 5, tags: [1], isUnread: true)), at: 0)
        let before = index.makeOrder()
        index.removeAll()
        #expect(index.isComplete && index.count == 0 && index.unreadCount == 0 && index.totalBytes == 0)
        let emptying = index.makeOrder()
        #expect(index.isOutdated(before) && !index.isOutdated(emptying))
        check(index.complete(with: [found(2, 1)], by: before, at: 0), [])
        var read = DiskIndex(limits: .init(bytes: .max), lastVersion: DiskIndex.firstVersionApart)
        read.apply(record(2), at: 0)
        check(index.adopt(&read, by: before), [])
        #expect(!has(1, index) && !has(2, index))
        check(index.complete(with: [found(2, 1)], by: emptying, at: 0), [])
        #expect(has(2, index) && index.brokenInvariant == nil)
    }

    // MARK: Uses

    @Test func uses_areTakenOnce_forExistingEntries() {
        var index = openIndex(blocks: 10)
        for number in 1...3 { insert(number, in: &index) }
        for number in [1, 2, 1, 3, 9] { index.recordUse(of: name(number), at: UInt32(number)) }
        index.remove(name(3))
        // Put in its place anew, and used again.
        insert(2, at: 5, in: &index)
        index.recordUse(of: name(2), at: 6)
        check(index.takeUses(), [.used(name(1), at: 1), .used(name(2), at: 6)])
        check(index.takeUses(), [])
        index.recordUse(of: name(1), at: 7)
        check(index.takeUses(), [.used(name(1), at: 7)])
    }

    @Test func othersUses_countAsUses() {
        var index = openIndex(blocks: 2)
        insert(1, at: 5, in: &index)
        insert(2, at: 5, in: &index)
        index.apply(.used(name(1), at: 7), at: 9)
        index.apply(.used(name(8), at: 7), at: 9)
        check(index.entry(name(1))?.lastUse, 7)
        check(index.takeUses(), [])
        // An older one takes nothing back, and none is in the future.
        index.apply(.used(name(1), at: 3), at: 9)
        check(index.entry(name(1))?.lastUse, 7)
        index.apply(.used(name(1), at: .max), at: 9)
        check(index.entry(name(1))?.lastUse, 9)
        check(insert(3, at: 9, in: &index), [name(2)])
    }
}
