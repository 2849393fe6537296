import Alcedo
import AlcedoTestSupport
import Foundation

/// The disk store with single entries.
enum DiskCases {
    static let all: [BenchCase] = [
        read("disk/read-10k", bytes: 10_000),
        read("disk/read-200k", bytes: 200_000),
        write("disk/write-10k", bytes: 10_000),
        write("disk/write-200k", bytes: 200_000),
        .timed(
            "disk/write-evict-10k", target: 1.5, ours: { try await writes(bytes: 10_000, atLimit: true) },
            baseline: .init("create + write + rename + unlink") {
                try BareFileWrite.writesAndRemovals(bytes: 10_000, files: entries)
            }),
        .timed(
            "disk/hit-10k", target: 1.8, ours: { try await hits(bytes: 10_000) },
            baseline: .init("open + fstat + read + close") { try BareFileRead.reads(bytes: 10_000) }),
        .timed(
            "disk/hit-10k-64", target: 1.2, operationsPerCall: readers * hitsEach,
            ours: { try await hitsAtOnce(bytes: 10_000) }, baseline: bareReadsAtOnce),
        .timed(
            "disk/hit-10k-seam", target: 1.05, ours: { try await hits(bytes: 10_000) { $0 } }, baseline: directHits),
        // For information: such a store is asked through the checks for stores of a program.
        .timed(
            "disk/hit-10k-wrapped", ours: { try await hits(bytes: 10_000) { WrappedStore($0) } }, baseline: directHits),
        .counted(
            "disk/store-cpu-10k", target: 2, baselineName: "create + write + rename", unit: .nanoseconds,
            count: { try await processorTimeOfWrites(bytes: 10_000) }),
    ]

    private static let bareReadsAtOnce = TimedCase.Baseline("open + fstat + read + close") {
        let bare = try BareFileRead.reads(bytes: 10_000)
        return Workload(tearDown: bare.tearDown) { try await bare.run($0 * readers * hitsEach) }
    }

    private static let directHits = TimedCase.Baseline("a disk cache asked directly") {
        try await hits(bytes: 10_000)
    }

    private static let readers = 64
    private static let hitsEach = 20
    private static let entries = 256

    private static func key(_ number: Int) -> StoredKey { StoredKey("http://host.test/\(number)") }

    private static func store(_ directory: TemporaryDirectory, byteLimit: Int = 1 << 30) -> DiskStore {
        DiskStore(valid: .bare(directory.file("cache"), byteLimit: byteLimit), onEvent: printFailure)
    }

    /// Prints failures only, because evictions are part of the measurement.
    static func printFailure(_ event: DiskStore.Event) {
        if case .failed(let failure) = event { printError("\(failure)") }
    }

    // MARK: Files

    private static func read(_ name: String, bytes: Int) -> BenchCase {
        .timed(
            name, target: 1.5, ours: { try await reads(bytes: bytes) },
            baseline: .init("open + fstat + read + close") { try BareFileRead.reads(bytes: bytes) })
    }

    /// Reads and verifies entry files, on the calling thread.
    private static func reads(bytes: Int, entries: Int = 16) async throws -> Workload {
        let directory = try TemporaryDirectory()
        let store = store(directory)
        let keys = (0..<entries).map(key)
        try await fill(store, keys, bytes: bytes)
        let files = FileSystem()
        let paths = keys.map { ($0, directory.file("cache/entries/") + $0.name.text) }
        let draws = UniformDraws(from: paths, seed: 2)
        return Workload(tearDown: { directory.remove() }) { iterations in
            for index in 0..<iterations {
                let (key, path) = draws[index]
                blackHole(try EntryFile.contents(of: files.read(path, byteLimit: 1 << 30), key: key).body)
            }
        }
    }

    private static func fill(_ store: DiskStore, _ keys: [StoredKey], bytes: Int) async throws {
        let body = Data(BareFileRead.randomBytes(bytes, seed: 1))
        for key in keys {
            await store.store(body, EntryMetadata(source: key.source), for: key, begun: store.ticket())
            // The backlog of writes is limited.
            await store.flush()
        }
    }

