import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization

/// Images in memory.
enum MemoryCases {
    static let all: [BenchCase] = [
        .timed(
            "memory/hit-sync", target: 2, ours: { try await synchronousHits() },
            baseline: .init("the bare table and a prehash") { try bareHits() }),
        .timed(
            "memory/hit-request", ours: { try await requestHits() },
            baseline: .init("the bare table and a prehash") { try bareHits() }),
        .timed(
            "memory/hit-sized", ours: { try await requestHits(size: PixelSize(width: 200, height: 200)) },
            baseline: .init("the bare table and a prehash") { try bareHits() }),
        awaited(tasks: 1), awaited(tasks: 2), awaited(tasks: 4),
        .timed(
            "memory/store-1k", target: 1.2, ours: { try await stores() },
            baseline: .init("an actor with an LRU list") { try await actorStores() }),
        other("nscache") { foundationHits() },
        other("actor") { try await actorHits() },
        other("lru") { listHits(.lru) },
        other("clock") { listHits(.clock) },
    ]

    private static let entries = 1_000

    private static func awaited(tasks: Int) -> BenchCase {
        .timed(
            "memory/hit-await-\(tasks)task\(tasks == 1 ? "" : "s")", target: 4,
            ours: { try await awaitedHits(tasks: tasks) },
            baseline: .init("Mutex<Dictionary>") { MutexDictionary.lookUps(entries: entries) })
    }

    /// The look-up times of other caches, relative to the loader's synchronous hit. Alcedo takes a URL, the other
    /// caches a prebuilt key.
    private static func other(_ name: String, _ setUp: @escaping Workload.SetUp) -> BenchCase {
        .timed(
            "memory/others-\(name)", ours: setUp,
            baseline: .init("cachedImage(for:) of Alcedo") { try await synchronousHits() })
    }

    private static func urls() throws -> [URL] {
        try (0..<entries).map { try Scripted.url("photos/\($0)/large.jpg?width=1080&format=auto") }
    }

    private static func filledLoader(_ urls: [URL]) async throws -> ImageLoader {
        let loader = Scripted.loader()
        for url in urls { _ = try await loader.image(for: url) }
        return loader
    }

    // MARK: Hits

    private static func synchronousHits() async throws -> Workload {
        let urls = try urls()
        let loader = try await filledLoader(urls)
        let draws = UniformDraws(from: urls, seed: 2)
        return Workload { iterations in
            for index in 0..<iterations { blackHole(loader.cachedImage(for: draws[index])) }
        }
    }

    /// The same for requests that were created before, with a size as views make them or without one.
    private static func requestHits(size: PixelSize? = nil) async throws -> Workload {
        let requests = try urls().map { url in
            var request = ImageRequest(url: url)
            request.targetSize = size
            return request
        }
        let loader = Scripted.loader()
        for request in requests { _ = try await loader.image(for: request) }
        let draws = UniformDraws(from: requests, seed: 2)
        return Workload { iterations in
            for index in 0..<iterations { blackHole(loader.cachedImage(for: draws[index])) }
        }
    }

    /// The minimum work of a look-up from a URL: hashing the text, and looking it up in a table.
    private static func bareHits() throws -> Workload {
        let urls = try urls()
        var table = EvictionTable<Key128, MutexDictionary.Value>(limits: EvictionLimits(cost: entries))
        var departures: [Departed<Key128, MutexDictionary.Value>] = []
        for (number, url) in urls.enumerated() {
            table.store(.init(number: number), cost: 1, for: key(url), into: &departures)
        }
        let state = Mutex(table)
        let draws = UniformDraws(from: urls, seed: 2)
        return Workload { iterations in
            state.withLock { table in
                for index in 0..<iterations { blackHole(table.lookUp(key(draws[index]), now: .zero)) }
            }
        }
    }

    private static func key(_ url: URL) -> Key128 {
        let prehash = FastHash.hash(url.absoluteString, seed: 1)
        return Key128(high: prehash, low: 0)
    }

