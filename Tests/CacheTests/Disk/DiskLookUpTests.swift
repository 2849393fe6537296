import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// Look-ups beside each other, beside other stores and beside what takes long; and what a store leaves behind.
@Suite(.timeLimit(.minutes(1))) struct DiskLookUpTests: DiskSuite {
    let cache: DiskFixture

    init() throws { cache = try DiskFixture() }

    @Test func cancelledCaller_returnsAtOnce_andOthersAreAnswered() async {
        let disk = makeStore()
        await store(key, in: disk)
        let gate = ThreadGate()
        files.hold(.read, at: gate)
        let cancelled = Task { [key] in await disk.body(for: key) }
        await gate.arrivals(1)
        let other = Task { [key] in await disk.body(for: key) }
        cancelled.cancel()
        #expect(await cancelled.value == nil)
        gate.open()
        #expect(await other.value == body)
    }

    @Test func contains_waitsForNoDeletion() async {
        let disk = makeStore()
        for number in 0..<3 { await store(StoredKey("http://h/\(number)"), in: disk) }
        let gate = ThreadGate()
        files.hold(.unlink, on: "/discarded/", at: gate)
        await disk.removeAll()
        await gate.arrivals(1)
        await store(key, in: disk)
        #expect(await disk.contains(key))
        #expect(await disk.info(of: key)?.url == key.source)
        gate.open()
    }

    // MARK: Without the body

    private let large = Data(repeating: 1, count: 100_000)

    /// Stores the large body and waits until it is on disk.
    private func storeLarge(
        _ key: StoredKey, in disk: DiskStore, tag: String = "", expires: Int64? = nil
    ) async {
        var metadata = EntryMetadata(source: key.source)
        metadata.tags = [tag]
        await disk.store(large, metadata, for: key, expires: expires, begun: disk.ticket())
        await disk.flush()
    }

    @Test func head_isReadWithoutTheBody_andCountsAsAUse() async {
        let disk = makeStore()
        for number in 0..<2 { await storeLarge(key(number), in: disk) }
        for disk in [disk, makeStore()] {
            let head = await disk.entry(for: key(0), readsBody: false)
            #expect(head?.metadata.key == key(0) && head?.body.isEmpty == true)
            #expect(await disk.entry(for: key(2), readsBody: false) == nil)
            let statistics = await disk.statistics
            #expect(statistics.hits == 1 && statistics.misses == 1)
        }
        #expect(files.count(of: .read, on: "/entries/") == 0)
        #expect((1...EntryFile.usualEndLength).contains(files.largestRead(of: key(0).name.text)))
        // The other one was stored later.
        #expect(await disk.trim(toBytes: 150_000).map(\.digest) == [key(1).name.text])
        #expect(await disk.body(for: key(0)) == large)
    }

    @Test(arguments: [0, -1, .min]) func trimmingToNoBytes_evictsAll(bytes: Int) async {
        let disk = makeStore()
        for number in 0..<3 { await storeLarge(key(number), in: disk) }
        #expect(await disk.trim(toBytes: bytes).count == 3)
        let statistics = await disk.statistics
        #expect(statistics.entryCount == 0 && statistics.byteCount == 0)
    }

    @Test func headOfAnyLength_isFound() async {
        let disk = makeStore()
        let tag = String(repeating: "x", count: 2 * EntryFile.usualEndLength)
        await storeLarge(key, in: disk, tag: tag)
        #expect(await disk.entry(for: key, readsBody: false)?.metadata.tags == [tag])
        #expect(files.count(of: .read, on: "/entries/") == 0)
    }

    @Test func head_isThatOfItsKey_andOfAnIntactEnd() async throws {
        let disk = makeStore()
        for number in 0..<2 { await storeLarge(key(number), in: disk) }
        try Data(contentsOf: URL(fileURLWithPath: cache.file(key(0)))).write(
            to: URL(fileURLWithPath: cache.file(key(1))))
        #expect(await disk.entry(for: key(1), readsBody: false) == nil)
        #expect(failures.values.isEmpty)
        try large.write(to: URL(fileURLWithPath: cache.file(key(0))))
        #expect(await disk.entry(for: key(0), readsBody: false) == nil)
        #expect(failures.values.map(\.operation) == [.read] && files.count(of: .read, on: key(1).name.text) == 0)
    }

    @Test func headOfAnExpiredEntry_isNotFound() async {
        let seconds = Atomic<Int64>(1_000_000_000)
        let disk = DiskStore(
            valid: .bare(temporary.path + "/cache", byteLimit: 1 << 20), calls: files,
            time: TimeSource(ManualClock()) { seconds.load(ordering: .relaxed) })
        await storeLarge(key, in: disk, expires: 1_000_000_010)
        #expect(await disk.entry(for: key, readsBody: false) != nil)
        seconds.add(10, ordering: .relaxed)
        #expect(await disk.entry(for: key, readsBody: false) == nil)
        // A store that knows only what is in the file.
        let other = makeStore()
        #expect(await other.entry(for: key, readsBody: false) == nil)
    }

    // MARK: Several stores

    @Test func externalEntries_areRemovedWithTheRest() async throws {
        let url = try #require(URL(string: key.source))
        let removals: [(name: String, remove: @Sendable (DiskStore) async -> [RemovedEntry])] = [
            ("tag", { await $0.remove(.tag("t")) }), ("all", { await $0.remove(.all) }),
            ("prefix", { await $0.remove(.prefix("http://h/")) }), ("url", { await $0.remove(.url(url)) }),
            ("predicate", { await $0.remove { _ in true } }),
        ]
        for (name, remove) in removals {
            let (first, second) = (makeStore(), makeStore())
            #expect(await first.statistics.entryCount == 0)
            #expect(await second.statistics.entryCount == 0)
            await store(key, in: first, tags: ["t"])
            #expect(await remove(second).count == 1, "\(name)")
            #expect(try temporary.names(in: "cache/entries").isEmpty, "\(name)")
            for disk in [first, second, makeStore()] { #expect(await disk.body(for: key) == nil) }
            _ = await first.remove(.all)
        }
        #expect(failures.values.isEmpty)
    }

    @Test func externalVariants_areRemovedWithTheirOriginal() async throws {
        let (first, second) = (makeStore(), makeStore())
        _ = (await first.statistics, await second.statistics)
        await store(key, in: first)
        let small = StoredKey(key.source, variant: "small")
        var metadata = EntryMetadata(source: key.source)
        metadata.original = key.text
        await first.store(body, metadata, for: small, begun: first.ticket())
        await first.flush()
        await second.remove(key)
        #expect(try temporary.names(in: "cache/entries").isEmpty)
        #expect(await first.body(for: small) == nil)
    }

    @Test func clearing_countsNoExternalEntries() async {
        let (first, second) = (makeStore(), makeStore())
        _ = (await first.statistics, await second.statistics)
        await store(key, in: first)
        await second.removeAll()
        #expect(await second.statistics.entryCount == 0)
        #expect(await second.statistics.byteCount == 0)
    }

    @Test func idleStore_findsExternalEntries() async {
        let seconds = Atomic<Int64>(1_000_000_000)
        let idle = DiskStore(
            valid: .bare(temporary.path + "/cache", byteLimit: 1 << 20), calls: files,
            time: TimeSource(ManualClock()) { seconds.load(ordering: .relaxed) })
        _ = await idle.statistics
        await store(key, in: makeStore())
        seconds.add(3600, ordering: .relaxed)
        #expect(await idle.body(for: key) == body)
    }

    @Test func removedKey_remainsRemoved_thoughItsFileRemains() async {
        let disk = makeStore()
        for name in ["http://h/b", "http://h/a"] { await store(StoredKey(name), in: disk) }
        await store(StoredKey("http://h/c"), in: makeStore())
        _ = await disk.trim(toBytes: .max)
        files.fail(.unlink, on: "/entries/", with: EACCES)
        await disk.remove(key)
        #expect(await disk.body(for: key) == nil)
        await disk.flush()
        #expect(await disk.body(for: key) == nil)
        #expect(await !disk.contains(key))
        #expect(failures.values.map(\.operation) == [.remove])
    }

    @Test func clearingDuringWrites_leavesWholeCountedEntries() async throws {
        let (first, second) = (makeStore(), makeStore())
        let body = body
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 0..<300 {
                    await first.store(body, for: StoredKey("http://h/\(number)"), begun: first.ticket())
                }
                await first.flush()
            }
            group.addTask { for _ in 0..<30 { await second.removeAll() } }
        }
        for disk in [first, second] {
            await store(key, in: disk)
            _ = await disk.trim(toBytes: .max)
        }
        let files = try temporary.names(in: "cache/entries").count
        let fresh = makeStore()
        for disk in [first, second, fresh] { #expect(await disk.statistics.entryCount == files) }
        #expect(await fresh.verify().wholeCount == files)
        #expect(failures.values.isEmpty, "\(failures.values.prefix(3))")
    }

    // MARK: The end

    @Test func droppedStores_releaseEverything() async {
        // In a process of their own, where nobody else opens files and begins threads.
        await #expect(processExitsWith: .success) {
            let temporary = try TemporaryDirectory()
            func open() throws -> (files: Int, threads: Int) {
                let names = try ["fd", "task"].map {
                    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/\($0)")
                }
                return (names[0].count, names[1].count)
            }
            var before = try open()
            for number in 0..<200 {
                // By then, what the process has of its own is there.
                if number == 50 { before = try open() }
                let store = DiskStore(directory: temporary.path + "/cache", byteLimit: 1 << 20)
                let key = StoredKey("http://h/\(number % 7)")
                await store.store(Data("some bytes".utf8), for: key, begun: store.ticket())
                await store.flush()
                #expect(await store.body(for: key) != nil)
            }
            // Each of 150 would keep two files and two threads.
            while case let now = try open(), now.files > before.files + 60 || now.threads > before.threads + 60 {
                await Task.yield()
            }
        }
    }
}