    private static func write(_ name: String, bytes: Int) -> BenchCase {
        .timed(
            name, target: 1.5, ours: { try await writes(bytes: bytes) },
            baseline: .init("create + write + rename") { try BareFileWrite.writes(bytes: bytes, files: entries) })
    }

    /// Stores entries and waits until they are on disk: 256 keys in turn, or new ones that replace the oldest of 256.
    private static func writes(bytes: Int, atLimit: Bool = false) async throws -> Workload {
        let directory = try TemporaryDirectory()
        let store = store(directory, byteLimit: atLimit ? entries * 12_288 : 1 << 30)
        let body = Data(BareFileRead.randomBytes(bytes, seed: 1))
        let keys = (0..<(atLimit ? 100_000 : entries)).map(key)
        let metadata = EntryMetadata(source: "http://host.test/")
        try await fill(store, Array(keys.prefix(entries)), bytes: bytes)
        let turn = Turn()
        return Workload(tearDown: { directory.remove() }) { iterations in
            for index in 0..<iterations {
                let key = keys[turn.next() % keys.count]
                await store.store(body, metadata, for: key, begun: store.ticket())
                if index % 64 == 63 { await store.flush() }
            }
            await store.flush()
        }
    }

    /// The processor time of stores, on all threads, compared with that of the bare writes.
    private static func processorTimeOfWrites(bytes: Int) async throws -> Measurement {
        let ours = try await writes(bytes: bytes)
        let bare = try BareFileWrite.writes(bytes: bytes, files: entries)
        func time(_ workload: Workload) async throws -> Double {
            let start = try Platform.processorNanoseconds()
            try await workload.run(entries)
            return Double(try Platform.processorNanoseconds() - start) / Double(entries)
        }
        var measurement = Measurement()
        for round in 0...20 {
            let first = try await time(round.isMultiple(of: 2) ? ours : bare)
            let second = try await time(round.isMultiple(of: 2) ? bare : ours)
            // The first round warms up.
            guard round > 0 else { continue }
            measurement.ours.append(round.isMultiple(of: 2) ? first : second)
            measurement.baseline.append(round.isMultiple(of: 2) ? second : first)
        }
        await ours.tearDown()
        await bare.tearDown()
        return measurement
    }

    // MARK: Hits

    /// Sequential reads through the actor, of entries in the system's page cache.
    private static func hits(bytes: Int, entries: Int = 16) async throws -> Workload {
        let directory = try TemporaryDirectory()
        let store = store(directory)
        let keys = (0..<entries).map(key)
        try await fill(store, keys, bytes: bytes)
        let draws = UniformDraws(from: keys, seed: 2)
        return Workload(tearDown: { directory.remove() }) { iterations in
            for index in 0..<iterations { blackHole(await store.entry(for: draws[index])?.body) }
        }
    }

    /// The same, through the tier of a loader.
    private static func hits(
        bytes: Int, entries: Int = 16, through wrap: @escaping @Sendable (DiskStore) -> any ImageStore
    ) async throws -> Workload {
        let directory = try TemporaryDirectory()
        let store = store(directory)
        let tier = try StoredTier(wrap(store))
        let keys = (0..<entries).map(key)
        try await fill(store, keys, bytes: bytes)
        let draws = UniformDraws(from: keys, seed: 2)
        return Workload(tearDown: { directory.remove() }) { iterations in
            for index in 0..<iterations { blackHole(await tier.entry(for: draws[index])?.body) }
        }
    }

    /// Reads from 64 concurrent Tasks, with as many entries.
    private static func hitsAtOnce(bytes: Int) async throws -> Workload {
        let directory = try TemporaryDirectory()
        let store = store(directory)
        let keys = (0..<readers).map(key)
        try await fill(store, keys, bytes: bytes)
        return Workload(tearDown: { directory.remove() }) { iterations in
            for _ in 0..<iterations {
                await withTaskGroup(of: Void.self) { group in
                    for key in keys {
                        group.addTask {
                            for _ in 0..<hitsEach { blackHole(await store.entry(for: key)?.body) }
                        }
                    }
                }
            }
        }
    }
}
