import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite struct MemoryStoreTests {
    private func picture(_ side: Int = 10) throws -> DecodedImage { try MemoryPicture.make(side) }
    private func key(_ name: String, _ width: Int? = nil, _ height: Int = 1) -> ImageKey {
        MemoryPicture.key(name, width, height)
    }

    private func store(_ cost: Int = 1_000) -> MemoryStore { MemoryStore(limits: EvictionLimits(cost: cost)) }

    @Test func evictedImage_isFound_whileInUse() throws {
        var store = store(400)
        var used: DecodedImage? = try picture()
        store.keep(MemoryEntry(try #require(used)), for: key("a"), expiry: nil, now: .zero)
        store.keep(MemoryEntry(try picture()), for: key("b"), expiry: nil, now: .zero)
        check(store.statistics.evictions.byCost, 1)
        let found = store.find(key("a"), largerServes: false, now: { .zero })
        #expect(found?.image.bitmap === used?.bitmap)
        check(store.statistics.hitsOfReleased, 1)
        let again = store.findElsewhere(key("a"), largerServes: false, now: { .zero })
        #expect(again.isReleased && again.found?.image.bitmap === used?.bitmap)
        used = nil
        withExtendedLifetime(found) {}
    }

    @Test func unusedEvictedImage_isGone() throws {
        var store = store(400)
        store.keep(MemoryEntry(try picture()), for: key("a"), expiry: nil, now: .zero)
        store.keep(MemoryEntry(try picture()), for: key("b"), expiry: nil, now: .zero)
        #expect(store.find(key("a"), largerServes: false, now: { .zero }) == nil)
        check(store.statistics.misses, 1)
    }

    @Test func imageFoundAgain_isCachedAgain_unlessRemovedOrReplaced() throws {
        var store = store(400)
        let used = try picture()
        store.keep(MemoryEntry(used, tags: ["t"]), for: key("a"), expiry: .seconds(9), now: .zero)
        store.keep(MemoryEntry(try picture()), for: key("b"), expiry: nil, now: .zero)
        store.keepAgain(key("a"), used, now: .seconds(1))
        let kept = store.findElsewhere(key("a"), largerServes: false, now: { .seconds(1) })
        #expect(!kept.isReleased)
        let found = store.find(key("a"), largerServes: false, now: { .seconds(8) })
        #expect(found?.image.bitmap === used.bitmap)
        check(store.statistics.hitsOfReleased, 0)
        #expect(store.contents(now: { .zero }).map(\.entry.tags) == [["t"]])
        // Its time is what it was.
        #expect(store.find(key("a"), largerServes: false, now: { .seconds(9) }) == nil)

        store.keep(MemoryEntry(try picture()), for: key("b"), expiry: nil, now: .seconds(1))
        store.drop(key("a").resource)
        store.keepAgain(key("a"), used, now: .seconds(1))
        #expect(store.find(key("a"), largerServes: false, now: { .seconds(1) }) == nil)
        #expect(store.brokenInvariant == nil)
    }

    @Test func expiredRemovedOrReplacedImage_isNotFound_evenInUse() throws {
        var store = store()
        let used = try (0..<3).map { _ in try picture() }
        store.keep(MemoryEntry(used[0]), for: key("a"), expiry: .seconds(1), now: .zero)
        store.change { $0.removeExpired(now: .seconds(2)) }
        #expect(store.find(key("a"), largerServes: false, now: { .zero }) == nil)
        store.keep(MemoryEntry(used[1]), for: key("b"), expiry: nil, now: .zero)
        store.change { $0.removeAll { key, _ in key.resource.text == "b" } }
        #expect(store.find(key("b"), largerServes: false, now: { .zero }) == nil)
        store.keep(MemoryEntry(used[2]), for: key("c"), expiry: nil, now: .zero)
        store.keep(MemoryEntry(try picture(5)), for: key("c"), expiry: nil, now: .zero)
        check(store.find(key("c"), largerServes: false, now: { .zero })?.image.size.width, 5)
        let evictions = store.statistics.evictions
        check([evictions.byExpiry, evictions.byRemoval, evictions.byReplacement], [1, 1, 1])
        withExtendedLifetime(used) {}
    }

    @Test func expiredEvictedImage_isNotFound() throws {
        var store = store(400)
        let used = try picture()
        store.keep(MemoryEntry(used), for: key("a"), expiry: .seconds(5), now: .zero)
        while store.letOneGo() {}
        #expect(store.find(key("a"), largerServes: false, now: { .seconds(4) }) != nil)
        #expect(store.find(key("a"), largerServes: false, now: { .seconds(5) }) == nil)
        check(store.statistics.evictions.byTrim, 1)
    }

    @Test func smallestLargerSize_serves_whenAllowed() throws {
        var store = store()
        for width in [100, 50, 30] {
            let image = DecodedImage(bitmap: try Pictures.plain(width, 1))
            store.keep(MemoryEntry(image), for: key("a", width), expiry: nil, now: .zero)
        }
        func width(_ target: Int, _ height: Int = 1, larger: Bool = true) -> Int? {
            store.find(key("a", target, height), largerServes: larger, now: { .zero })?.image.size.width
        }
        check(width(40), 50)
        check(width(40, larger: false), nil)
        check(width(60), 100)
        check(width(50), 50)
        // Of more rows than any has.
        check(width(20, 2), nil)
        check(width(101), nil)
        let full = DecodedImage(bitmap: try Pictures.plain(100, 1))
        store.keep(MemoryEntry(full), for: key("a"), expiry: nil, now: .zero)
        check(width(101), 100)
        check(store.statistics.hitsOfLarger, 3)
        check(store.statistics.misses, 3)
        store.drop(key("a").resource)
        check([20, 50, 101].compactMap { width($0) }, [])
        check(store.brokenInvariant, nil)
    }

    @Test func nextLargerSize_serves_whenSmallestExpired() throws {
        var store = store()
        for (width, expiry) in [(50, Duration.seconds(5)), (60, nil), (90, nil)] {
            let image = DecodedImage(bitmap: try Pictures.plain(width, 1))
            store.keep(MemoryEntry(image), for: key("a", width), expiry: expiry, now: .zero)
        }
        let found = store.find(key("a", 40), largerServes: true, now: { .seconds(5) })
        check(found?.image.size.width, 60)
        check(store.statistics.misses, 0)
    }

    @Test func allSizesOfAnImage_areRemoved() throws {
        var store = store(.max)
        let image = try picture()
        let sizes: [Int?] = [nil] + (1...300).map { $0 }
        for name in ["a", "b"] {
            for size in sizes { store.keep(MemoryEntry(image), for: key(name, size), expiry: nil, now: .zero) }
        }
        func found(_ name: String) -> Int {
            sizes.count { store.find(key(name, $0), largerServes: false, now: { .zero }) != nil }
        }
        check([found("a"), found("b")], [301, 301])
        store.drop(key("a", 7).resource)
        check([found("a"), found("b"), store.count], [0, 301, 301])
        check(store.brokenInvariant, nil)
        // Evicted ones that are in use, as well.
        store.change { $0.setLimits(EvictionLimits(cost: 0)) }
        check([found("b"), store.count], [301, 0])
        store.drop(key("b").resource)
        check(found("b"), 0)
        withExtendedLifetime(image) {}
    }

    @Test func sizesOfEvictedImages_leaveNothing() throws {
        var store = store(4_000)
        for number in 0..<200 {
            let image = DecodedImage(bitmap: try Pictures.plain(10, 10))
            store.keep(
                MemoryEntry(image), for: key("\(number % 20)", 8 * (1 + number % 7)), expiry: nil, now: .zero)
            check(store.brokenInvariant, nil)
        }
        store.change { $0.setLimits(EvictionLimits(cost: 0)) }
        check(store.brokenInvariant, nil)
        check(store.statistics.count, 0)
    }
}

/// As the cache uses it.
extension MemoryStore {
    var statistics: MemoryStatistics {
        var statistics = MemoryStatistics(cost: cost, count: count)
        count(into: &statistics)
        return statistics
    }

    mutating func find(
        _ key: ImageKey, largerServes: Bool, now: () -> Duration
    ) -> MemoryCache.Found? {
        find(key, now: now) ?? findElsewhere(key, largerServes: largerServes, now: now).found
    }

    mutating func change(_ event: (inout MemoryStore) -> Gone) {
        var gone = event(&self)
        note(&gone)
    }

    mutating func keep(_ entry: MemoryEntry, for key: ImageKey, expiry: Duration?, now: Duration) {
        change { store in
            var gone: Gone = []
            store.store(entry, for: key, expiry: expiry, now: now, into: &gone)
            return gone
        }
    }

    mutating func keepAgain(_ key: ImageKey, _ image: DecodedImage, now: Duration) {
        guard let entry = released(key, image, now: now) else { return }
        keep(entry.value, for: key, expiry: entry.expiry, now: now)
        putBack(entry, for: key)
    }

    mutating func drop(_ resource: ResourceKey) { change { $0.remove(resource) } }

    /// False when there was none.
    mutating func letOneGo() -> Bool {
        guard let departed = evictOne(.trim) else { return false }
        change { _ in [departed] }
        return true
    }
}
