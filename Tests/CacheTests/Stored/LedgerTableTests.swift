import Testing

@testable import Alcedo

/// The order of a store's changes, and what of it may be read.
@Suite struct LedgerTableTests {
    private let table = Table()

    @Test func writeBegunBeforeRemoval_isRefused() throws {
        let early = table.ticket()
        let removal = try #require(table.begin(.removal, 1))
        #expect(table.begin(.write, 1, begun: early) == nil)
        #expect(table.begin(.write, 2, begun: early) != nil)
        #expect(table.begin(.write, 1, begun: removal.ticket) != nil)
        // A removal on behalf of a load that began earlier.
        #expect(table.begin(.removal, 1, begun: early) == nil)
        #expect(table.begin(.replacement, 1, begun: early) == nil)
    }

    @Test func changesOfOneSource_waitForEarlierOnes() throws {
        let first = try #require(table.begin(.write, 1))
        let removal = try #require(table.begin(.removal, 1))
        let other = try #require(table.begin(.write, 2))
        let last = try #require(table.begin(.write, 1, begun: removal.ticket))
        #expect([first, removal, other, last].map(\.waits) == [false, true, false, true])
        #expect(table.end(other.number) == [])
        #expect(table.end(first.number) == [removal.number])
        #expect(table.end(removal.number) == [last.number])
        #expect(table.end(last.number) == [] && table.count == 0)
        // Ended twice.
        #expect(table.end(last.number) == [])
    }

