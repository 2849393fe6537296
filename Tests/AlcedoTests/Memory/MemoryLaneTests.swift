import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

@Suite struct MemoryLaneTests {
    private let key = MemoryPicture.key("a")

    @Test func itsPictures_areFound_untilTheirTimeIsOver_orTheyAreForgotten() throws {
        var lane = MemoryLane()
        check(lane.number(key), nil)
        lane.keep(key, try MemoryPicture.make(number: 7), expiry: .seconds(5))
        check(lane.number(key, .seconds(4)), 7)
        check(lane.number(key, .seconds(5)), nil)
        check(lane.hits, 1)
        lane.forget(SlotIndex.hash(key.fold))
        check(lane.isEmpty, true)
        check(lane.number(key), nil)
    }

    @Test func aPictureThatIsKeptTwice_isTheLatest() throws {
        var lane = MemoryLane()
        for number in 1...2 { lane.keep(key, try MemoryPicture.make(number: number), expiry: nil) }
        check(lane.number(key), 2)
        lane.forget(SlotIndex.hash(key.fold))
        #expect(lane.isEmpty)
    }

    /// Two forms of a resource whose folds are the same.
    @Test func allOfOneHash_areForgotten() throws {
        var lane = MemoryLane()
        var (first, second) = (PictureForm(), PictureForm())
        first.frames = .first
        second.convertsToSRGB = true
        let keys = [first, second].map { ImageKey(key.resource, $0) }
        #expect(keys[0] != keys[1] && keys[0].fold == keys[1].fold)
        for (number, key) in keys.enumerated() { lane.keep(key, try MemoryPicture.make(number: number), expiry: nil) }
        check(keys.map { lane.number($0) }, [0, 1])
        lane.forget(SlotIndex.hash(keys[0].fold))
        #expect(lane.isEmpty)
    }

    @Test func itsUses_areHandedOverOnce() throws {
        var lane = MemoryLane()
        lane.keep(key, try MemoryPicture.make(), expiry: nil)
        let hash = SlotIndex.hash(key.fold)
        check(lane.takeUses(hash)?.count, nil)
        for _ in 0..<3 { _ = lane.number(key) }
        check(lane.takeUses(hash &+ 1)?.count, nil)
        let uses = lane.takeUses(hash)
        check([uses?.count, uses?.tick], [3, 3])
        check(lane.takeUses(hash)?.count, nil)
    }

    @Test func theOthers_areToldOfEverySixteenthLookUp_andTellOfTheirs() throws {
        var lane = MemoryLane()
        lane.keep(key, try MemoryPicture.make(), expiry: nil)
        var told: UInt32 = 100
        for number in 1...40 {
            _ = lane.number(key)
            lane.tellTime { more in
                told += more
                return told
            }
            #expect(told == 100 + 16 * UInt32(number / 16))
        }
        // 132 after the second time, and eight more.
        check(lane.takeUses(SlotIndex.hash(key.fold))?.tick, 140)
    }

    @Test func whatLeftTheShelf_isNotInALane() throws {
        var (lane, shelf) = (MemoryLane(), MemoryShelf(limits: EvictionLimits(cost: 1_000)))
        let image = try MemoryPicture.make()
        shelf.keep(MemoryEntry(image), for: key, expiry: nil, now: .zero)
        lane.keep(key, image, expiry: nil)
        #expect(lane.brokenInvariant(shelf) == nil)
        shelf.drop(key.resource)
        #expect(lane.brokenInvariant(shelf) != nil)
    }
}

extension MemoryLane {
    /// What the picture of `key` shows, nil when it is not found.
    fileprivate mutating func number(_ key: ImageKey, _ now: Duration = .zero) -> Int? {
        find(key, now: { now }).map { MemoryPicture.number($0.image) }
    }

    fileprivate mutating func keep(_ key: ImageKey, _ image: DecodedImage, expiry: Duration?) {
        keep(key, MemoryCache.Found(image: image, freshness: nil), expiry: expiry)
    }
}
