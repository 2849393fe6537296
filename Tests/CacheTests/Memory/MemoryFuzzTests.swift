import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite struct MemoryFuzzTests {
    /// Stores, look-ups, removals, trims and users that come and go: what is found was stored last under that key, and
    /// is found again whenever somebody still has it and nothing but room was the reason that it left.
    @Test func randomSteps_keepAllInvariants() throws {
        var random = SeededRandom(seed: Fuzz.seed)
        var store = MemoryStore(limits: EvictionLimits(cost: 4_000))
        var latest: [ImageKey: Int] = [:]
        var inUse: [(number: Int, image: DecodedImage)] = []
        let keys = (0..<12).flatMap { name in [nil, 8, 16].map { MemoryPicture.key("\(name)", $0) } }
        for step in 0..<Fuzz.steps {
            let key = keys.randomElement(using: &random) ?? keys[0]
            switch Int.random(in: 0..<20, using: &random) {
            case ..<9:
                let image = try MemoryPicture.make(Int.random(in: 1...14, using: &random), number: step)
                let stores = store.statistics.stores
                store.keep(MemoryEntry(image), for: key, expiry: nil, now: .zero)
                // One that is larger than all there is room for is not taken.
                latest[key] = store.statistics.stores > stores ? step : nil
                if Bool.random(using: &random) { inUse.append((step, image)) }
            case ..<16:
                let found = store.find(key, largerServes: false, now: { .zero })
                if let found { must(MemoryPicture.number(found.image) == latest[key], "another picture, step \(step)") }
                let used = inUse.last { $0.number == latest[key] }
                must(used == nil || found != nil, "one in use is not found, step \(step)")
                if let found { store.keepAgain(key, found.image, now: .zero) }
            case 16:
                store.drop(key.resource)
                latest = latest.filter { $0.key.resource != key.resource }
                must(store.find(key, largerServes: true, now: { .zero }) == nil, "a removed one is found, step \(step)")
            case 17: _ = store.letOneGo()
            case 18:
                let cost = Int.random(in: 0...6_000, using: &random)
                store.change { $0.setLimits(EvictionLimits(cost: cost)) }
            default: inUse.removeAll { _ in Bool.random(using: &random) }
            }
            must(store.brokenInvariant == nil, "\(store.brokenInvariant ?? "") step \(step)")
        }
    }

    /// The whole cache: the limits hold after each step, no shard has what left, and what is found is the latest.
    @Test func cache_keepsItsLimits_andLatestImages() async throws {
        var random = SeededRandom(seed: Fuzz.seed &+ 1)
        let clock = ManualClock()
        let start = clock.now
        var settings = MemoryCache.Settings()
        settings.maximumBytes = 20_000
        let cache = MemoryCache(valid: settings, now: { start.duration(to: clock.now) })
        var latest: [ImageKey: Int] = [:]
        var inUse: [DecodedImage] = []
        var kept = 0
        let keys = (0..<60).flatMap { name in [nil, 8, 16].map { MemoryPicture.key("\(name)", $0) } }
        for step in 0..<max(1_000, Fuzz.steps / 10) {
            let key = keys.randomElement(using: &random) ?? keys[0]
            switch Int.random(in: 0..<40, using: &random) {
            case ..<18:
                let image = try MemoryPicture.make(Int.random(in: 1...20, using: &random), number: step)
                let lifetime = Int.random(in: 0..<4, using: &random) == 0 ? Duration.seconds(5) : nil
                await cache.store(MemoryEntry(image), for: key, timeToLive: lifetime, begun: cache.ticket())
                latest[key] = step
                if Int.random(in: 0..<4, using: &random) == 0 { inUse.append(image) }
            case ..<30:
                let hitsOfReleased = cache.statistics.hitsOfReleased
                if let found = cache.find(key) {
                    must(MemoryPicture.number(found.image) == latest[key], "another picture, step \(step)")
                    if cache.statistics.hitsOfReleased > hitsOfReleased {
                        await cache.keepAgain(key, found.image)
                        kept += 1
                    }
                }
            case 30, 31:
                if let found = cache.find(key, largerServes: true) {
                    let number = MemoryPicture.number(found.image)
                    let isOfResource = latest.contains { $0.key.resource == key.resource && $0.value == number }
                    must(isOfResource, "a picture of nothing, step \(step)")
                }
            case 32: clock.advance(by: .seconds(1))
            case 33:
                await cache.remove(key.resource)
                must(cache.find(key, largerServes: true) == nil, "a removed one is found, step \(step)")
            case 34: await cache.trim(toFraction: Double.random(in: 0...1, using: &random))
            case 35:
                settings.maximumBytes = Int.random(in: 0...30_000, using: &random)
                settings.maximumCount = Bool.random(using: &random) ? Int.random(in: 0...200, using: &random) : nil
                settings.maximumBytesPerImage =
                    Bool.random(using: &random) ? Int.random(in: 0...1_600, using: &random) : nil
                try await cache.change(to: settings)
            case 36:
                let text = key.resource.text
                _ = await cache.removeAll { key, _ in key.resource.text == text }
                must(cache.find(key) == nil, "one that matched is found, step \(step)")
            case 37:
                await cache.replace(with: MemoryEntry(try MemoryPicture.make(number: step)), for: key, timeToLive: nil)
                latest = latest.filter { $0.key.resource != key.resource }
                latest[key] = step
            default: inUse.removeAll { _ in Bool.random(using: &random) }
            }
            let broken = await cache.brokenInvariant
            must(broken == nil, "\(broken ?? "") step \(step)")
        }
        #expect(kept > 0)
    }
}
