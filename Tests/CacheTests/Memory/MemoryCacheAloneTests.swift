import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// A memory cache as programs use it without a loader.
@Suite(.timeLimit(.minutes(1))) struct MemoryCacheAloneTests {
    private let cache = MemoryCache()
    private let key: ImageKey
    private let image: DecodedImage

    init() throws {
        key = ImageKey(try .test() as ImageRequest)
        image = DecodedImage(bitmap: try Pictures.plain(20, 10))
    }

    @Test func images_areFound_untilRemoved() async throws {
        #expect(cache.image(for: key) == nil && !cache.contains(key))
        await cache.store(image, for: key, tags: ["t"])
        #expect(cache.image(for: key)?.bitmap === image.bitmap && cache.contains(key))
        let entries = await cache.entries
        #expect(entries.map(\.key) == [key] && entries.first?.url == "http://host.test/a.png")
        #expect(entries.first?.byteCount == 800 && entries.first?.tags == ["t"])
        #expect(cache.statistics.byteCount == 800 && cache.statistics.stores == 1)
        await cache.remove(key)
        #expect(cache.image(for: key) == nil)
        #expect(cache.statistics.evictions.byRemoval == 1)
    }

    @Test func largerImage_serves_onlyOnRequest() async throws {
        let small = ImageKey(try .test { $0.targetSize = PixelSize(width: 4, height: 4) })
        await cache.store(image, for: key)
        #expect(cache.image(for: small) == nil && !cache.contains(small))
        #expect(cache.image(for: small, largerServes: true)?.size.width == 20)
        #expect(cache.contains(small, largerServes: true))
        await cache.remove(small)
        #expect(cache.image(for: key) == nil)
    }

    @Test func selectionsAndPredicates_removeMatchingImages() async throws {
        for name in ["a/1", "a/2", "b/1"] { await cache.store(image, for: ImageKey(try URL.test(name)), tags: [name]) }
        #expect(await cache.remove(.prefix("http://host.test/a/")) == 2)
        #expect(await cache.remove(.tag("b/1")) == 1)
        await cache.store(image, for: key)
        #expect(await cache.remove { $0.size.width > 20 } == 0)
        #expect(await cache.remove(.url(try .test())) == 1)
    }

    @Test func expiredImages_areRemoved_whenSelected() async throws {
        let (clock, start) = (ManualClock(), ManualClock().now)
        let cache = MemoryCache(valid: .init(), now: { start.duration(to: clock.now) })
        await cache.store(image, for: key, timeToLive: .seconds(5))
        #expect(await cache.remove(.expired) == 0)
        clock.advance(by: .seconds(5))
        #expect(cache.image(for: key) == nil)
        #expect(await cache.remove(.expired) == 1)
        #expect(cache.statistics.evictions.byExpiry == 1)
    }

    @Test func changedSettings_areRejectedOrApplied() async throws {
        await cache.store(image, for: key)
        var settings = MemoryCache.Settings()
        settings.maximumCount = -1
        await #expect(
            throws: ImageLoaderError.unsupportedConfiguration("memory.maximumCount is -1, and must be at least 0")
        ) { try await cache.change(to: settings) }
        #expect(cache.contains(key))
        settings.maximumCount = 0
        try await cache.change(to: settings)
        #expect(cache.statistics.count == 0)
    }
}
