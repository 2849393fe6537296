import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// Entries that look-ups do not find are still there: whoever removes or verifies has to see them.
@Suite(.timeLimit(.minutes(1))) struct DiskHiddenEntriesTests {
    private final class Clock: Sendable {
        let seconds = Atomic<Int64>(1_000_000)
    }

    private let temporary: TemporaryDirectory
    private let clock = Clock()

    init() throws { temporary = try TemporaryDirectory() }

    private func store(_ calls: any SystemCalls = PosixSystemCalls()) -> DiskStore {
        // The clock of its upkeep stands still: what has expired goes when a test says so.
        let time = TimeSource(ManualClock()) { [clock] in clock.seconds.load(ordering: .relaxed) }
        return DiskStore(valid: DiskStore.Settings.bare(temporary.file("cache")), calls: calls, time: time)
    }

    private func keep(_ sources: String..., expires: Int64? = nil, in store: DiskStore) async {
        for source in sources {
            await store.replace(
                Data("bytes".utf8), EntryMetadata(source: source), for: StoredKey(source), expires: expires)
        }
        await store.flush()
    }

    private func files() throws -> [String] { try temporary.names(in: "cache/entries") }

    @Test func expired_areRemoved_whenIndexWasLost() async throws {
        await keep("http://h/a", in: store())
        await keep("http://h/b", expires: 1_000_010, in: store())
        try FileManager.default.removeItem(atPath: temporary.file("cache/index"))
        clock.seconds.store(1_000_011, ordering: .relaxed)
        let store = store()
        #expect(await store.remove(.expired).map(\.digest) == [StoredKey("http://h/b").name.text])
        #expect(try files() == [StoredKey("http://h/a").name.text])
        let statistics = await store.statistics
        #expect(statistics.expired == 1 && statistics.evicted == 0)
    }

    /// A removal doesn't know whether they match, and they could be read and found later.
    @Test func entriesThatCannotBeRead_areRemovedWithThoseThatMatch() async throws {
        let files = FaultySystemCalls()
        let store = store(files)
        await keep("http://h/a", in: store)
        for call in [SystemCall.open, .pread, .read] { files.fail(call, on: "/entries/", with: EIO) }
        await store.remove(.prefix("http://h/"))
        files.heal()
        #expect(await store.entry(for: StoredKey("http://h/a")) == nil)
    }

    @Test func expired_areListedOnDemandOnly_alsoWhenIndexWasLost() async throws {
        await keep("http://h/a", "http://h/b", expires: 1_000_010, in: store())
        clock.seconds.store(1_000_011, ordering: .relaxed)
        for isLost in [false, true] {
            if isLost { try FileManager.default.removeItem(atPath: temporary.file("cache/index")) }
            let store = store()
            var (found, all) = (0, 0)
            await store.forEachEntry { found += $0.count }
            await store.forEachEntry(includingExpired: true) { all += $0.count }
            #expect(found == 0 && all == 2)
        }
    }

    @Test func removals_includeExpiredEntries() async throws {
        let store = store()
        let removals: [@Sendable (DiskStore) async -> [RemovedEntry]] = [
            { await $0.remove(.prefix("http://h/")) }, { await $0.remove { $0.url == "http://h/a" } },
            { await $0.remove(.all) },
        ]
        for remove in removals {
            let now = clock.seconds.load(ordering: .relaxed)
            await keep("http://h/a", expires: now + 10, in: store)
            clock.seconds.store(now + 11, ordering: .relaxed)
            #expect(await remove(store).count == 1)
            #expect(try files() == [])
        }
    }

    @Test func allFiles_areRemoved_whenAllAreSelected() async throws {
        let store = store()
        await keep("http://h/a", "http://h/b", in: store)
        #expect(await store.remove(.all).count == 2)
        #expect(try temporary.names(in: "cache/discarded") == [])
    }

    @Test func fileOfAnotherName_isDamaged_andMovedAway() async throws {
        await keep("http://h/a", "http://h/b", in: store())
        let (name, other) = (StoredKey("http://h/a").name.text, StoredKey("http://h/c").name.text)
        try FileManager.default.moveItem(
            atPath: temporary.file("cache/entries/" + name), toPath: temporary.file("cache/entries/" + other))
        try FileManager.default.removeItem(atPath: temporary.file("cache/index"))
        let store = store()
        let verified = await store.verify()
        #expect(verified.wholeCount == 1)
        #expect(verified.damaged.map(\.digest) == [other])
        #expect(try files() == [StoredKey("http://h/b").name.text])
        #expect(try temporary.names(in: "cache/discarded") == [])
        #expect(await store.statistics.damaged == 1)
    }
}
