import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

/// What a store's settings promise.
@Suite(.timeLimit(.minutes(1))) struct DiskPolicyTests {
    private let temporary: TemporaryDirectory
    private let files = FaultySystemCalls()
    private let failures = Recorder<CacheFailure>()
    private let evicts = OnRemoval()
    private let seconds = Seconds()
    private let body = Data("some bytes".utf8)

    /// The time of day, as a test wants it.
    private final class Seconds: Sendable {
        private let value = Atomic<Int64>(1_000_000_000)
        var now: Int64 {
            get { value.load(ordering: .relaxed) }
            set { value.store(newValue, ordering: .relaxed) }
        }
    }

    /// What a test wants to happen when something is removed.
    private final class OnRemoval: Sendable {
        private let action = Mutex<@Sendable (DiskStore.Event) -> Void>({ _ in })
        var value: @Sendable (DiskStore.Event) -> Void {
            get { action.withLock { $0 } }
            set { action.withLock { $0 = newValue } }
        }
    }

    init() throws { temporary = try TemporaryDirectory() }

    private func makeStore(
        _ name: String = "cache", _ change: (inout DiskStore.Settings) -> Void = { _ in }
    ) -> DiskStore {
        var settings = DiskStore.Settings.bare(temporary.file(name), byteLimit: 1 << 20)
        change(&settings)
        return DiskStore(
            valid: settings, calls: files, time: TimeSource(ManualClock()) { [seconds] in seconds.now }
        ) { [failures, evicts] event in
            failures.record(event)
            evicts.value(event)
        }
    }

    private func key(_ number: Int) -> StoredKey { StoredKey("http://h/\(number)") }

    private func store(_ number: Int, in store: DiskStore, expires: Int64? = nil) async {
        let key = key(number)
        await store.store(body, EntryMetadata(source: key.source), for: key, expires: expires, begun: store.ticket())
    }

    // MARK: The device

    private func synchronized(_ policy: DiskSynchronization) async -> (DiskStore, () -> [String]) {
        let disk = makeStore { $0.synchronization = policy }
        await disk.settle()
        let before = files.calls.count
        return (
            disk,
            {
                files.calls.dropFirst(before).filter { [.synchronize, .rename].contains($0.call) }.map {
                    let isTemporary = $0.path.contains("/temporary/")
                    return "\($0.call) " + (isTemporary ? "temporary" : ($0.path as NSString).lastPathComponent)
                }
            }
        )
    }

    @Test func always_synchronizes_beforeAndAfterPublishing() async {
        let (disk, calls) = await synchronized(.always)
        await store(1, in: disk)
        await disk.flush()
        let name = key(1).name.text
        #expect(calls() == ["synchronize temporary", "rename \(name)", "synchronize entries"])
        await disk.update(EntryMetadata(source: "http://h/1"), for: key(1))
        await disk.flush()
        #expect(calls().dropFirst(3) == ["synchronize \(name)"])
    }

    @Test func always_synchronizesRewrittenFiles() async {
        let (disk, calls) = await synchronized(.always)
        await store(1, in: disk)
        await disk.flush()
        var metadata = EntryMetadata(source: "http://h/1")
        metadata.tags = [String(repeating: "x", count: 50_000)]
        for _ in 0..<3 { await disk.update(metadata, for: key(1)) }
        await disk.flush()
        #expect(calls().suffix(3) == ["synchronize temporary", "rename \(key(1).name.text)", "synchronize entries"])
    }

    @Test func onFlush_synchronizesOnce() async {
        let (disk, calls) = await synchronized(.onFlush)
        await store(1, in: disk)
        await disk.settle()
        let name = key(1).name.text
        #expect(calls() == ["rename \(name)", "synchronize \(name)", "synchronize entries"])
        await disk.flush()
        #expect(calls().count == 3)
    }

    @Test func never_doesNotSynchronize() async {
        let (disk, calls) = await synchronized(.never)
        await store(1, in: disk)
        await disk.settle()
        #expect(calls() == ["rename \(key(1).name.text)"])
    }

    // MARK: Free space

    @Test func belowFloor_entriesGoFirst() async throws {
        let disk = makeStore { $0.minimumFreeBytes = 10 * 4096 }
        files.pretend(freeBytes: 10 * 4096)
        for number in 0..<4 { await store(number, in: disk) }
        await disk.flush()
        #expect(try temporary.names(in: "cache/entries").count == 4)
        files.pretend(freeBytes: 8 * 4096)
        evicts.value = { [files] _ in files.pretend(freeBytes: 10 * 4096) }
        await store(4, in: disk)
        await disk.flush()
        #expect(failures.values.isEmpty)
        #expect(await disk.body(for: key(0)) == nil)
        #expect(await disk.body(for: key(1)) == nil)
        #expect(await disk.body(for: key(2)) == body)
        #expect(await disk.body(for: key(4)) == body)
        #expect(await disk.statistics.evicted == 2)
    }

    @Test func nothingIsWritten_whenEvictionIsNotEnough() async throws {
        let disk = makeStore { $0.minimumFreeBytes = 10 * 4096 }
        files.pretend(freeBytes: 10 * 4096)
        await store(0, in: disk)
        await disk.flush()
        files.pretend(freeBytes: 4096)
        await store(1, in: disk)
        await disk.flush()
        #expect(await disk.body(for: key(1)) == nil)
        #expect(failures.values.map(\.operation) == [.write])
        #expect(try temporary.names(in: "cache/temporary").isEmpty)
        files.pretend(freeBytes: 10 * 4096)
        await store(1, in: disk)
        await disk.flush()
        #expect(await disk.body(for: key(1)) == body)
    }

    @Test func fileThatNeverFits_isReported() async throws {
        let disk = makeStore()
        let bytes = Atomic<off_t>(4 << 10)
        // Each file has grown more than the one before by the time that its size is read.
        files.precede(.fstat) { [temporary] in
            let names = FileManager.default.enumerator(atPath: temporary.file("cache/temporary"))
            while let name = names?.nextObject() as? String {
                truncate(temporary.file("cache/temporary/" + name), bytes.add(4 << 10, ordering: .relaxed).newValue)
            }
        }
        await store(0, in: disk)
        await disk.flush()
        #expect(await disk.body(for: key(0)) == nil)
        let failure = try #require(failures.values.first)
        #expect(failure.operation == .write)
        #expect(failure.reason.contains("more than there was room for"))
        #expect(failures.values.count == 1)
        #expect(await disk.statistics.failures == 1)
        #expect(try temporary.names(in: "cache/temporary").isEmpty)
        files.heal()
        await store(0, in: disk)
        await disk.flush()
        #expect(await disk.body(for: key(0)) == body)
    }

    /// Whether or not some space is to be left free.
    @Test(arguments: [0, 4096], [ENOSPC, EDQUOT])
    func onFullVolume_entriesGoFirst(minimumFreeBytes: Int, code: Int32) async throws {
        let disk = makeStore { $0.minimumFreeBytes = minimumFreeBytes }
        for number in 0..<4 { await store(number, in: disk) }
        await disk.flush()
        files.pretend(freeBytes: 0)
        // The volume takes nothing more until something is removed.
        files.fail(.writev, on: "/temporary/", with: code)
        evicts.value = { [files] _ in files.heal() }
        await store(4, in: disk)
        await disk.flush()
        #expect(await disk.body(for: key(0)) == nil)
        #expect(await disk.body(for: key(1)) == body)
        #expect(await disk.body(for: key(4)) == body)
        #expect(failures.values.isEmpty)
    }

    @Test(arguments: [0, 4096]) func fullVolume_isReportedOnce(minimumFreeBytes: Int) async throws {
        let disk = makeStore { $0.minimumFreeBytes = minimumFreeBytes }
        for number in 0..<9 { await store(number, in: disk) }
        await disk.flush()
        files.fail(.writev, on: "/temporary/", with: ENOSPC)
        await store(9, in: disk)
        await disk.flush()
        #expect(failures.values.map(\.operation) == [.write])
        #expect(failures.values.first?.reason.contains("No space left") == true)
        #expect(await disk.body(for: key(8)) == body)
        // Two more attempts, each after one entry has made room.
        #expect(await disk.statistics.entryCount == 7)
        files.heal()
        await store(9, in: disk)
        await disk.flush()
        #expect(await disk.body(for: key(9)) == body)
    }

    // MARK: Count and time

    @Test func countLimit_isKept() async throws {
        let disk = makeStore { $0.maximumEntryCount = 3 }
        for number in 0..<8 { await store(number, in: disk) }
        await disk.flush()
        #expect(try Set(temporary.names(in: "cache/entries")) == Set((5..<8).map { key($0).name.text }))
        #expect(await disk.statistics.evicted == 5)
    }

    @Test func entry_isFound_untilItExpires_afterReopening() async throws {
        let disk = makeStore { $0.timeToLive = .seconds(100) }
        await store(0, in: disk)
        await store(1, in: disk, expires: seconds.now + 50)
        await store(2, in: disk, expires: .max)
        seconds.now += 49
        #expect(await disk.body(for: key(1)) == body)
        await disk.flush()
        seconds.now += 1
        #expect(await disk.body(for: key(1)) == nil)
        #expect(await disk.body(for: key(2)) == body)
        await disk.flush()
        for hasIndex in [true, false] {
            if !hasIndex { try FileManager.default.removeItem(atPath: temporary.file("cache/index")) }
            let fresh = makeStore { $0.timeToLive = .seconds(100) }
            #expect(await fresh.body(for: key(0)) == body)
            #expect(await fresh.body(for: key(1)) == nil)
            #expect(await fresh.body(for: key(2)) == body)
            // Without its index file the next one would go by the files' times, which are of another clock.
            await fresh.settle()
        }
        seconds.now += 101
        let late = makeStore { $0.timeToLive = .seconds(100) }
        await late.opened()
        #expect(await late.body(for: key(2)) == nil)
    }

    @Test func changedTimeToLive_appliesAtOnce_toWhatIsStored() async throws {
        let disk = makeStore { $0.timeToLive = .seconds(100) }
        await store(0, in: disk)
        await disk.flush()
        seconds.now += 60
        try await disk.setTimeToLive(.seconds(50))
        #expect(await disk.body(for: key(0)) == nil)
        #expect(await disk.entries().isEmpty)
        await store(1, in: disk)
        try await disk.setTimeToLive(nil)
        seconds.now += 10_000
        #expect(await disk.body(for: key(1)) == body)
        await #expect(throws: ImageLoaderError.self) { try await disk.setTimeToLive(.seconds(-1)) }
        #expect(await disk.body(for: key(1)) == body)
    }

    @Test func clockAYearAheadAndBack_losesNothing() async throws {
        let disk = makeStore { $0.timeToLive = .seconds(100) }
        seconds.now += 31_536_000
        await store(0, in: disk)
        await disk.flush()
        seconds.now -= 31_536_000
        #expect(await disk.body(for: key(0)) == body)
        await disk.flush()
        #expect(await makeStore { $0.timeToLive = .seconds(100) }.body(for: key(0)) == body)
        seconds.now += 101
        #expect(await disk.body(for: key(0)) == nil)
    }

    // MARK: Metadata

    @Test func repeatedMetadataWrites_keepFileSmall() async throws {
        let disk = makeStore()
        await store(1, in: disk)
        await disk.flush()
        for number in 0..<500 {
            var metadata = EntryMetadata(source: "http://h/1")
            metadata.tags = ["\(number)", String(repeating: "x", count: 1000)]
            await disk.update(metadata, for: key(1))
            if number % 50 == 0 { await disk.flush() }
        }
        await disk.flush()
        let entry = try #require(await disk.entry(for: key(1)))
        #expect(entry.body == body)
        #expect(entry.metadata.tags.contains("499") == true)
        let length = try Data(contentsOf: temporary.url.appendingPathComponent("cache/entries/" + key(1).name.text))
            .count
        #expect(length < 70_000)
        #expect(await disk.statistics.byteCount >= length)
        #expect(await makeStore().remove(.tag("499")).count == 1)
        #expect(failures.values.isEmpty)
    }

    // MARK: Bundled directories

    @Test func bundledDirectories_areSearchedAfterOwn_andOnlyRead() async throws {
        let bundle = makeStore("bundle")
        await store(1, in: bundle)
        await bundle.flush()
        let names = try FileManager.default.subpathsOfDirectory(atPath: temporary.file("bundle"))
        let disk = makeStore { [temporary] in
            $0.bundledDirectories = ["none", "bundle"].map { URL(fileURLWithPath: temporary.file($0)) }
        }
        #expect(await disk.body(for: key(1)) == body)
        #expect(await disk.contains(key(1)))
        #expect(await disk.body(for: key(2)) == nil)
        await disk.remove(key(1))
        await disk.removeAll()
        await disk.settle()
        #expect(await disk.body(for: key(1)) == body)
        await disk.store(Data("own".utf8), for: key(1), begun: disk.ticket())
        await disk.flush()
        #expect(await disk.body(for: key(1)) == Data("own".utf8))
        #expect(try FileManager.default.subpathsOfDirectory(atPath: temporary.file("bundle")) == names)
        #expect(failures.values.isEmpty)
    }
}