    /// Calls `await image(for:)` with uniformly drawn URLs, all in memory, from `tasks` tasks.
    private static func awaitedHits(tasks: Int) async throws -> Workload {
        let urls = try urls()
        let loader = try await filledLoader(urls)
        // Each task has its own URLs: reference counts of shared ones would be contention caused by the harness.
        let draws = try (0..<tasks).map { UniformDraws(from: try self.urls(), seed: UInt64(2 + $0)) }
        if tasks == 1 {
            return Workload { iterations in
                for index in 0..<iterations { blackHole(try await loader.image(for: draws[0][index])) }
            }
        }
        return Workload { iterations in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, draws) in draws.enumerated() {
                    let share = iterations / tasks + (number < iterations % tasks ? 1 : 0)
                    group.addTask {
                        for index in 0..<share { blackHole(try await loader.image(for: draws[index])) }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    private static func foundationHits() -> Workload {
        let keys = Key128.keys(entries, seed: 1)
        let cache = FoundationCache(keys: keys)
        let draws = UniformDraws(from: keys, seed: 2)
        return Workload { iterations in
            for index in 0..<iterations { blackHole(cache.value(for: draws[index])) }
        }
    }

    private static func listHits(_ order: ListCache<Key128, MutexDictionary.Value>.Order) -> Workload {
        let keys = Key128.keys(entries, seed: 1)
        var cache = ListCache<Key128, MutexDictionary.Value>(order, limit: entries)
        for (number, key) in keys.enumerated() { cache.store(.init(number: number), cost: 1, for: key) }
        let state = Mutex(cache)
        let draws = UniformDraws(from: keys, seed: 2)
        return Workload { iterations in
            for index in 0..<iterations { blackHole(state.withLock { $0.lookUp(draws[index]) }) }
        }
    }

    private static func actorHits() async throws -> Workload {
        let (keys, entry) = (try keys(), try picture())
        let cache = PlainActorCache(limit: entries * entry.cost, now: TimeSource().now)
        let ticket = await cache.ticket()
        for key in keys { await cache.store(entry, for: key, begun: ticket) }
        let draws = UniformDraws(from: keys, seed: 2)
        return Workload { iterations in
            for index in 0..<iterations { blackHole(await cache.lookUp(draws[index])) }
        }
    }

    // MARK: Stores

    private static func keys(_ count: Int = entries) throws -> [ImageKey] {
        try (0..<count).map { ImageKey(ImageRequest(url: try Scripted.url("photos/\($0)/large.jpg?width=1080"))) }
    }

    private static func picture() throws -> MemoryEntry {
        MemoryEntry(DecodedImage(bitmap: try BitmapBuilder(size: PixelSize(width: 1, height: 1)).freeze()))
    }

    /// Stores unreferenced images into a full cache. Half of their keys are already present.
    private static func stores() async throws -> Workload {
        let keys = try keys(2 * entries)
        var settings = MemoryCache.Settings()
        settings.maximumBytes = entries * (try picture().cost)
        let cache = MemoryCache(valid: settings, now: TimeSource().now)
        let ticket = cache.ticket()
        for key in keys { await cache.store(try picture(), for: key, begun: ticket) }
        let draws = UniformDraws(from: keys, seed: 2)
        return Workload { iterations in
            for index in 0..<iterations { await cache.store(try picture(), for: draws[index], begun: ticket) }
        }
    }

    private static func actorStores() async throws -> Workload {
        let keys = try keys(2 * entries)
        let cache = PlainActorCache(limit: entries * (try picture().cost), now: TimeSource().now)
        let ticket = await cache.ticket()
        for key in keys { await cache.store(try picture(), for: key, begun: ticket) }
        let draws = UniformDraws(from: keys, seed: 2)
        return Workload { iterations in
            for index in 0..<iterations { await cache.store(try picture(), for: draws[index], begun: ticket) }
        }
    }
}
