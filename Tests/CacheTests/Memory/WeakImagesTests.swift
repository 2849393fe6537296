import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite struct WeakImagesTests {
    private func entry(_ number: Int = 0) throws -> MemoryEntry {
        MemoryEntry(try MemoryPicture.make(1, number: number), tags: ["t"])
    }

    @Test func image_isFound_whileInUseAndValid() throws {
        var weak = WeakImages()
        let key = MemoryPicture.key("a")
        var used: MemoryEntry? = try entry(3)
        weak.add(try #require(used), for: key, expiry: .seconds(5))
        let found = weak.entry(of: key, now: { .seconds(4) })
        #expect(
            found?.image.bitmap === used?.image.bitmap && found?.value.tags == ["t"] && found?.expiry == .seconds(5))
        #expect(weak.entry(of: key, now: { .seconds(5) }) == nil)
        weak.remove(MemoryPicture.key("b"))
        #expect(weak.contents(now: { .zero }).count == 1)
        withExtendedLifetime(found) { used = nil }
    }

    @Test func image_isRestoredWhole() throws {
        var weak = WeakImages()
        let key = MemoryPicture.key("a")
        let bitmap = try Pictures.plain(4, 3)
        let used = DecodedImage(
            bitmap: bitmap, format: .jpeg, originalSize: PixelSize(width: 40, height: 30), isOpaque: true,
            profile: Data([1, 2, 3]))
        weak.add(
            MemoryEntry(used, response: StoredResponse(headers: [:], freshness: Freshness(endSecond: 9), version: 1)),
            for: key, expiry: nil)
        let found = try #require(weak.entry(of: key, now: { .zero }))
        #expect(found.image.bitmap === bitmap && found.image.format == .jpeg && found.image.isOpaque)
        #expect(found.image.originalSize == PixelSize(width: 40, height: 30) && found.image.profile == Data([1, 2, 3]))
        #expect(found.value.freshness == Freshness(endSecond: 9))
        withExtendedLifetime(used) {}
    }

    @Test func pixelsAndAnimation_areBothRequired() throws {
        var weak = WeakImages()
        let (still, moving) = (MemoryPicture.key("still"), MemoryPicture.key("moving"))
        let bitmap = try Pictures.plain(4, 3)
        var decoded = Optional(try GIFDecoder().decode(GIFFixture.animation(3).data, limits: DecodeLimits()))
        #expect(decoded?.animation != nil)
        weak.add(
            MemoryEntry(DecodedImage(bitmap: bitmap, format: .jpeg, originalSize: bitmap.size, profile: Data([1]))),
            for: still, expiry: nil)
        weak.add(
            MemoryEntry(
                DecodedImage(bitmap: bitmap, format: .gif, originalSize: bitmap.size, animation: decoded?.animation)),
            for: moving, expiry: nil)
        #expect(weak.entry(of: still, now: { .zero })?.image.profile == Data([1]))
        #expect(weak.entry(of: moving, now: { .zero })?.image.animation === decoded?.animation)
        decoded = nil
        #expect(weak.entry(of: moving, now: { .zero }) == nil)
        withExtendedLifetime(bitmap) {}
    }

    @Test func imageWithLargeProfile_isNotTracked() throws {
        var weak = WeakImages()
        let bitmap = try Pictures.plain(4, 3)
        for (bytes, isFound) in [(64 << 10, true), (64 << 10 + 1, false)] {
            let profile = Data(count: bytes)
            weak.remove(MemoryPicture.key("a"))
            let image = DecodedImage(bitmap: bitmap, format: .jpeg, originalSize: bitmap.size, profile: profile)
            weak.add(MemoryEntry(image), for: MemoryPicture.key("a"), expiry: nil)
            #expect((weak.entry(of: MemoryPicture.key("a"), now: { .zero }) != nil) == isFound)
        }
    }

    @Test func smallestSufficientImage_serves() throws {
        var weak = WeakImages()
        let used = try [10, 20, 40].map { try MemoryPicture.make($0) }
        for image in used {
            weak.add(MemoryEntry(image), for: MemoryPicture.key("a", image.size.width, 40), expiry: .seconds(5))
        }
        #expect(weak.entry(serving: MemoryPicture.key("a", 15), now: { .zero })?.image.size.width == 20)
        #expect(weak.entry(serving: MemoryPicture.key("a", 41), now: { .zero }) == nil)
        #expect(weak.entry(serving: MemoryPicture.key("b", 15), now: { .zero }) == nil)
        #expect(weak.entry(serving: MemoryPicture.key("a", 15), now: { .seconds(5) }) == nil)
        weak.remove(MemoryPicture.key("a", 20, 40))
        #expect(weak.entry(serving: MemoryPicture.key("a", 15), now: { .zero })?.image.size.width == 40)
        weak.remove(MemoryPicture.key("a").resource)
        #expect(weak.count == 0 && weak.contents(now: { .zero }).isEmpty)
        withExtendedLifetime(used) {}
    }

    @Test func unusedImages_arePruned() throws {
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
        #expect(weak.contents(now: { .zero }).count == 10)
        withExtendedLifetime(used) {}
    }
}
