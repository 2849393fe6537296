import AlcedoTestSupport
import Testing

@testable import Alcedo

@Suite struct LandedDownloadsTests {
    @Test func ofTooManyBytes_theFirstGoFirst_andNoMoreThanNeeded() {
        var landed = LandedDownloads<Int>(byteLimit: 100)
        for (id, bytes, given) in [(1, 40, []), (2, 30, []), (3, 30, []), (4, 10, [1]), (5, 70, [2, 3]), (6, 0, [])] {
            let actual = landed.keep(id, bytes: bytes)
            #expect(actual == given, "\(id)")
        }
        #expect(landed.byteCount == 80)
        landed.remove(5)
        landed.remove(5)
        landed.remove(9)
        #expect(landed.byteCount == 10)
    }

    @Test(arguments: [0, -1, Int.min]) func oneAboveTheLimit_goesItself_andDisturbsNoOther(limit: Int) {
        var none = LandedDownloads<Int>(byteLimit: limit)
        let given = none.keep(1, bytes: 1)
        #expect(given == [1])
        #expect(none.byteCount == 0)
        var some = LandedDownloads<Int>(byteLimit: 10)
        let kept = some.keep(1, bytes: 10)
        let large = some.keep(2, bytes: 11)
        let huge = some.keep(3, bytes: .max)
        #expect((kept, large, huge) == ([], [2], [3]))
        #expect(some.byteCount == 10)
    }

    @Test func inAnyOrder_theBytesAddUp_andTheLimitIsKept() {
        var random = SeededRandom(seed: 11)
        var landed = LandedDownloads<Int>(byteLimit: 1000)
        var kept: [(id: Int, bytes: Int)] = []
        for id in 0..<5_000 {
            if Int.random(in: 0..<3, using: &random) == 0, let (leaving, _) = kept.randomElement(using: &random) {
                landed.remove(leaving)
                kept.removeAll { $0.id == leaving }
            }
            let bytes = Int.random(in: 0...400, using: &random)
            let given = landed.keep(id, bytes: bytes)
            kept.append((id, bytes))
            #expect(given == kept.prefix(given.count).map(\.id))
            kept.removeFirst(given.count)
            #expect(landed.byteCount == kept.reduce(0) { $0 + $1.bytes })
            #expect(landed.byteCount <= 1000)
        }
    }
}