    @Test func changesOfAllSources_waitForAll_andAllForThem() throws {
        let writes = try (1...3).map { try #require(table.begin(.write, UInt64($0))) }
        let all = try #require(table.begin(.clearing, nil))
        let after = try (1...3).map { try #require(table.begin(.write, UInt64($0))) }
        #expect(all.waits && after.allSatisfy(\.waits))
        #expect(table.end(writes[1].number) == [] && table.end(writes[0].number) == [])
        #expect(table.end(writes[2].number) == [all.number])
        #expect(table.end(all.number) == after.map(\.number))
    }

    @Test func entriesBeingRemoved_areNotRead() throws {
        let early = table.ticket()
        #expect(table.permitsReading(early, 1))
        let removal = try #require(table.begin(.removal, 1))
        #expect(!table.permitsReading(early, 1) && !table.permitsReading(table.ticket(), 1))
        #expect(table.permitsReading(early, 2))
        _ = table.end(removal.number)
        #expect(!table.permitsReading(early, 1) && table.permitsReading(table.ticket(), 1))
        let all = try #require(table.begin(.clearing, nil))
        #expect(!table.permitsReading(table.ticket(), 2))
        _ = table.end(all.number)
        #expect(table.permitsReading(table.ticket(), 2))
    }

    @Test func sourceWithAnEntryThatCouldNotBeRemoved_isNotRead_untilItIsCleared() throws {
        func change(_ kind: LedgerTable.Kind, _ source: UInt64?, isDone: Bool) throws {
            let change = try #require(table.begin(kind, source))
            _ = table.end(change.number, isDone: isDone)
        }
        func readable(_ source: UInt64) -> Bool { table.permitsReading(table.ticket(), source) }
        try change(.removal, 1, isDone: false)
        #expect(!readable(1) && readable(2))
        #expect(table.unremoved(1) == .source && table.unremoved(2) == .nothing && table.unremoved(nil) == .nothing)
        // This may have been another entry of the source.
        try change(.removal, 1, isDone: true)
        #expect(!readable(1))
        try change(.clearing, 1, isDone: true)
        #expect(readable(1) && table.unremoved(1) == .nothing)
        try change(.clearing, nil, isDone: false)
        try change(.clearing, 1, isDone: true)
        #expect(!readable(1) && table.unremoved(1) == .all && table.unremoved(nil) == .all)
        try change(.removal, 3, isDone: false)
        try change(.clearing, nil, isDone: true)
        #expect([1, 2, 3].allSatisfy(readable))
        try change(.clearing, 4, isDone: false)
        table.clear(4)
        #expect(readable(4))
        // A write that fails leaves nothing behind.
        try change(.write, 1, isDone: false)
        #expect(readable(1))
    }

    /// What is removed by a condition is only known at its end.
    @Test func workBegunDuringARemovalByCondition_isRefused() throws {
        let removal = try #require(table.begin(.replacement, nil))
        let during = table.ticket()
        #expect(table.permits(during, 1))
        _ = table.end(removal.number)
        #expect(!table.permits(during, 1) && table.permits(table.ticket(), 1))
    }

    @Test func replacement_refusesEarlierWork_andHidesNothing() throws {
        let early = table.ticket()
        let running = try #require(table.begin(.write, 1, begun: early))
        let replacement = try #require(table.begin(.replacement, 1))
        #expect(replacement.waits && table.begin(.write, 1, begun: early) == nil)
        #expect(table.permitsReading(table.ticket(), 1))
        #expect(table.end(running.number) == [replacement.number])
        let recorded = table.record(2)
        #expect(!table.permits(early, 2) && table.permits(recorded, 2))
        _ = table.record(nil)
        #expect(!table.permits(recorded, 3))
    }

    @Test func changesThatDontWait_areNotWaitedFor() throws {
        let write = try #require(table.begin(.write, 1))
        let upkeep = try #require(table.begin(.upkeep, nil))
        let all = try #require(table.begin(.write, nil))
        #expect(!upkeep.waits && all.waits && table.permits(upkeep.ticket, 1))
        #expect(table.end(write.number) == [all.number] && table.end(upkeep.number) == [])
    }

    @Test func lastChangeOfASource_isTheOneToWaitFor_alsoAcrossChangesOfAll() throws {
        let changes = try [1, 2, 1, nil, nil, 2, 1, nil].map { try #require(table.begin(.write, $0)) }
        #expect(changes.map(\.waits) == [false, false, true, true, true, true, true, true])
        let ready = changes.map { change in table.end(change.number).map { $0 - changes[0].number } }
        #expect(ready == [[2], [], [3], [4], [5, 6], [], [7], []])
        #expect(try #require(table.begin(.write, 1)).waits == false)
    }

    // MARK: Limits

    @Test func changesBeyondTheirNumber_areRefused() throws {
        let table = Table(LedgerTable(countLimit: 2))
        let changes = try [1, 2].map { try #require(table.begin(.write, $0, bytes: 1)) }
        for kind in [LedgerTable.Kind.write, .replacement, .upkeep] {
            #expect(table.begin(kind, 3) == nil && table.refusal == .full(count: 2, bytes: 2))
        }
        let early = table.ticket()
        #expect(table.permitsReading(early, 3) && table.count == 2)
        // An entry that can't be removed isn't found.
        #expect(table.begin(.removal, 3) == nil && table.begin(.clearing, 4) == nil)
        #expect(!table.permitsReading(table.ticket(), 3) && !table.permitsReading(table.ticket(), 4))
        #expect(!table.permits(early, 3) && table.unremoved(3) == .source && table.unremoved(4) == .source)
        #expect(table.permitsReading(table.ticket(), 5))
        #expect(table.begin(.clearing, nil) == nil && table.unremoved(5) == .all)
        #expect(table.begin(.write, 3, begun: early) == nil && table.refusal == .outdated)
        _ = table.end(changes[0].number)
        #expect(table.begin(.removal, 3) != nil)
    }

    @Test func defaultLimits_areLarge() throws {
        for source in 0..<16_384 as Range<UInt64> { _ = try #require(table.begin(.write, source, bytes: 4_096)) }
        #expect(table.begin(.removal, 0) == nil && table.refusal == .full(count: 16_384, bytes: 64 << 20))
        _ = table.end(1)
        #expect(table.begin(.write, 0, bytes: 4_097) == nil && table.begin(.write, 0, bytes: 4_096) != nil)
    }

    @Test func bytesBeyondTheLimit_areRefused_butNotRemovals() throws {
        let table = Table(LedgerTable(byteLimit: 10))
        // This change is too large by itself.
        let large = try #require(table.begin(.write, 1, bytes: 20))
        #expect(table.begin(.write, 2, bytes: 1) == nil && table.refusal == .full(count: 1, bytes: 20))
        #expect(table.begin(.removal, 2) != nil)
        _ = table.end(large.number)
        #expect(table.begin(.write, 2, bytes: 6) != nil && table.begin(.write, 3, bytes: 5) == nil)
        #expect(table.begin(.write, 3, bytes: 4) != nil && table.heldBytes == 10)
    }

    /// Looking and beginning is one step.
    @Test func changesThatBeginAtOnce_stayWithinTheLimit() async {
        let ledger = StoreLedger(LedgerTable(byteLimit: 100))
        let begun = await withTaskGroup(of: Bool.self) { group in
            for source in 0..<2_000 {
                group.addTask {
                    do throws(LedgerTable.Refusal) {
                        _ = try ledger.begin(.write, UInt64(source), bytes: 1)
                        return true
                    } catch {
                        return false
                    }
                }
            }
            return await group.reduce(0) { $1 ? $0 + 1 : $0 }
        }
        #expect(begun == 100 && ledger.count == 100)
    }

    @Test func bytesOfChanges_areHeld_untilTheyEnd() throws {
        let changes = try [3, 4].map { try #require(table.begin(.write, 1, bytes: $0)) }
        #expect(table.heldBytes == 7 && table.count == 2)
        _ = table.end(changes[0].number)
        #expect(table.heldBytes == 4)
        _ = table.end(changes[1].number)
        #expect(table.heldBytes == 0)
    }
}

/// A table whose changes can be written inside of expectations.
private final class Table {
    private var table: LedgerTable
    /// Why the last change didn't begin.
    private(set) var refusal: LedgerTable.Refusal?

    init(_ table: LedgerTable = LedgerTable()) { self.table = table }

    var count: Int { table.count }
    var heldBytes: Int { table.heldBytes }

    func ticket() -> LedgerTable.Ticket { table.ticket() }
    func permits(_ ticket: LedgerTable.Ticket, _ source: UInt64) -> Bool { table.permits(ticket, source) }
    func permitsReading(_ ticket: LedgerTable.Ticket, _ source: UInt64) -> Bool { table.permitsReading(ticket, source) }
    func record(_ source: UInt64?) -> LedgerTable.Ticket { table.record(source) }
    func unremoved(_ source: UInt64?) -> LedgerTable.Unremoved { table.unremoved(source) }
    func clear(_ source: UInt64?) { table.clear(source) }
    func end(_ number: UInt64, isDone: Bool = true) -> [UInt64] { table.end(number, isDone: isDone) }

    func begin(
        _ kind: LedgerTable.Kind, _ source: UInt64?, begun ticket: LedgerTable.Ticket? = nil, bytes: Int = 0
    ) -> LedgerTable.Change? {
        do throws(LedgerTable.Refusal) {
            return try table.begin(kind, source, begun: ticket, bytes: bytes)
        } catch {
            refusal = error
            return nil
        }
    }
}
