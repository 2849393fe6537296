import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// What another store has written anew, or much at once, becomes an index on the writing thread, which the store takes
/// in place of its own.
@Suite(.timeLimit(.minutes(1))) struct DiskIndexSwapTests: DiskSuite {
    let cache: DiskFixture

    init() throws { cache = try DiskFixture() }

    private func makeOther() -> DiskStore { DiskStore(directory: cache.path, byteLimit: 1 << 20) }

    @Test func lookUps_answerFromOldIndex_whileNewOneIsMade() async throws {
        let (disk, other) = (makeStore(), makeOther())
        for number in 0...1 { await store(key(number), in: disk) }
        await other.settle()
        await disk.settle()
        await other.remove(key(1))
        // It writes a new file.
        try cache.removeIndex()
        await store(key(2), in: other)
        let gate = ThreadGate()
        files.hold(.pread, on: "/index", at: gate)
        let end = Task { await disk.caughtUp() }
        await gate.arrivals(1)
        await disk.store(body, for: key(3), begun: disk.ticket())
        #expect(await disk.body(for: key(0)) == body)
        #expect(await disk.body(for: key(3)) == body)
        #expect(await disk.index.records.map(\.name) == [1, 0, 3].map { key($0).name })
        gate.open()
        await end.value
        await disk.flush()
        #expect(await Set(disk.index.records.map(\.name)) == Set([0, 2, 3].map { key($0).name }))
        for number in [0, 2, 3] { #expect(await disk.body(for: key(number)) == body) }
        #expect(await disk.body(for: key(1)) == nil)
        #expect(failures.values.isEmpty)
    }

    /// What other stores have done, as the writer reads it.
    private func changes(_ disk: DiskStore) async throws -> IndexFile.Changes {
        let work = await disk.work
        return try await disk.readers.run {
            Result { () throws(FileError) in
                var changes = IndexFile.Changes()
                try work.tell(uses: [], &changes)
                return changes
            }
        }.get()
    }

    @Test func newFile_isHandedOver_asAnIndex() async throws {
        let (disk, other) = (makeStore(), makeOther())
        await store(key(0), in: disk)
        await other.settle()
        await disk.settle()
        await store(key(1), in: other)
        var found = try await changes(disk)
        // Few records are applied one by one.
        #expect(found.all == nil && Set(found.records.map(\.name)) == [key(1).name])
        try cache.removeIndex()
        await store(key(2), in: other)
        found = try await changes(disk)
        #expect(found.records.isEmpty && found.all?.count == 3)
        let old = try #require(found.all?.presence(of: key(0).name, at: .max))
        // Another process appends more than a few.
        let file = try #require(fopen(cache.index, "a"))
        let names = (0..<2_000).map { StoredKey("http://h/other/\($0)").name }
        let bytes = IndexLog.bytes(of: names.map { .entry($0, IndexedEntry(units: 8, lastUse: 1)) })
        #expect(bytes.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) } == bytes.count)
        #expect(fclose(file) == 0)
        found = try await changes(disk)
        #expect(found.records.isEmpty && found.all?.count == 2_003)
        // Each index has versions of its own.
        #expect(found.all?.presence(of: key(0).name, at: .max) != old)
    }

    /// Own decisions after the file was read are carried over, and those before it are in what was read.
    @Test func ownChanges_areInTheIndexThatWasRead() {
        var all = DiskIndex(limits: .init(bytes: .max), lastVersion: DiskIndex.firstVersionApart)
        check(all.complete(with: nil, by: 0, at: 0), [])
        var changes = IndexFile.Changes()
        let entry = IndexRecord.entry(key(1).name, IndexedEntry(units: 1, lastUse: 0))
        changes.add([entry], at: 0)
        changes.noteOwn([.removed(key(1).name)], at: 0)
        #expect(changes.isEmpty)
        changes.noteOwn([.removed(key(1).name)], at: 0)
        changes.add([entry], at: 0)
        #expect(changes.records == [entry])
        changes.replace(with: all, areExternal: false)
        #expect(changes.records.isEmpty && changes.all?.count == 0)
        changes.add([entry], at: 0)
        changes.noteOwn([.entry(key(2).name, IndexedEntry(units: 3, lastUse: 0))], at: 0)
        #expect(changes.all?.totalBytes == 4 * 512 && changes.areExternal)
        #expect(changes.takeAll()?.count == 2 && changes.isEmpty)
    }
}
