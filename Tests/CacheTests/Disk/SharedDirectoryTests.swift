import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Several stores on one directory, of one process and of several.
@Suite(.timeLimit(.minutes(3))) struct SharedDirectoryTests {
    private let temporary: TemporaryDirectory
    private let failures = Recorder<CacheFailure>()
    static let byteLimit = 40 * 4096

    init() throws { temporary = try TemporaryDirectory() }

    private func makeStore(byteLimit: Int = byteLimit) -> DiskStore {
        DiskStore(directory: temporary.path + "/cache", byteLimit: byteLimit) { [failures] in failures.record($0) }
    }

    private func allocated() throws -> Int {
        try temporary.names(in: "cache/entries").reduce(0) { sum, name in
            var status = stat()
            return stat(temporary.file("cache/entries/" + name), &status) == 0 ? sum + Int(status.st_blocks) * 512 : sum
        }
    }

    static func key(_ number: Int) -> StoredKey { StoredKey("http://h/\(number)") }

    /// Bytes that tell their key.
    static func body(_ key: Int, _ length: Int) -> Data {
        Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* (key + 3) &+ key) })
    }

    static func store(_ key: Int, _ length: Int, in store: DiskStore) async {
        await store.store(body(key, length), for: Self.key(key), begun: store.ticket())
    }

    // MARK: One process

    @Test func store_seesChangesOfAnother() async throws {
        let (first, second) = (makeStore(), makeStore())
        await Self.store(0, 100, in: first)
        await first.flush()
        #expect(await second.body(for: Self.key(0)) == Self.body(0, 100))
        // It has looked at the directory, and hears of what comes later when it has something to say itself.
        await Self.store(1, 100, in: first)
        await first.flush()
        await Self.store(2, 100, in: second)
        await second.flush()
        #expect(await second.body(for: Self.key(1)) == Self.body(1, 100))
        await first.remove(Self.key(1))
        #expect(await second.body(for: Self.key(1)) == nil)
        #expect(failures.values.isEmpty)
    }

    /// A store that has not yet heard of the new entry must not remove its file as that of the old one.
    @Test func expiredEntry_thatAnotherStoreHasReplaced_stays() async throws {
        let clock = ManualClock()
        let seconds = Recorder<Int64>()
        seconds.record(1_000_000)
        let stores = (0..<2).map { _ in
            DiskStore(
                valid: .bare(temporary.file("cache"), byteLimit: Self.byteLimit),
                time: TimeSource(clock) { seconds.values.last ?? 0 }, onEvent: { [failures] in failures.record($0) })
        }
        let (first, second) = (stores[0], stores[1])
        func store(_ length: Int, expires: Int64?) async {
            await second.store(
                Self.body(0, length), EntryMetadata(source: Self.key(0).source), for: Self.key(0), expires: expires,
                begun: second.ticket())
            await second.flush()
        }
        await store(100, expires: 1_000_050)
        await Self.store(1, 100, in: first)
        await first.flush()
        await first.caughtUp()
        seconds.record(1_000_060)
        await store(9_000, expires: nil)
        // The first store looks for expired entries a second after it has stored one.
        try await clock.sleeper(until: .init(offset: .seconds(1)))
        clock.advance(by: .seconds(1))
        while await first.statistics.expired == 0, !Task.isCancelled { await Task.yield() }
        await first.flush()
        #expect(await second.body(for: Self.key(0)) == Self.body(0, 9_000))
        #expect(await first.body(for: Self.key(0)) == Self.body(0, 9_000))
        await first.caughtUp()
        let counted = await first.statistics.byteCount
        #expect(try counted >= allocated())
        #expect(failures.values.isEmpty)
    }

    @Test func limit_appliesToAllStoresTogether() async throws {
        let stores = (0..<3).map { _ in makeStore() }
        for number in 0..<120 { await Self.store(number, 3_000, in: stores[number % 3]) }
        for store in stores { await store.flush() }
        // Whoever writes last has heard of all the others.
        await Self.store(500, 10, in: stores[0])
        await stores[0].flush()
        #expect(try allocated() <= Self.byteLimit)
        #expect(await stores[0].body(for: Self.key(500)) == Self.body(500, 10))
        #expect(failures.values.isEmpty)
    }

    @Test func eviction_isOrdered_acrossStores() async throws {
        let (first, second) = (makeStore(), makeStore())
        await Self.store(0, 10, in: first)
        await first.flush()
        for number in 1...60 { await Self.store(number, 10, in: second) }
        await second.flush()
        // Hears of all that only as it writes.
        await Self.store(61, 10, in: first)
        await first.flush()
        #expect(await first.body(for: Self.key(61)) == Self.body(61, 10))
        #expect(await first.body(for: Self.key(60)) == Self.body(60, 10))
        #expect(try allocated() <= Self.byteLimit)
    }

    @Test func limit_holds_afterEachFlush() async throws {
        let stores = (0..<3).map { _ in makeStore() }
        var draws = SeededRandom(seed: 7)
        for number in 0..<200 {
            let store = stores[Int.random(in: 0..<3, using: &draws)]
            await Self.store(number, Int.random(in: 0..<9_000, using: &draws), in: store)
            await store.flush()
            try must(allocated() <= Self.byteLimit, "entry \(number)")
        }
        #expect(try allocated() > Self.byteLimit - 4 * 4096)
        #expect(failures.values.isEmpty)
    }

    @Test func removeAll_affectsAllStores() async throws {
        let (first, second) = (makeStore(), makeStore())
        for number in 0..<10 { await Self.store(number, 100, in: first) }
        await first.flush()
        #expect(await second.body(for: Self.key(3)) != nil)
        await first.removeAll()
        for number in 0..<10 { #expect(await second.body(for: Self.key(number)) == nil) }
        await Self.store(20, 100, in: second)
        await second.flush()
        #expect(try temporary.names(in: "cache/entries") == [Self.key(20).name.text])
        let third = makeStore()
        #expect(await third.body(for: Self.key(20)) == Self.body(20, 100))
        #expect(await third.statistics.entryCount == 1)
        #expect(failures.values.isEmpty)
    }

    @Test func newIndexFile_isAdopted_byOtherStores() async throws {
        let (first, second) = (makeStore(byteLimit: 1 << 30), makeStore(byteLimit: 1 << 30))
        for number in 0..<50 { await Self.store(number, 10, in: first) }
        await first.flush()
        _ = await second.statistics
        // A third store that does not trust the file writes it anew.
        try Data("no index file".utf8).write(to: temporary.url.appendingPathComponent("cache/index"))
        let third = makeStore(byteLimit: 1 << 30)
        #expect(await third.statistics.entryCount == 50)
        await third.flush()
        for store in [first, second] {
            await Self.store(60, 10, in: store)
            await store.flush()
            #expect(await store.statistics.entryCount == 51)
            for number in 0..<50 { #expect(await store.body(for: Self.key(number)) == Self.body(number, 10)) }
        }
        #expect(failures.values.isEmpty)
    }

    /// What a store has read of a file isn't recorded any more when another one has replaced the file.
    @Test func readTags_areNotRecorded_ofAReplacedFile() async throws {
        let cache = try DiskFixture()
        let other = DiskStore(directory: cache.path, byteLimit: 1 << 20)
        await cache.store(cache.key, in: other, tags: ["old"])
        try cache.removeIndex()
        let gate = ThreadGate()
        cache.files.hold(.close, on: "/entries/", at: gate, after: true)
        let disk = cache.makeStore()
        let removal = Task { await disk.remove(.tag("none")) }
        // It has read the end of the file.
        await gate.arrivals(1)
        var metadata = EntryMetadata(source: cache.key.source)
        metadata.tags = ["new"]
        await other.store(Data(count: 50_000), metadata, for: cache.key, begun: other.ticket())
        await other.flush()
        gate.open()
        _ = await removal.value
        await disk.settle()
        let third = DiskStore(directory: cache.path, byteLimit: 1 << 20)
        #expect(await third.statistics.byteCount > 50_000)
        for disk in [disk, third] { #expect(await disk.remove(.tag("old")).isEmpty) }
        #expect(await disk.statistics.byteCount > 50_000)
        #expect(await third.remove(.tag("new")).count == 1)
        #expect(cache.failures.values.isEmpty)
    }

    // MARK: Several processes

    /// How many keys the processes share, more than there is room for.
    private static let hammered = 300
    private static let hammeredLimit = 100 * 4096
    /// Steps from one flush to the next, and bytes of the largest entry.
    private static let batch = 4
    private static let largest = 3 * 4096

    @Test func concurrentProcesses_leaveWholeEntries_andKeepLimit() async throws {
        let path = temporary.path + "/cache"
        async let first: Void = hammer(path, seed: 1)
        async let second: Void = hammer(path, seed: 2)
        let store = makeStore(byteLimit: Self.hammeredLimit)
        await store.opened()
        let observer = WorkerThreads("test.observe", count: 1)
        var most = 0
        await Self.hammer(store, seed: 3, steps: 600) {
            most = max(most, await observer.run { Self.allocated(in: path) })
        }
        _ = await (first, second)
        // Above the limit is no more than what the three write before they hear of each other: until they flush.
        #expect(most <= Self.hammeredLimit + 3 * Self.batch * Self.largest)
        #expect(most > Self.hammeredLimit / 2)
        // Who wrote last has heard of all the others.
        #expect(try allocated() <= Self.hammeredLimit)
        let verified = await store.verify()
        #expect(verified.damaged.isEmpty)
        #expect(failures.values.isEmpty)
        await Self.store(1_000, 10, in: store)
        await store.flush()
        let fresh = makeStore(byteLimit: Self.hammeredLimit)
        #expect(await fresh.body(for: Self.key(1_000)) == Self.body(1_000, 10))
        #expect(try allocated() <= Self.hammeredLimit)
        #expect(try temporary.names(in: "cache/temporary").isEmpty)
    }

    /// The sum of the files while nobody changes any; -1 when it can't be told.
    private static func allocated(in path: String) -> Int {
        let lock = open(path + "/lock", O_RDWR)
        defer { close(lock) }
        guard flock(lock, LOCK_EX) == 0 else { return -1 }
        var sum = 0
        do {
            try FileSystem().list(path + "/entries") { sum += $1.allocated }
            return sum
        } catch {
            return -1
        }
    }

    private func hammer(_ path: String, seed: UInt64) async {
        await #expect(processExitsWith: .success) { [path = path as String, seed = seed as UInt64] in
            let failures = Recorder<CacheFailure>()
            let store = DiskStore(directory: path, byteLimit: SharedDirectoryTests.hammeredLimit) {
                failures.record($0)
            }
            await SharedDirectoryTests.hammer(store, seed: seed, steps: 1_000) {}
            await store.flush()
            #expect(failures.values.isEmpty, "\(failures.values)")
        }
    }

    /// Stores, reads and removes entries of keys that others work on too.
    private static func hammer(
        _ store: DiskStore, seed: UInt64, steps: Int, afterEach: () async -> Void
    ) async {
        var draws = SeededRandom(seed: seed)
        for step in 0..<steps {
            let number = Int.random(in: 0..<hammered, using: &draws)
            switch Int.random(in: 0..<10, using: &draws) {
            case 0..<6: await Self.store(number, Int.random(in: 0..<9_000, using: &draws), in: store)
            case 6..<9:
                if let body = await store.body(for: key(number)) {
                    must(body == Self.body(number, body.count), "torn or another's")
                }
            default: await store.remove(key(number))
            }
            if step % batch == 0 { await store.flush() }
            await afterEach()
        }
    }
}
