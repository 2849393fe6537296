import AlcedoTestSupport
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
