import Alcedo
import Foundation
import Synchronization

/// Stores through the memory cache's public API, and the memory of an entry.
enum MemoryStoreCases {
    static let all: [BenchCase] = [
        store("memory/store-public-1k", entries: 1_000),
        store("memory/store-public-100k", entries: 100_000),
        // The targets are the sizes of an entry in Nuke's cache.
        heap("memory/entry-heap-1k", entries: 1_000, target: 209),
        heap("memory/entry-heap-100k", entries: 100_000, target: 218),
    ]

    private static func store(_ name: String, entries: Int) -> BenchCase {
        .timed(
            name, ours: { try await stores(entries: entries) },
            baseline: .init("a Mutex with an LRU list") { try listStores(entries: entries) })
    }

    private static func heap(_ name: String, entries: Int, target: Double) -> BenchCase {
        .counted(name, target: target, unit: .bytes) { try await heap(entries: entries) }
    }

    private struct Picture: Sendable {
        let key: ImageKey
        let image: DecodedImage
    }

    private static func pictures(_ count: Int) throws -> [Picture] {
        try Scripted.freshURLs(count).map { url in
            Picture(key: ImageKey(ImageRequest(url: url)), image: try Scripted.picture())
        }
    }

    private static func cache(entries: Int) throws -> MemoryCache {
        var settings = MemoryCache.Settings()
        settings.maximumBytes = 1 << 30
        settings.maximumCount = entries
        return try MemoryCache(settings)
    }

    /// Stores new images under new keys into a full cache. Each evicts an otherwise unreferenced image.
    private static func stores(entries: Int) async throws -> Workload {
        let cache = try cache(entries: entries)
        for picture in try pictures(entries) { await cache.store(picture.image, for: picture.key) }
        let next = Kept<[Picture]>()
        return Workload(prepare: { next.keep(try pictures($0)) }) { _ in
            var pictures = next.take() ?? []
            while let picture = pictures.popLast() { await cache.store(picture.image, for: picture.key) }
            guard cache.statistics.count == entries else { throw BenchError("\(cache.statistics.count) entries") }
        }
    }

    private static func listStores(entries: Int) throws -> Workload {
        let cache = Mutex(ListCache<ImageKey, DecodedImage>(.lru, limit: entries))
        for picture in try pictures(entries) { cache.withLock { $0.store(picture.image, cost: 1, for: picture.key) } }
        let next = Kept<[Picture]>()
        return Workload(prepare: { next.keep(try pictures($0)) }) { _ in
            var pictures = next.take() ?? []
            while let picture = pictures.popLast() {
                cache.withLock { $0.store(picture.image, cost: 1, for: picture.key) }
            }
        }
    }

    /// The memory of an entry besides its key and its image, which exist before and afterwards.
    private static func heap(entries: Int) async throws -> Measurement {
        let pictures = try pictures(entries)
        let cache = try cache(entries: entries)
        let bytes = try await HeapGrowth.bytes {
            // The stores run on the pool, because libdispatch would keep a record for each switch from the main actor.
            await Task.detached { for picture in pictures { await cache.store(picture.image, for: picture.key) } }.value
        }
        guard cache.statistics.count == entries else { throw BenchError("\(cache.statistics.count) entries") }
        blackHole(pictures)
        return Measurement(ours: [bytes / Double(entries)], isCounted: true)
    }
}
