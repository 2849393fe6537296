import Alcedo
import Foundation

// Several callers at the same time.

extension StoreTrial {
    private static let rounds = 40

    /// Calls `work` in Tasks that run at the same time. Throws the first error.
    private func atOnce(
        _ count: Int, _ work: @escaping @Sendable (Int) async throws(ImageLoaderError) -> Void
    ) async throws(ImageLoaderError) {
        let errors = await withTaskGroup(of: ImageLoaderError?.self) { group in
            for number in 0..<count {
                group.addTask {
                    do throws(ImageLoaderError) {
                        try await work(number)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for case let error? in errors { throw error }
    }

    /// Whether an entry is as it was stored, whichever version it has.
    private func isWhole(_ entry: StoredEntry) -> Bool {
        guard let version = entry.metadata.version.map({ Int($0) }) else { return false }
        return entry.body == body(version, count: count(version))
    }

    private func count(_ version: Int) -> Int { 1_000 * (version % 7 + 1) }

    private func storeSized(_ key: StoredKey, _ version: Int) async throws(ImageLoaderError) {
        try await store.store(StoredBody(body(version, count: count(version))), metadata(key, version))
    }

    func checkWriters(_ writers: Int) async throws(ImageLoaderError) {
        try await atOnce(writers) { [self] (writer) async throws(ImageLoaderError) in
            for round in 0..<Self.rounds {
                let (key, version) = (key(round % 3), writer * Self.rounds + round)
                switch round % 4 {
                case 3: try await store.store(nil, metadata(key, version - 3, tags: ["renewed"]))
                default: try await storeSized(key, version)
                }
                if let entry = try await find(key) {
                    expect(.concurrentWriters, isWhole(entry), "bytes and metadata of different entries")
                    expect(.concurrentWriters, entry.metadata.key == key, "an entry of another key")
                }
            }
        }
        await store.flush()
        for number in 0..<3 {
            let entry = try await find(key(number))
            expect(.concurrentWriters, entry.map { isWhole($0) } ?? false, "no whole entry after concurrent writes")
        }
    }

    func checkRemovedEntries(_ writers: Int) async throws(ImageLoaderError) {
        try await atOnce(writers) { [self] (writer) async throws(ImageLoaderError) in
            let (own, tag) = (key(100 + writer), "tag \(writer)")
            for round in 0..<Self.rounds {
                try await store.store(StoredBody(body(round)), metadata(own, round, tags: [tag]))
                try await store(key(writer % 3), round)
                expect(.removedEntries, try await isThere(own), "an entry is gone that wasn't removed")
                try await store.removeEntries(round.isMultiple(of: 2) ? .keys([own]) : .tag(tag))
                expect(.removedEntries, try await !isThere(own), "an entry is found after it was removed")
                try await store.store(nil, metadata(own, round))
                expect(.removedEntries, try await !isThere(own), "an entry is found again after it was removed")
            }
        }
        await store.flush()
        for writer in 0..<writers {
            expect(.removedEntries, try await !isThere(key(100 + writer)), "an entry is found again after a flush")
        }
    }

    func checkCancellation(_ writers: Int) async throws(ImageLoaderError) {
        for round in 0..<Self.rounds {
            await withTaskGroup(of: Void.self) { group in
                for writer in 0..<writers {
                    group.addTask {
                        do throws(ImageLoaderError) {
                            try await self.storeSized(self.key(round % 3), round * writers + writer)
                            _ = try await self.find(self.key(round % 3))
                        } catch {
                            self.expect(.cancellation, Task.isCancelled, "\(error)")
                        }
                    }
                }
                group.cancelAll()
            }
            if let entry = try await find(key(round % 3)) {
                expect(.cancellation, isWhole(entry), "a part of an entry is found after a cancelled call")
            }
        }
        try await store(key(5))
        expect(.cancellation, try await isThere(key(5)), "nothing can be stored after cancelled calls")
    }

    func checkLimit(_ maximumBytes: Int) async throws(ImageLoaderError) {
        let count = 20_000
        let number = 2 * maximumBytes / count + 1
        for entry in 0..<number {
            try await store.store(StoredBody(body(entry, count: count)), metadata(key(entry), nil))
        }
        await store.flush()
        var bytes = 0
        for entry in 0..<number { bytes += try await find(key(entry))?.body.count ?? 0 }
        expect(.limits, bytes <= maximumBytes, "\(bytes) bytes are stored")
        expect(.limits, bytes > 0, "nothing is stored when there is more than fits")
        let large = key(number)
        try await store.store(StoredBody(Data(count: maximumBytes + 1)), metadata(large, nil))
        await store.flush()
        expect(.limits, try await !isThere(large), "a body larger than the limit is stored")
    }
}
