import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct MemoryCacheTests {
    private func cache(_ change: (inout MemoryCache.Settings) -> Void) -> MemoryCache {
        var settings = MemoryCache.Settings()
        change(&settings)
        return MemoryCache(valid: settings)
    }

    /// Tasks that look up, on all cores, while the actor stores, evicts, trims and removes: each finds what was stored
    /// under its key or nothing, and none ever sees more than the limit.
    @Test func concurrentReaders_findTheirImageOrNone() async throws {
        let limit = 40 * 400
        let cache = cache { $0.maximumBytes = limit }
        let pictures = try (0..<200).map { try MemoryPicture.make(number: $0) }
        let keys = (0..<200).map { MemoryPicture.key("picture \($0)") }
        let isOver = Flag()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for reader in 0..<4 {
                group.addTask {
                    var random = SeededRandom(seed: UInt64(reader))
                    var hits = 0
                    while !isOver.isSet.load(ordering: .relaxed) {
                        let number = Int.random(in: 0..<keys.count, using: &random)
                        if let found = cache.find(keys[number]) {
                            must(MemoryPicture.number(found.image) == number, "the picture of another key")
                            hits += 1
                        }
                        must(cache.statistics.byteCount <= limit, "more than the limit")
                        await Task.yield()
                    }
                    return hits
                }
            }
            var random = SeededRandom(seed: 99)
            for step in 0..<3_000 {
                let number = Int.random(in: 0..<keys.count, using: &random)
                await cache.store(MemoryEntry(pictures[number]), for: keys[number], begun: cache.ticket())
                if step % 500 == 0 { await cache.trim(toFraction: 0.5) }
                if step % 300 == 0 { await cache.remove(keys[number].resource) }
                if step % 10 == 0 { await Task.yield() }
            }
            isOver.isSet.store(true, ordering: .relaxed)
            var hits = 0
            for try await found in group { hits += found }
            #expect(hits > 0)
        }
        #expect(await cache.brokenInvariant == nil)
    }

    /// Once a store or a removal has returned, no task on any core finds what was there before.
    @Test func change_isSeenOnAllCores_whenItHasReturned() async throws {
        let cache = cache { $0.maximumBytes = 1 << 20 }
        let keys = (0..<4).map { MemoryPicture.key("\($0)") }
        let pictures = try (0..<500).map { try MemoryPicture.make(number: $0) }
        let floors = Floors(count: keys.count)
        let isOver = Flag()
        await withTaskGroup(of: Int.self) { group in
            for reader in 0..<3 {
                group.addTask {
                    var (number, hits) = (reader, 0)
                    while !isOver.isSet.load(ordering: .relaxed) {
                        number = (number + 1) % keys.count
                        let floor = floors.least(number)
                        if let found = cache.find(keys[number]) {
                            must(MemoryPicture.number(found.image) >= floor, "an earlier picture")
                            hits += 1
                        }
                        if hits % 64 == 0 { await Task.yield() }
                    }
                    return hits
                }
            }
            for (step, picture) in pictures.enumerated() {
                let number = step % keys.count
                await cache.store(MemoryEntry(picture), for: keys[number], begun: cache.ticket())
                floors.raise(number, to: step)
                await Task.yield()
                if step % 3 == 0 {
                    await cache.remove(keys[number].resource)
                    floors.raise(number, to: step + 1)
                }
            }
            isOver.isSet.store(true, ordering: .relaxed)
            var hits = 0
            for await found in group { hits += found }
            #expect(hits > 0)
        }
        #expect(await cache.brokenInvariant == nil)
        withExtendedLifetime(pictures) {}
    }

    @Test(arguments: [0, -1, Int.min])
    func zeroLimit_cachesNothing(limit: Int) async throws {
        let caches = [
            cache { $0.maximumBytes = limit }, cache { $0.maximumCount = limit },
            cache { $0.maximumBytesPerImage = limit },
        ]
        for cache in caches {
            await cache.store(
                MemoryEntry(try MemoryPicture.make()), for: MemoryPicture.key("a"), begun: cache.ticket())
            #expect(cache.find(MemoryPicture.key("a")) == nil)
            #expect(await cache.brokenInvariant == nil)
        }
    }

    @Test func maximalLimits_neverOverflow() async throws {
        let cache = cache {
            $0.maximumBytes = .max
            $0.maximumCount = .max
            $0.maximumBytesPerImage = .max
            $0.timeToLive = .seconds(Int64.max)
        }
        for name in 0..<50 {
            await cache.store(
                MemoryEntry(try MemoryPicture.make()), for: MemoryPicture.key("\(name)"), begun: cache.ticket())
        }
        #expect(cache.statistics.count == 50)
        #expect(await cache.brokenInvariant == nil)
    }

    @Test(arguments: [(0.5, 10), (1, 20), (7, 20), (0, 0), (-1, 0), (.nan, 0), (.infinity, 20), (-.infinity, 0)])
    func trimming_leavesNearestFraction(fraction: Double, left: Int) async throws {
        let cache = cache { $0.maximumBytes = 1 << 20 }
        for name in 0..<20 {
            await cache.store(
                MemoryEntry(try MemoryPicture.make()), for: MemoryPicture.key("\(name)"), begun: cache.ticket())
        }
        await cache.trim(toFraction: fraction)
        #expect(cache.statistics.count == left)
    }

    @Test(arguments: [0, -1, .min]) func trimmingToNoBytes_evictsAll(bytes: Int) async throws {
        let cache = cache { $0.maximumBytes = 1 << 20 }
        for name in 0..<20 {
            await cache.store(
                MemoryEntry(try MemoryPicture.make()), for: MemoryPicture.key("\(name)"), begun: cache.ticket())
        }
        await cache.trim(toBytes: bytes)
        #expect(cache.statistics.count == 0 && cache.statistics.byteCount == 0)
    }

    @Test func leastUsed_areEvictedFirst_byShardUses() async throws {
        let cache = cache { $0.maximumBytes = 16 * 400 }
        let keys = (0..<16).map { MemoryPicture.key("\($0)") }
        for key in keys { await cache.store(MemoryEntry(try MemoryPicture.make()), for: key, begun: cache.ticket()) }
        // Of these the store knows, and of the others the shards.
        for key in keys { _ = cache.find(key) }
        for _ in 0..<40 { for key in keys.prefix(15) { _ = cache.find(key) } }
        await cache.store(
            MemoryEntry(try MemoryPicture.make()), for: MemoryPicture.key("new"), begun: cache.ticket())
        #expect(keys.map { cache.find($0) != nil } == Array(repeating: true, count: 15) + [false])
    }

    @Test func replacement_evictsNothing_whenItFits() async throws {
        let cache = cache { $0.maximumBytes = 2 * 400 }
        let keys = [MemoryPicture.key("a"), MemoryPicture.key("b")]
        for key in keys + keys {
            await cache.store(MemoryEntry(try MemoryPicture.make()), for: key, begun: cache.ticket())
        }
        #expect(cache.statistics.count == 2)
        #expect(cache.statistics.evictions.byCost == 0)
        #expect(cache.statistics.evictions.byReplacement == 2)
    }

    @Test func ticketBegunBeforeRemoval_isRejected_forItsResource() async throws {
        let cache = cache { $0.maximumBytes = 1 << 20 }
        let before = cache.ticket()
        await cache.remove(MemoryPicture.key("a").resource)
        let entry = MemoryEntry(try MemoryPicture.make())
        await cache.store(entry, for: MemoryPicture.key("a", 8), begun: before)
        await cache.store(entry, for: MemoryPicture.key("b"), begun: before)
        #expect(cache.find(MemoryPicture.key("a", 8)) == nil)
        #expect(cache.find(MemoryPicture.key("b")) != nil)
        _ = await cache.removeAll { _, _ in false }
        await cache.store(entry, for: MemoryPicture.key("c"), begun: before)
        #expect(cache.find(MemoryPicture.key("c")) == nil)
    }

    /// Pictures of 400 bytes in a cache that they fill, the first one with a time of its own; then another one.
    @Test func expiredImages_areEvictedFirst() async throws {
        let clock = ManualClock()
        let start = clock.now
        var settings = MemoryCache.Settings()
        settings.maximumBytes = 16 * 400
        let cache = MemoryCache(valid: settings, now: { start.duration(to: clock.now) })
        let keys = (0..<16).map { MemoryPicture.key("\($0)") }
        for (number, key) in keys.enumerated() {
            let lifetime = number == 0 ? Duration.seconds(5) : nil
            await cache.store(
                MemoryEntry(try MemoryPicture.make()), for: key, timeToLive: lifetime, begun: cache.ticket())
        }
        for _ in 0..<20 { _ = cache.find(keys[0]) }
        clock.advance(by: .seconds(6))
        await cache.store(
            MemoryEntry(try MemoryPicture.make()), for: MemoryPicture.key("new"), begun: cache.ticket())
        #expect(keys.map { cache.find($0) != nil } == [false] + Array(repeating: true, count: 15))
        #expect(cache.statistics.evictions.byExpiry == 1)
        #expect(await cache.brokenInvariant == nil)
    }

    @Test func expiredImages_areSwept_atMostOncePerInterval() async throws {
        let clock = ManualClock()
        let start = clock.now
        let cache = MemoryCache(valid: MemoryCache.Settings(), now: { start.duration(to: clock.now) })
        func store(_ name: String, _ lifetime: Duration? = nil) async throws -> Int {
            let entry = MemoryEntry(try MemoryPicture.make())
            await cache.store(entry, for: MemoryPicture.key(name), timeToLive: lifetime, begun: cache.ticket())
            return cache.statistics.count
        }
        for second in 1...10 { _ = try await store("\(second)", .milliseconds(100 * second)) }
        clock.advance(by: .milliseconds(550))
        #expect(try await store("new") == 6)
        clock.advance(by: .milliseconds(350))
        #expect(try await store("newer") == 7)
        clock.advance(by: .milliseconds(700))
        #expect(try await store("newest") == 3)
    }

    @Test func rejectedImage_evictsNothing() async throws {
        let cache = cache { $0.maximumBytes = 4 * 400 }
        let keys = (0..<4).map { MemoryPicture.key("\($0)") }
        for key in keys { await cache.store(MemoryEntry(try MemoryPicture.make()), for: key, begun: cache.ticket()) }
        let picture = try MemoryPicture.make()
        let new = MemoryPicture.key("new")
        await cache.store(MemoryEntry(picture), for: new, timeToLive: .zero, begun: cache.ticket())
        // As of one that was found, and removed before it could be kept again.
        await cache.keepAgain(new, picture)
        #expect(cache.statistics.count == 4)
    }

    @Test func replacement_replacesAllSizes_andIsNotUndone() async throws {
        let cache = cache { $0.maximumBytes = 1 << 20 }
        let old = MemoryEntry(try MemoryPicture.make(number: 1))
        await cache.store(old, for: MemoryPicture.key("a", 8), begun: cache.ticket())
        let before = cache.ticket()
        let key = MemoryPicture.key("a")
        await cache.replace(with: MemoryEntry(try MemoryPicture.make(number: 2)), for: key, timeToLive: nil)
        await cache.store(old, for: key, begun: before)
        #expect(cache.find(key).map { MemoryPicture.number($0.image) } == 2)
        #expect(cache.find(MemoryPicture.key("a", 8)) == nil)
    }

    @Test func earlierReplacement_isRejected_afterRemovalOrReplacement() async throws {
        let cache = cache { $0.maximumBytes = 1 << 20 }
        let key = MemoryPicture.key("a")
        func replace(_ number: Int, _ ticket: MemoryCache.Ticket) async throws -> Int? {
            let entry = MemoryEntry(try MemoryPicture.make(number: number))
            await cache.replace(with: entry, for: key, timeToLive: nil, begun: ticket)
            return cache.find(key).map { MemoryPicture.number($0.image) }
        }
        let load = cache.ticket()
        let first = await cache.ticketToReplace(key.resource)
        let second = await cache.ticketToReplace(key.resource)
        #expect(try await replace(1, first) == nil)
        await cache.store(MemoryEntry(try MemoryPicture.make(number: 9)), for: key, begun: load)
        #expect(cache.find(key) == nil)
        #expect(try await replace(2, second) == 2)
        let third = await cache.ticketToReplace(key.resource)
        await cache.remove(key.resource)
        #expect(try await replace(3, third) == nil)
        let fourth = await cache.ticketToReplace(key.resource)
        #expect(try await replace(4, fourth) == 4)
        await cache.replace(with: nil, for: key, timeToLive: nil, begun: await cache.ticketToReplace(key.resource))
        #expect(cache.find(key) == nil)
    }

    /// The one that is to be replaced is the least worthy, so its room can't be counted a second time.
    @Test func largerReplacement_keepsLimit() async throws {
        let cache = cache { $0.maximumBytes = 2 * 400 }
        let keys = [MemoryPicture.key("a"), MemoryPicture.key("b")]
        for key in keys { await cache.store(MemoryEntry(try MemoryPicture.make()), for: key, begun: cache.ticket()) }
        for _ in 0..<40 { _ = cache.find(keys[1]) }
        let larger = DecodedImage(bitmap: try Pictures.plain(20, 10))
        await cache.store(MemoryEntry(larger), for: keys[0], begun: cache.ticket())
        check([cache.statistics.byteCount, cache.statistics.count], [800, 1])
        #expect(await cache.brokenInvariant == nil)
    }

    @Test func hits_areCounted_inStoreAndShards() async throws {
        let cache = cache { $0.maximumBytes = 1 << 20 }
        let key = MemoryPicture.key("a")
        await cache.store(MemoryEntry(try MemoryPicture.make()), for: key, begun: cache.ticket())
        for _ in 0..<5 { #expect(cache.find(key) != nil) }
        #expect(cache.statistics.hits == 5)
        await cache.removeAll()
        #expect(cache.find(key) == nil)
        #expect(cache.statistics.hits == 5 && cache.statistics.misses == 1)
        #expect(await cache.brokenInvariant == nil)
    }

    /// The first is evicted for the larger one that takes its place, is still in use, and must not come back.
    @Test func imageEvictedForItsReplacement_isNotFoundAgain() async throws {
        let clock = ManualClock()
        let start = clock.now
        var settings = MemoryCache.Settings()
        settings.maximumBytes = 2 * 400
        let cache = MemoryCache(valid: settings, now: { start.duration(to: clock.now) })
        let keys = [MemoryPicture.key("a"), MemoryPicture.key("b")]
        let used = try MemoryPicture.make(number: 1)
        await cache.store(MemoryEntry(used), for: keys[0], begun: cache.ticket())
        await cache.store(MemoryEntry(try MemoryPicture.make()), for: keys[1], begun: cache.ticket())
        for _ in 0..<40 { _ = cache.find(keys[1]) }
        await cache.store(
            MemoryEntry(DecodedImage(bitmap: try Pictures.plain(20, 10))), for: keys[0], timeToLive: .seconds(9),
            begun: cache.ticket())
        #expect(cache.find(keys[0])?.image.size.width == 20)
        clock.advance(by: .seconds(9))
        #expect(cache.find(keys[0]) == nil)
        withExtendedLifetime(used) {}
    }

    @Test func ticketBegunBeforeAllWereRemoved_isRejected() async throws {
        let cache = cache { $0.maximumBytes = 1 << 20 }
        let before = cache.ticket()
        await cache.removeAll()
        await cache.store(MemoryEntry(try MemoryPicture.make()), for: MemoryPicture.key("a"), begun: before)
        #expect(cache.find(MemoryPicture.key("a")) == nil)
    }

    @Test func imageRemovedAfterEviction_isNotFound_evenInUse() async throws {
        let cache = cache { $0.maximumBytes = 1 << 20 }
        let key = MemoryPicture.key("a")
        let used = try MemoryPicture.make()
        let removals: [(MemoryCache) async -> Void] = [
            { await $0.remove(key.resource) }, { _ = await $0.removeAll { _, _ in true } }, { await $0.removeAll() },
        ]
        for remove in removals {
            await cache.store(MemoryEntry(used), for: key, begun: cache.ticket())
            await cache.trim(toBytes: 0)
            let earlier = cache.statistics.hitsOfReleased
            #expect(cache.find(key) != nil)
            check(cache.statistics.hitsOfReleased, earlier + 1)
            await remove(cache)
            #expect(cache.find(key) == nil)
        }
        withExtendedLifetime(used) {}
    }

    /// One is found and, before it can be kept again, another one is stored and evicted.
    @Test func replacedImage_isNotCachedAgain() async throws {
        let cache = cache { $0.maximumBytes = 1 << 20 }
        let key = MemoryPicture.key("a")
        let used = try (1...2).map { try MemoryPicture.make(number: $0) }
        for image in used {
            await cache.store(MemoryEntry(image), for: key, begun: cache.ticket())
            await cache.trim(toBytes: 0)
        }
        await cache.keepAgain(key, used[0])
        #expect(cache.statistics.count == 0)
        #expect(cache.find(key).map { MemoryPicture.number($0.image) } == 2)
        await cache.keepAgain(key, used[1])
        #expect(cache.statistics.count == 1)
        withExtendedLifetime(used) {}
    }

    @Test func pressureWatch_isActive_orFailureIsReported() throws {
        var fixture = try LoaderFixture(ScriptedDataLoader { _ in .status(404) })
        fixture.configuration.memory.watchesMemoryPressure = true
        withExtendedLifetime(fixture.makeLoader()) {
            #expect(fixture.cacheFailures.allSatisfy { $0.operation == .watch && !$0.reason.isEmpty })
        }
    }
}

private final class Flag: Sendable {
    let isSet = Atomic(false)
}

/// The least number that may be found of each key.
private final class Floors: Sendable {
    private let numbers: Mutex<[Int]>

    init(count: Int) { numbers = Mutex(Array(repeating: 0, count: count)) }

    func least(_ key: Int) -> Int { numbers.withLock { $0[key] } }

    func raise(_ key: Int, to number: Int) { numbers.withLock { $0[key] = number } }
}
