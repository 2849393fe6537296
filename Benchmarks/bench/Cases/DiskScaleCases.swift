import Alcedo
import AlcedoTestSupport
import CAllocationCounter
import Foundation

/// The disk store with 100,000 entries.
enum DiskScaleCases {
    static let all: [BenchCase] = [
        .timed(
            "disk/open-100k-first", target: 20_000_000, iterationsPerSample: 1,
            ours: { try await openings(readsAll: false) }),
        .timed(
            "disk/open-100k", target: 300_000_000, iterationsPerSample: 1,
            ours: { try await openings(readsAll: true) }),
        .timed(
            "disk/open-100k-files", target: 2, iterationsPerSample: 1, ours: { try await openingsFromFiles() },
            baseline: .init("readdir + fstatat") { try await bareListings() }),
        .timed(
            "disk/sweep-100k", target: 1.5, iterationsPerSample: 1, ours: { try await sweeps() },
            baseline: .init("readdir + fstatat") { try await bareListings() }),
        .counted("disk/read-p99-while-evicting", target: 5_000_000, unit: .nanoseconds) {
            try await readsWhileEvicting()
        },
        .counted("disk/index-entry", target: 120, unit: .bytes) { try indexBytes() },
    ]

    static let count = 100_000

    // MARK: Directories

    private static func key(_ number: Int) -> StoredKey { StoredKey("http://host.test/pictures/\(number).jpg") }

    private static func makeStore(_ directory: TemporaryDirectory) -> DiskStore {
        DiskStore(valid: .bare(directory.file("cache"), byteLimit: .max), onEvent: DiskCases.printFailure)
    }

    /// A directory of small entries, with the index file of a closed store.
    private static func filled() async throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        let entries = directory.file("cache/entries")
        try FileManager.default.createDirectory(atPath: entries, withIntermediateDirectories: true)
        let body = Data(BareFileRead.randomBytes(200, seed: 1))
        for number in 0..<count {
            let key = key(number)
            let metadata = EntryMetadata(source: key.source).encoded
            guard let tail = EntryFile.tail(of: body, key: key, metadata: metadata) else { continue }
            let file = open(entries + "/" + key.name.text, O_WRONLY | O_CREAT | O_EXCL, 0o600)
            guard file >= 0 else { throw SystemError.last("open") }
            defer { close(file) }
            let bytes = body + tail
            guard bytes.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) == bytes.count else {
                throw SystemError.last("write")
            }
        }
        let store = makeStore(directory)
        guard await store.statistics.entryCount == count else { throw BenchError("the entries were not found") }
        await store.readUnread()
        await store.flush()
        return directory
    }

    // MARK: Opening

    /// Opens a store and requests an entry, or waits until the whole index is loaded.
    private static func openings(readsAll: Bool) async throws -> Workload {
        let directory = try await filled()
        let stores = Kept<DiskStore>()
        return Workload(
            prepare: { _ in
                // The previous store is closed before the clock runs.
                await stores.take()?.flush()
            },
            tearDown: {
                _ = stores.take()
                directory.remove()
            },
            run: { iterations in
                for number in 0..<iterations {
                    let store = makeStore(directory)
                    if readsAll {
                        guard await store.statistics.entryCount == count else {
                            throw BenchError("entries are missing")
                        }
                    } else {
                        guard await store.entry(for: key(number)) != nil else {
                            throw BenchError("an entry is missing")
                        }
                    }
                    stores.keep(store)
                }
            })
    }

    private static func openingsFromFiles() async throws -> Workload {
        let directory = try await filled()
        let stores = Kept<DiskStore>()
        return Workload(
            prepare: { _ in
                await stores.take()?.flush()
                _ = unlink(directory.file("cache/index"))
            },
            tearDown: {
                _ = stores.take()
                directory.remove()
            },
            run: { iterations in
                for _ in 0..<iterations {
                    let store = makeStore(directory)
                    guard await store.statistics.entryCount == count else { throw BenchError("entries are missing") }
                    stores.keep(store)
                }
            })
    }

    private static func sweeps() async throws -> Workload {
        let directory = try await filled()
        let store = makeStore(directory)
        _ = await store.statistics
        return Workload(tearDown: { directory.remove() }) { iterations in
            for _ in 0..<iterations { await store.sweep() }
        }
    }

    /// Reads the names and the status of the same files with the C functions.
    private static func bareListings() async throws -> Workload {
        let directory = try await filled()
        let path = directory.file("cache/entries")
        return Workload(tearDown: { directory.remove() }) { iterations in
            for _ in 0..<iterations {
                guard let stream = opendir(path) else { throw SystemError.last("opendir") }
                defer { closedir(stream) }
                let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
                var bytes = 0
                while let found = readdir(stream) {
                    let name = UnsafeRawPointer(found).advanced(by: offset).assumingMemoryBound(to: CChar.self)
                    var status = stat()
                    guard fstatat(dirfd(stream), name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
                        throw SystemError.last("fstatat")
                    }
                    bytes += Int(status.st_size)
                }
                blackHole(bytes)
            }
        }
    }

    // MARK: Evicting

    /// The 99th percentile of the reads while half of the entries are evicted.
    private static func readsWhileEvicting() async throws -> Measurement {
        let directory = try await filled()
        defer { directory.remove() }
        let store = makeStore(directory)
        let bytes = await store.statistics.byteCount
        // The second half is used last, so it isn't evicted.
        for number in count / 2..<count { _ = await store.entry(for: key(number)) }
        let evicting = Task { await store.trim(toBytes: bytes / 2).count }
        let isOver = Flag()
        let watch = Task {
            let evicted = await evicting.value
            isOver.raise()
            return evicted
        }
        var latencies: [Double] = []
        var draws = SeededRandom(seed: 3)
        while !isOver.isRaised {
            let key = key(Int.random(in: count / 2..<count, using: &draws))
            let start = ContinuousClock.now
            guard await store.entry(for: key) != nil else { throw BenchError("an entry is missing") }
            latencies.append(Double((ContinuousClock.now - start) / .nanoseconds(1)))
        }
        guard await watch.value >= count / 2 - 1 else { throw BenchError("not half of the entries were evicted") }
        latencies.sort()
        return Measurement(ours: [latencies[latencies.count * 99 / 100]], isCounted: true)
    }

    /// The memory of the index per entry, in bytes.
    private static func indexBytes() throws -> Measurement {
        var index = DiskIndex(limits: DiskIndex.Limits(bytes: .max))
        _ = index.complete(with: nil, by: 0, at: 0)
        let before = Int(allocated_bytes())
        for number in 0..<count {
            _ = index.insert(key(number).name, bytes: 4_096, at: 1)
            index.settle(order: index.makeOrder())
        }
        let after = Int(allocated_bytes())
        blackHole(index.count)
        return Measurement(ours: [Double(after - before) / Double(count)], isCounted: true)
    }
}
