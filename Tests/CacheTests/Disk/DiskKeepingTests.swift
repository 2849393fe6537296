import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// What fails, or has no room, costs nothing that was there before.
@Suite(.timeLimit(.minutes(1))) struct DiskKeepingTests {
    private let temporary: TemporaryDirectory
    private let files = FaultySystemCalls()
    private let failures = Recorder<CacheFailure>()
    private let body = Data("some bytes".utf8)
    private let key = StoredKey("http://h/0")
    private let block = 4096

    init() throws { temporary = try TemporaryDirectory() }

    private func makeStore(byteLimit: Int = 1 << 20, _ synchronization: DiskSynchronization = .never) -> DiskStore {
        var settings = DiskStore.Settings.bare(temporary.file("cache"), byteLimit: byteLimit)
        settings.synchronization = synchronization
        return DiskStore(valid: settings, calls: files, time: TimeSource(ManualClock())) { [failures] in
            failures.record($0)
        }
    }

    private func metadata(_ tags: String...) -> EntryMetadata {
        var metadata = EntryMetadata(source: key.source)
        metadata.tags = Set(tags)
        return metadata
    }

    private func store(_ body: Data, _ number: Int, in store: DiskStore) async {
        await store.store(body, for: StoredKey("http://h/\(number)"), begun: store.ticket())
        await store.flush()
    }

    private func prepared() async -> DiskStore {
        let disk = makeStore()
        await disk.store(body, metadata("old"), for: key, begun: disk.ticket())
        await disk.settle()
        return disk
    }

    // MARK: Metadata

    @Test func renewal_isFound_thoughItIsWrittenWhileTheEntryIsRead() async {
        func renewed(_ tag: String) -> EntryMetadata {
            var metadata = metadata(tag)
            metadata.response = StoredResponse(headers: [:], freshness: Freshness(endSecond: 9), version: 1)
            return metadata
        }
        let disk = makeStore()
        await disk.store(body, renewed("old"), for: key, begun: disk.ticket())
        await disk.settle()
        let (writing, reading) = (ThreadGate(), ThreadGate())
        files.keep(.cold)
        files.hold(.writev, on: "/entries/", at: writing)
        await disk.update(renewed("new"), for: key, version: 1)
        await writing.arrivals(1)
        files.hold(.read, on: "/entries/", at: reading, after: true)
        async let found = disk.entry(for: key)
        // The old metadata has been read.
        await reading.arrivals(1)
        writing.open()
        await disk.flush()
        reading.open()
        #expect(await found?.metadata.tags == ["new"])
    }

    @Test(arguments: [
        (SystemCall.writev, "/entries/", ENOSPC), (.writev, "/index", ENOSPC), (.flock, "/lock", EIO),
        (.open, "/entries/", EMFILE), (.fstat, "/entries/", EIO), (.pread, "/entries/", EIO),
    ])
    func failedMetadataWrite_leavesOldMetadata(
        call: SystemCall, part: String, code: Int32
    ) async throws {
        let disk = await prepared()
        let bytes = await disk.statistics.byteCount
        files.fail(call, on: part, with: code)
        await disk.update(metadata("new"), for: key)
        await disk.flush()
        #expect(failures.values.contains { $0.operation == .write }, "\(failures.values)")
        files.heal()
        let reported = failures.values.count
        for disk in [disk, makeStore()] {
            #expect(await disk.entry(for: key)?.body == body)
            #expect(await disk.entry(for: key)?.metadata.tags == ["old"])
            #expect(await disk.statistics.entryCount == 1)
        }
        #expect(await makeStore().statistics.byteCount >= bytes)
        await disk.update(metadata("newer"), for: key)
        await disk.flush()
        #expect(await disk.entry(for: key)?.metadata.tags == ["newer"])
        #expect(await disk.verify().wholeCount == 1)
        #expect(await disk.remove(.tag("newer")).count == 1)
        #expect(failures.values.count == reported, "\(failures.values)")
    }

    @Test func oldTagsFindEntry_afterFailedMetadataWrite() async throws {
        let disk = await prepared()
        files.fail(.writev, on: "/entries/", with: ENOSPC)
        await disk.update(metadata("new"), for: key, expires: 1)
        await disk.flush()
        files.heal()
        for disk in [disk, makeStore()] { #expect(await disk.contains(key)) }
        #expect(await makeStore().remove(.tag("new")).isEmpty)
        #expect(await disk.remove(.tag("new")).isEmpty)
        #expect(await disk.remove(.tag("old")).count == 1)
        #expect(await !disk.contains(key))
    }

    @Test func fileThatCannotBeRewritten_isUnchanged() async throws {
        let disk = await prepared()
        let long = String(repeating: "x", count: 50_000)
        for _ in 0..<2 { await disk.update(metadata("old", long), for: key) }
        await disk.flush()
        files.fail(.rename, on: "/entries/", with: EIO)
        await disk.update(metadata("new"), for: key)
        await disk.flush()
        #expect(failures.values.map(\.operation) == [.write])
        files.heal()
        #expect(await disk.entry(for: key)?.body == body)
        #expect(await disk.entry(for: key)?.metadata.tags == ["old", long])
        #expect(try temporary.names(in: "cache/temporary").isEmpty)
    }

    @Test func incompleteEntry_isDropped() async throws {
        let disk = await prepared()
        try Data("rubbish".utf8).write(to: temporary.url.appendingPathComponent("cache/entries/" + key.name.text))
        await disk.update(metadata("new"), for: key)
        await disk.flush()
        #expect(await disk.entry(for: key) == nil)
        #expect(try temporary.names(in: "cache/entries").isEmpty)
    }

    @Test func oversizedMetadata_isReported_andOldRemains() async {
        let disk = makeStore(byteLimit: 2 * block)
        await store(body, 0, in: disk)
        await store(body, 1, in: disk)
        await disk.update(metadata(String(repeating: "x", count: 3 * block)), for: key)
        await disk.flush()
        #expect(failures.values.map(\.operation) == [.write])
        for number in 0..<2 { #expect(await disk.body(for: StoredKey("http://h/\(number)")) == body) }
    }

    // MARK: Too large

    @Test func oversizedEntry_isReported_andEvictsNothing() async {
        let disk = makeStore(byteLimit: 4 * block)
        for number in 0..<3 { await store(body, number, in: disk) }
        for number in 2..<4 { await store(Data(count: 4 * block), number, in: disk) }
        #expect(failures.values.map(\.operation) == [.write, .write])
        #expect(failures.values.allSatisfy { $0.reason.contains("\(4 * block)") }, "\(failures.values)")
        let statistics = await disk.statistics
        #expect(statistics.failures == 2 && statistics.evicted == 0 && statistics.entryCount == 2)
        for number in 0..<2 { #expect(await disk.body(for: StoredKey("http://h/\(number)")) == body) }
        for number in 2..<4 { #expect(await disk.body(for: StoredKey("http://h/\(number)")) == nil) }
    }

    @Test func oversizedEntry_isReported_beforeOpening() async {
        let disk = makeStore(byteLimit: block)
        await disk.store(Data(count: 2 * block), for: key, begun: disk.ticket())
        await disk.flush()
        #expect(failures.values.map(\.operation) == [.write])
        #expect(await disk.statistics.failures == 1)
    }
}
