import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Bodies that wait for the writer are written together.
@Suite(.timeLimit(.minutes(1))) struct DiskBatchTests: DiskSuite {
    private static let block = 4096

    let cache: DiskFixture

    init() throws { cache = try DiskFixture() }

    /// Stores entry 0, and while the writer is busy with it, does `more`.
    private func whileWriting(in disk: DiskStore, _ more: () async -> Void) async {
        let gate = ThreadGate()
        await disk.flush()
        files.hold(.writev, on: "/temporary/", at: gate)
        await disk.store(body, for: key(0), begun: disk.ticket())
        await gate.arrivals(1)
        await more()
        gate.open()
        await disk.flush()
    }

    private func store(_ numbers: ClosedRange<Int>, in disk: DiskStore) async {
        for number in numbers { await disk.store(body, for: key(number), begun: disk.ticket()) }
    }

    @Test func waitingBodies_areWritten_underOneLock() async throws {
        let disk = makeStore()
        await disk.flush()
        let (locks, records) = (files.count(of: .flock, on: "/lock"), files.count(of: .writev, on: "/index"))
        await whileWriting(in: disk) { await store(1...20, in: disk) }
        #expect(try cache.entryNames().count == 21)
        // Taken and released for the first one and for all others.
        #expect(files.count(of: .flock, on: "/lock") == locks + 4)
        #expect(files.count(of: .writev, on: "/index") == records + 2)
        #expect(await makeStore().statistics.entryCount == 21)
        #expect(failures.values.isEmpty)
    }

    @Test func bodiesThatEvictOrReplaceEachOther_areWrittenInOrder() async throws {
        let disk = makeStore(byteLimit: 3 * Self.block)
        let newer = Data("newer".utf8)
        await whileWriting(in: disk) {
            await store(1...9, in: disk)
            await disk.store(newer, for: key(8), begun: disk.ticket())
            await store(10...10, in: disk)
            await disk.hide(key(9))
        }
        #expect(Set(try cache.entryNames()) == Set([8, 10].map { key($0).name.text }))
        for store in [disk, makeStore(byteLimit: 3 * Self.block)] {
            #expect(await store.statistics.entryCount == 2)
            #expect(await store.body(for: key(8)) == newer)
            #expect(await store.verify().wholeCount == 2)
        }
        #expect(failures.values.isEmpty)
    }

    @Test func failingWrite_affectsNoOtherOfItsBatch() async throws {
        let disk = makeStore()
        await whileWriting(in: disk) {
            files.fail(.rename, on: key(3).name.text, with: EIO)
            await store(1...5, in: disk)
        }
        files.heal()
        #expect(Set(try cache.entryNames()) == Set([0, 1, 2, 4, 5].map { key($0).name.text }))
        #expect(failures.values.map(\.operation) == [.write])
        #expect(try temporary.names(in: "cache/temporary").isEmpty)
        #expect(await makeStore().statistics.entryCount == 5)
    }

    @Test func directoryThatIsDeletedTwice_closesEachFileOnce() async throws {
        let disk = makeStore()
        await disk.flush()
        await whileWriting(in: disk) { [files] in
            // The first attempt creates every file but can't rename them; the second one can't create any.
            for number in 1...3 { files.fail(.rename, on: key(number).name.text, with: ENOENT) }
            files.precede(.rename) {
                guard files.count(of: .rename, on: "/entries/") == 2 else { return }
                files.fail(.open, on: "/temporary/", with: ENOENT)
            }
            await store(1...3, in: disk)
        }
        files.heal()
        #expect(failures.values.map(\.operation) == [.write, .write, .write])
        #expect(try temporary.names(in: "cache/temporary").isEmpty)
        await store(1...3, in: disk)
        await disk.flush()
        #expect(await makeStore().statistics.entryCount == 4)
    }

    @Test func batchWithoutEnoughSpace_isWrittenOneByOne() async throws {
        var settings = DiskStore.Settings.bare(cache.path, byteLimit: 1 << 20)
        settings.minimumFreeBytes = 1 << 20
        let disk = DiskStore(valid: settings, calls: files, time: TimeSource(ManualClock())) { [files] event in
            // Now there is room.
            if case .evicted = event { files.pretend(freeBytes: 2 << 20) }
        }
        files.pretend(freeBytes: 2 << 20)
        await disk.flush()
        await whileWriting(in: disk) {
            // One more block is to be free than there is.
            files.pretend(freeBytes: (1 << 20) - Self.block)
            await store(1...3, in: disk)
        }
        let count = try cache.entryNames().count
        #expect(count > 0)
        #expect(await disk.statistics.entryCount == count)
        #expect(await disk.verify().wholeCount == count)
        #expect(try temporary.names(in: "cache/temporary").isEmpty)
    }

    @Test func batch_isSynchronized_withOneCallForTheDirectory() async {
        var settings = DiskStore.Settings.bare(cache.path, byteLimit: 1 << 20)
        settings.synchronization = .always
        let disk = DiskStore(valid: settings, calls: files)
        await disk.flush()
        await whileWriting(in: disk) { await store(1...20, in: disk) }
        #expect(files.count(of: .synchronize, on: "/temporary/") == 21)
        #expect(files.calls.count { $0.call == .synchronize && $0.path.hasSuffix("/entries") } <= 3)
    }
}
