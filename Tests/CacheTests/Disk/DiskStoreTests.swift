import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct DiskStoreTests: DiskSuite {
    let cache: DiskFixture

    init() throws { cache = try DiskFixture() }

    /// What a store that is opened anew finds.
    private func reopenedBody(for key: StoredKey) async -> Data? {
        let store = makeStore()
        let body = await store.body(for: key)
        await store.flush()
        return body
    }

    @Test func storedEntry_isFound_atOnceAndAfterReopening() async throws {
        let store = makeStore()
        #expect(await store.body(for: key) == nil)
        await store.store(body, for: key, begun: store.ticket())
        #expect(await store.body(for: key) == body)
        await store.flush()
        #expect(await store.body(for: key) == body)
        #expect(await reopenedBody(for: key) == body)
        #expect(try temporary.names(in: "cache/entries") == [key.name.text])
        #expect(try temporary.names(in: "cache/temporary").isEmpty)
        #expect(failures.values.isEmpty)
    }

    @Test(arguments: [true, false])
    func lookUps_readFiles_beforeOpening(hasIndex: Bool) async throws {
        let first = makeStore()
        await first.store(body, for: key, begun: first.ticket())
        await first.flush()
        let gate = ThreadGate()
        if hasIndex {
            files.hold(.pread, on: "/index", at: gate)
        } else {
            try cache.removeIndex()
            files.hold(.opendir, on: "/entries", at: gate)
        }
        let second = makeStore()
        // One that is stored meanwhile is found too, and written once the directory is known.
        await second.store(body, for: key(2), begun: second.ticket())
        await gate.arrivals(1)
        #expect(await second.body(for: key) == body)
        #expect(await second.body(for: key(2)) == body)
        gate.open()
        await second.flush()
        #expect(await reopenedBody(for: key(2)) == body)
    }

    @Test func slowWrite_holdsUpNoRead() async {
        let store = makeStore()
        await store.store(body, for: key, begun: store.ticket())
        await store.flush()
        let gate = ThreadGate()
        files.hold(.writev, on: "/temporary/", at: gate)
        await store.store(body, for: key(2), begun: store.ticket())
        await gate.arrivals(1)
        #expect(await store.body(for: key) == body)
        #expect(await store.body(for: key(2)) == body)
        gate.open()
        await store.flush()
    }

    @Test func removedKey_remainsRemoved_despiteEarlierStore() async {
        let store = makeStore()
        let before = store.ticket()
        await store.remove(key)
        await store.store(body, for: key, begun: before)
        #expect(await store.body(for: key) == nil)
        await store.store(body, for: key, begun: store.ticket())
        #expect(await store.body(for: key) == body)
    }

    @Test func removedKey_remainsRemoved_despiteRunningWrite() async throws {
        let store = makeStore()
        let gate = ThreadGate()
        files.hold(.rename, on: "/entries/", at: gate)
        await store.store(body, for: key, begun: store.ticket())
        await gate.arrivals(1)
        async let removed: Void = store.remove(key)
        #expect(await store.body(for: key(2)) == nil)
        gate.open()
        await removed
        #expect(await store.body(for: key) == nil)
        #expect(try temporary.names(in: "cache/entries").isEmpty)
        #expect(await reopenedBody(for: key) == nil)
    }

    @Test func runningRead_doesNotRestoreRemovedEntry() async {
        let store = makeStore()
        await store.store(body, for: key, begun: store.ticket())
        await store.flush()
        let gate = ThreadGate()
        // The bytes have been read when the entry is removed.
        files.hold(.read, at: gate, after: true)
        async let read = store.body(for: key)
        await gate.arrivals(1)
        await store.remove(key)
        gate.open()
        #expect(await read == nil)
    }

    @Test func removeAll_leavesNothing_andRefusesEarlierStores() async throws {
        let store = makeStore()
        for number in 0..<10 { await store.store(body, for: key(number), begun: store.ticket()) }
        let before = store.ticket()
        // Some are on disk, some are not yet.
        await store.flush()
        for number in 10..<20 { await store.store(body, for: key(number), begun: store.ticket()) }
        await store.removeAll()
        #expect(try temporary.names(in: "cache/entries").isEmpty)
        await store.store(body, for: key, begun: before)
        #expect(await store.body(for: key) == nil)
        await store.store(body, for: key, begun: store.ticket())
        await store.flush()
        #expect(await reopenedBody(for: key) == body)
    }

    @Test func fileSizes_keepLimit() async throws {
        let store = makeStore(byteLimit: 5 * 4096)
        for number in 0..<20 { await store.store(body, for: key(number), begun: store.ticket()) }
        await store.flush()
        #expect(try temporary.names(in: "cache/entries").count == 5)
        #expect(await store.body(for: key(0)) == nil)
        #expect(await store.body(for: key(19)) == body)
        // A smaller limit takes hold when the directory is opened.
        let smaller = makeStore(byteLimit: 2 * 4096)
        _ = await smaller.body(for: key)
        await smaller.flush()
        #expect(try temporary.names(in: "cache/entries").count == 2)
    }

    @Test(arguments: [0, 9, 10, 20, 30, 70, -57, -56, -40, -20, -1])
    func damagedFile_isMiss_event_andMovedAway_andDeleted(at offset: Int) async throws {
        let store = makeStore()
        await store.store(body, for: key, begun: store.ticket())
        await store.flush()
        let file = temporary.url.appendingPathComponent("cache/entries/" + key.name.text)
        var bytes = try Data(contentsOf: file)
        bytes[offset < 0 ? bytes.count + offset : offset] ^= 0x10
        try bytes.write(to: file)
        let gate = ThreadGate()
        files.hold(.unlink, on: "/discarded/", at: gate)
        #expect(await store.body(for: key) == nil)
        #expect(failures.values.map(\.operation) == [.read])
        await store.flush()
        #expect(try temporary.names(in: "cache/entries").isEmpty)
        #expect(await store.body(for: key) == nil)
        // Deleted behind the back of all others.
        await gate.arrivals(1)
        #expect(try temporary.names(in: "cache/discarded").count == 1)
        gate.open()
        await store.maintenanceIsIdle()
        #expect(try temporary.names(in: "cache/discarded").isEmpty)
        #expect(failures.values.count == 1)
    }

    @Test func deletedDirectory_isRecreated() async throws {
        let store = makeStore()
        await store.store(body, for: key, begun: store.ticket())
        await store.flush()
        try FileManager.default.removeItem(atPath: temporary.path + "/cache")
        #expect(await store.body(for: key) == nil)
        await store.store(body, for: key, begun: store.ticket())
        await store.flush()
        #expect(await reopenedBody(for: key) == body)
        #expect(failures.values.isEmpty)
    }
}
