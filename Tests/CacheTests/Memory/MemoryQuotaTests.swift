import AlcedoTestSupport
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

/// What goes first when there is too much, and what asking changes.
@Suite struct MemoryQuotaTests {
    private func cache(_ costLimit: Int) -> MemoryCache {
        var settings = MemoryCache.Settings()
        settings.maximumBytes = costLimit
        return MemoryCache(valid: settings)
    }

    @Test func imageAboveNewLimits_doesNotEvictOthers() async throws {
        let cache = cache(100_000)
        let large = MemoryPicture.key("large")
        await cache.store(MemoryEntry(try MemoryPicture.make(100)), for: large, begun: cache.ticket())
        for _ in 0..<40 { _ = cache.find(large) }
        for number in 0..<50 {
            let key = MemoryPicture.key("\(number)")
            await cache.store(MemoryEntry(try MemoryPicture.make()), for: key, begun: cache.ticket())
        }
        var settings = MemoryCache.Settings()
        settings.maximumBytes = 39_000
        try await cache.change(to: settings)
        check([cache.statistics.count, cache.statistics.byteCount], [50, 20_000])
    }

    /// Ten pictures whose time is over, used often before, and ten others.
    private func half(
        _ clock: ManualClock
    ) async throws -> (MemoryCache, live: [ImageKey]) {
        let start = clock.now
        let cache = MemoryCache(valid: MemoryCache.Settings(), now: { start.duration(to: clock.now) })
        let keys = (0..<20).map { MemoryPicture.key("\($0)") }
        for (number, key) in keys.enumerated() {
            let lifetime: Duration? = number < 10 ? .seconds(5) : nil
            await cache.store(
                MemoryEntry(try MemoryPicture.make()), for: key, timeToLive: lifetime, begun: cache.ticket())
        }
        for key in keys.prefix(10) { for _ in 0..<40 { _ = cache.find(key) } }
        clock.advance(by: .seconds(5))
        return (cache, Array(keys.suffix(10)))
    }

    @Test func expiredEntries_areEvictedFirst() async throws {
        let halves: [(MemoryCache) async throws -> Void] = [
            { await $0.trim(toBytes: 4_000) }, { await $0.trim(toFraction: 0.999) },
            {
                var settings = MemoryCache.Settings()
                settings.maximumBytes = 4_000
                try await $0.change(to: settings)
            },
        ]
        for (number, halve) in halves.enumerated() {
            let (cache, live) = try await half(ManualClock())
            try await halve(cache)
            #expect(live.count { cache.find($0) != nil } == (number == 1 ? 9 : 10))
            #expect(cache.statistics.evictions.byExpiry == 10)
        }
        let (cache, live) = try await half(ManualClock())
        #expect(await cache.removeAll { _, _ in true } == live.count)
    }

    @Test func clockSetBack_doesNotProlongNewEntries() async throws {
        let now = Mutex(Duration.seconds(1_000_000))
        let cache = MemoryCache(
            valid: MemoryCache.Settings(), now: { now.withLock { $0 } })
        func store(_ name: String, _ lifetime: Duration?) async throws {
            await cache.store(
                MemoryEntry(try MemoryPicture.make()), for: MemoryPicture.key(name), timeToLive: lifetime,
                begun: cache.ticket())
        }
        try await store("a", .seconds(1))
        now.withLock { $0 = .seconds(1_000_001) }
        try await store("b", nil)
        #expect(cache.statistics.count == 1)
        now.withLock { $0 = .zero }
        try await store("c", .seconds(1))
        now.withLock { $0 = .seconds(2) }
        try await store("d", nil)
        #expect(cache.statistics.count == 2)
    }

    @Test func contains_isNotCountedAsLookUp() async throws {
        let cache = cache(1 << 20)
        let (key, larger) = (MemoryPicture.key("a", 8), MemoryPicture.key("a", 16, 16))
        #expect(!cache.contains(key, largerServes: true))
        let used = try MemoryPicture.make()
        await cache.store(MemoryEntry(used), for: larger, begun: cache.ticket())
        for isReleased in [false, true] {
            if isReleased { await cache.trim(toBytes: 0) }
            #expect(cache.contains(larger, largerServes: false))
            #expect(cache.contains(key, largerServes: true) && !cache.contains(key, largerServes: false))
        }
        #expect(cache.statistics.hits == 0 && cache.statistics.misses == 0)
        // Larger, in use, and let go: it serves as it did before.
        #expect(cache.find(key, largerServes: true)?.image.bitmap === used.bitmap)
        #expect(cache.statistics.hits == 1 && cache.statistics.misses == 0)
        withExtendedLifetime(used) {}
    }
}
