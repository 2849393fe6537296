import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite struct MemoryShardTests {
    private let key = MemoryPicture.key("a")

    @Test func images_areFound_untilExpiredOrForgotten() throws {
        var shard = MemoryShard()
        check(shard.number(key), nil)
        shard.keep(key, try MemoryPicture.make(number: 7), expiry: .seconds(5))
        check(shard.number(key, .seconds(4)), 7)
        check(shard.number(key, .seconds(5)), nil)
        check(shard.hits, 1)
        shard.forget(key.slotHash)
        check(shard.isEmpty, true)
        check(shard.number(key), nil)
    }

    @Test func imageAddedTwice_isTheLatest() throws {
        var shard = MemoryShard()
        for number in 1...2 { shard.keep(key, try MemoryPicture.make(number: number), expiry: nil) }
        check(shard.number(key), 2)
        shard.forget(key.slotHash)
        #expect(shard.isEmpty)
    }

    /// Two variants of a resource whose hashes are the same.
    @Test func allOfOneHash_areForgotten() throws {
        var shard = MemoryShard()
        var (first, second) = (ImageVariant(), ImageVariant())
        first.change { $0.frames = .first }
        second.change { $0.convertsToSRGB = true }
        let keys = [first, second].map { ImageKey(key.resource, $0) }
        #expect(keys[0] != keys[1] && keys[0].slotHash == keys[1].slotHash)
        for (number, key) in keys.enumerated() { shard.keep(key, try MemoryPicture.make(number: number), expiry: nil) }
        check(keys.map { shard.number($0) }, [0, 1])
        shard.forget(keys[0].slotHash)
        #expect(shard.isEmpty)
    }

    @Test func uses_areTakenOnce() throws {
        var shard = MemoryShard()
        shard.keep(key, try MemoryPicture.make(), expiry: nil)
        let hash = key.slotHash
        check(shard.takeUses(hash)?.count, nil)
        for _ in 0..<3 { _ = shard.number(key) }
        check(shard.takeUses(hash &+ 1)?.count, nil)
        let uses = shard.takeUses(hash)
        check([uses?.count, uses?.tick], [3, 3])
        check(shard.takeUses(hash)?.count, nil)
    }

    @Test func shards_exchangeTicks_everySixteenLookUps() throws {
        var shard = MemoryShard()
        shard.keep(key, try MemoryPicture.make(), expiry: nil)
        var told: UInt32 = 100
        for number in 1...40 {
            _ = shard.number(key)
            shard.reportTime { more in
                told += more
                return told
            }
            #expect(told == 100 + 16 * UInt32(number / 16))
        }
        // 132 after the second time, and eight more.
        check(shard.takeUses(key.slotHash)?.tick, 140)
    }

    @Test func evictedImage_isInNoShard() throws {
        var (shard, store) = (MemoryShard(), MemoryStore(limits: EvictionLimits(cost: 1_000)))
        let image = try MemoryPicture.make()
        store.keep(MemoryEntry(image), for: key, expiry: nil, now: .zero)
        shard.keep(key, image, expiry: nil)
        #expect(shard.brokenInvariant(store) == nil)
        store.drop(key.resource)
        #expect(shard.brokenInvariant(store) != nil)
    }
}

extension MemoryShard {
    /// What the picture of `key` shows, nil when it is not found.
    fileprivate mutating func number(_ key: ImageKey, _ now: Duration = .zero) -> Int? {
        find(key, now: { now }, isUsable: { _ in true }).map { MemoryPicture.number($0.image) }
    }

    fileprivate mutating func keep(_ key: ImageKey, _ image: DecodedImage, expiry: Duration?) {
        keep(key, MemoryCache.Found(image: image, freshness: nil), expiry: expiry)
    }
}
