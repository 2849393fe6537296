import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

struct IdlePagesTests {
    private func block(_ address: UInt, _ length: Int) -> IdlePages.Block { .init(address: address, length: length) }

    @Test func lastPagesOfLength_areReused() {
        var pages = IdlePages(limit: 100)
        #expect(pages.add(block(1, 10)) == [])
        #expect(pages.add(block(2, 10)) == [])
        #expect(pages.add(block(3, 20)) == [])
        #expect(pages.take(10).hit == block(2, 10))
        #expect(pages.take(10).hit == block(1, 10))
        #expect(pages.byteCount == 20)
    }

    @Test func oldestPages_areReleased_beforeAllocating() {
        var pages = IdlePages(limit: 100)
        for address in 1...4 as ClosedRange<UInt> { _ = pages.add(block(address, 10)) }
        let (hit, excess) = pages.take(15)
        #expect(hit == nil)
        #expect(excess == [block(1, 10), block(2, 10)])
        #expect(pages.take(1_000).excess == [block(3, 10), block(4, 10)])
        #expect(pages.take(1_000).excess == [])
    }

    @Test func idlePages_areLimited() {
        var pages = IdlePages(limit: 30)
        #expect(pages.add(block(1, 31)) == [block(1, 31)])
        _ = pages.add(block(2, 15))
        #expect(pages.add(block(3, 15)) == [])
        #expect(pages.add(block(4, 20)) == [block(2, 15), block(3, 15)])
        #expect(pages.byteCount == 20)
    }

    @Test func pagesIdleBetweenTwoCalls_areReleased() {
        var pages = IdlePages(limit: 100)
        _ = pages.add(block(1, 10))
        _ = pages.add(block(2, 20))
        #expect(pages.age() == [])
        #expect(pages.take(10).hit == block(1, 10))
        _ = pages.add(block(1, 10))
        #expect(pages.age() == [block(2, 20)])
        #expect(pages.age() == [block(1, 10)])
        #expect(pages.isEmpty)
    }

    /// Bitmaps come and go at random: what waits never adds to the most that they took at one time.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func processPeak_matchesBitmaps(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var pages = IdlePages(limit: 120)
        var live: [IdlePages.Block] = []
        var (last, mapped, peak) = (UInt(0), 0, 0)
        func sum(_ blocks: [IdlePages.Block]) -> Int { blocks.map(\.length).reduce(0, +) }
        for step in 0..<2_000 {
            switch Int.random(in: 0..<9, using: &random) {
            case 0..<4:
                let length = Int.random(in: 1...4, using: &random) * 10
                let (hit, excess) = pages.take(length)
                if let hit {
                    must(hit.length == length && !live.contains(hit), "\(hit)")
                    live.append(hit)
                } else {
                    last += 1
                    live.append(block(last, length))
                    mapped += length
                }
                mapped -= sum(excess)
            case 4..<8 where !live.isEmpty:
                mapped -= sum(pages.add(live.remove(at: Int.random(in: 0..<live.count, using: &random))))
            default: mapped -= sum(pages.age())
            }
            peak = max(peak, sum(live))
            must(mapped == sum(live) + pages.byteCount, "\(mapped) bytes, step \(step)")
            must(pages.byteCount == sum(pages.blocks), "step \(step)")
            must(mapped <= peak, "\(mapped) bytes, step \(step)")
        }
    }
}
