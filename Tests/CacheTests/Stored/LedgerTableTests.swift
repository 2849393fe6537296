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
        let all = try #require(table.begin(.removal, nil))
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
        let all = try #require(table.begin(.removal, nil))
        #expect(!table.permitsReading(table.ticket(), 2))
        _ = table.end(all.number)
        #expect(table.permitsReading(table.ticket(), 2))
    }

    @Test func entriesThatCouldNotBeRemoved_areNotRead_untilTheyAre() throws {
        func remove(_ source: UInt64?, isDone: Bool) throws {
            let removal = try #require(table.begin(.removal, source))
            _ = table.end(removal.number, isDone: isDone)
        }
        try remove(1, isDone: false)
        #expect(!table.permitsReading(table.ticket(), 1) && table.permitsReading(table.ticket(), 2))
        try remove(2, isDone: true)
        #expect(!table.permitsReading(table.ticket(), 1))
        try remove(1, isDone: true)
        #expect(table.permitsReading(table.ticket(), 1))
        try remove(nil, isDone: false)
        try remove(1, isDone: true)
        #expect(!table.permitsReading(table.ticket(), 1))
        try remove(3, isDone: false)
        try remove(nil, isDone: true)
        #expect([1, 2, 3].allSatisfy { table.permitsReading(table.ticket(), $0) })
        // A write that fails leaves nothing behind.
        let write = try #require(table.begin(.write, 1))
        _ = table.end(write.number, isDone: false)
        #expect(table.permitsReading(table.ticket(), 1))
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
    private var table = LedgerTable()

    var count: Int { table.count }
    var heldBytes: Int { table.heldBytes }

    func ticket() -> LedgerTable.Ticket { table.ticket() }
    func permits(_ ticket: LedgerTable.Ticket, _ source: UInt64) -> Bool { table.permits(ticket, source) }
    func permitsReading(_ ticket: LedgerTable.Ticket, _ source: UInt64) -> Bool { table.permitsReading(ticket, source) }
    func record(_ source: UInt64?) -> LedgerTable.Ticket { table.record(source) }
    func end(_ number: UInt64, isDone: Bool = true) -> [UInt64] { table.end(number, isDone: isDone) }

    func begin(
        _ kind: LedgerTable.Kind, _ source: UInt64?, begun ticket: LedgerTable.Ticket? = nil, bytes: Int = 0
    ) -> LedgerTable.Change? {
        table.begin(kind, source, begun: ticket, bytes: bytes)
    }
}
