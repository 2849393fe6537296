import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

@Suite struct WeakImagesTests {
    private func entry(_ number: Int = 0) throws -> MemoryEntry {
        MemoryEntry(try MemoryPicture.make(1, number: number), tags: ["t"])
    }

    @Test func aPicture_isThere_forAsLongAsItIsInUse_andItsTimeLasts() throws {
        var weak = WeakImages()
        let key = MemoryPicture.key("a")
        var used: MemoryEntry? = try entry(3)
        weak.add(try #require(used), for: key, expiry: .seconds(5))
        let found = weak.entry(of: key, now: { .seconds(4) })
        #expect(
            found?.image.bitmap === used?.image.bitmap && found?.value.tags == ["t"] && found?.expiry == .seconds(5))
        #expect(weak.entry(of: key, now: { .seconds(5) }) == nil)
        weak.remove(MemoryPicture.key("b"))
        #expect(weak.contents.count == 1)
        withExtendedLifetime(found) { used = nil }
    }

    @Test func aPictureComesBackWhole() throws {
        var weak = WeakImages()
        let key = MemoryPicture.key("a")
        let bitmap = try Pictures.plain(4, 3)
        let used = DecodedImage(
            bitmap: bitmap, format: .jpeg, originalSize: PixelSize(width: 40, height: 30), isOpaque: true,
            profile: Data([1, 2, 3]))
        weak.add(MemoryEntry(used, freshness: Freshness(endSecond: 9)), for: key, expiry: nil)
        let found = try #require(weak.entry(of: key, now: { .zero }))
        #expect(found.image.bitmap === bitmap && found.image.format == .jpeg && found.image.isOpaque)
        #expect(found.image.originalSize == PixelSize(width: 40, height: 30) && found.image.profile == Data([1, 2, 3]))
        #expect(found.value.freshness == Freshness(endSecond: 9))
        withExtendedLifetime(used) {}
    }

    @Test func onlyItsPixels_areNoPicture() throws {
        var weak = WeakImages()
        let key = MemoryPicture.key("a")
        let bitmap = try Pictures.plain(4, 3)
        var used: DecodedImage? = DecodedImage(
            bitmap: bitmap, format: .jpeg, originalSize: bitmap.size, profile: Data([1]))
        weak.add(MemoryEntry(try #require(used)), for: key, expiry: nil)
        #expect(weak.entry(of: key, now: { .zero }) != nil)
        used = nil
        #expect(weak.entry(of: key, now: { .zero }) == nil && weak.contents.isEmpty)
        withExtendedLifetime(bitmap) {}
    }

    @Test func whatNobodyUses_takesNoRoomForLong() throws {
        var weak = WeakImages()
        let used = try (0..<10).map(entry)
        for (number, entry) in used.enumerated() {
            weak.add(entry, for: MemoryPicture.key("used \(number)"), expiry: nil)
        }
        var most = 0
        for number in 0..<1_000 {
            weak.add(try entry(), for: MemoryPicture.key("\(number)"), expiry: nil)
            most = max(most, weak.count)
        }
        #expect(most <= 64)
        #expect(weak.contents.count == 10)
        withExtendedLifetime(used) {}
    }
}
