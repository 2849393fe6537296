import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

struct DelayTicksTests {
    private func ticks(of tick: Int, _ microseconds: [Int]) -> [Int] {
        var ticks = DelayTicks(of: .milliseconds(tick), most: 65_535)
        return microseconds.map { ticks.next(.microseconds($0)) }
    }

    @Test func wholeTicks_areExact() {
        #expect(ticks(of: 10, [0, 10_000, 20_000, 655_350_000]) == [0, 1, 2, 65_535])
        #expect(ticks(of: 1, [0, 1_000, 10_000, 11_000]) == [0, 1, 10, 11])
    }

    @Test func longDelays_areCut() {
        #expect(ticks(of: 10, [655_360_000, 20_000, 700_000_000, 20_000]) == [65_535, 2, 65_535, 2])
        #expect(ticks(of: 10, [24_900, 655_350_000, 20_000]) == [2, 65_535, 2])
    }

    @Test func roundingErrors_doNotAddUp() {
        #expect(ticks(of: 10, [33_333, 33_333, 33_334]) == [3, 4, 3])
        #expect(ticks(of: 10, [25_000, 25_000, 25_000, 25_000]).reduce(0, +) == 10)
    }

    /// 10 ms or less are shown for 100 ms: nothing is to become that by rounding, nor to be spared it.
    @Test func shortDelays_remainAboveBrowserMinimum() {
        #expect(ticks(of: 10, [16_667, 16_667, 16_667, 16_667]) == [2, 2, 2, 2])
        #expect(ticks(of: 10, [12_000, 11_000]) == [2, 2])
        #expect(ticks(of: 1, [10_400, 10_400]) == [11, 11])
        #expect(ticks(of: 10, [24_900, 10_000, 24_900, 10_000]).enumerated().allSatisfy { ($1 > 1) == ($0 % 2 == 0) })
    }
}

struct SecondsFractionTests {
    @Test func timesAreFractions() {
        let cases: [(Duration, Int, Int)] = [
            (.zero, 0, 1), (.milliseconds(40), 1, 25), (.milliseconds(41), 41, 1000), (.seconds(65_535), 65_535, 1),
            (.nanoseconds(33_333_333), 1, 30), (.nanoseconds(16_666_667), 1, 60), (.milliseconds(65_535), 13_107, 200),
        ]
        for (time, numerator, denominator) in cases {
            let fraction = SecondsFraction(nearest: time)
            #expect(fraction.numerator == numerator && fraction.denominator == denominator, "\(time)")
        }
    }

    @Test func anyDelay_isApproximated() {
        var random = SeededRandom(seed: 5)
        for _ in 0..<2_000 {
            let nanoseconds = Int64.random(
                in: 0...1_000_000_000 << Int64.random(in: 0...16, using: &random), using: &random)
            guard nanoseconds <= 65_535_000_000_000 else { continue }
            let fraction = SecondsFraction(nearest: .nanoseconds(nanoseconds))
            let value = Double(fraction.numerator) / Double(fraction.denominator) * 1e9
            must((0...65_535).contains(fraction.numerator) && (1...65_535).contains(fraction.denominator))
            // Within what a denominator of the numerator's size allows.
            must(abs(value - Double(nanoseconds)) <= max(20_000, Double(nanoseconds) / 32_768), "\(nanoseconds)")
        }
    }
}

struct PixelRectangleTests {
    @Test func boundsAreSmallest() throws {
        var random = SeededRandom(seed: 3)
        for _ in 0..<500 {
            let size = PixelSize(
                width: Int.random(in: 1...9, using: &random), height: Int.random(in: 1...9, using: &random))
            let places = Set(
                (0..<Int.random(in: 0...4, using: &random)).map { _ in
                    Int.random(in: 0..<size.width * size.height, using: &random)
                })
            let bounds = PixelRectangle.bounds(size) { places.contains($0) }
            let (columns, rows) = (places.map { $0 % size.width }, places.map { $0 / size.width })
            guard let left = columns.min(), let right = columns.max(), let top = rows.min(), let bottom = rows.max()
            else {
                #expect(bounds == nil)
                continue
            }
            #expect(bounds == PixelRectangle(left..<right + 1, top..<bottom + 1))
            #expect(bounds?.fromEvenPlace.x == left / 2 * 2)
            #expect(bounds?.fromEvenPlace.columns.upperBound == right + 1)
        }
    }
}

struct ColorSearchTests {
    @Test(arguments: [1, 2, 30, 256])
    func nearestColor_isNearestOfAll(_ count: Int) {
        var random = SeededRandom(seed: UInt64(count))
        let palette = (0..<count).map { _ in UInt32.random(in: 0...0xFF_FFFF, using: &random) | 0xFF00_0000 }
        var search = ColorSearch(palette)
        func distance(_ one: SIMD4<Int32>, _ other: UInt32) -> Int32 {
            let difference = one &- SIMD4(color: other)
            return (difference &* difference).wrappedSum()
        }
        for _ in 0..<3_000 {
            let color = SIMD4<Int32>(color: UInt32.random(in: 0...0xFF_FFFF, using: &random))
            let found = distance(color, palette[Int(search.nearest(color))])
            must(found == palette.map { distance(color, $0) }.min(), "\(color)")
        }
    }

    @Test func histogram_hasNoMoreColorsThanItWasGiven() {
        var histogram = ColorHistogram()
        #expect(histogram.palette(of: 256) == [0xFF00_0000])
        histogram.add(0xFF11_2233)
        histogram.add(0xFF11_2233)
        #expect(histogram.palette(of: 256) == [0xFF11_2233])
        for index in 0..<40 { histogram.add(0xFF00_0000 | UInt32(index * 0x060504)) }
        #expect(histogram.palette(of: 7).count == 7)
        #expect(histogram.palette(of: 256).count <= 41)
    }

    /// Even similar colors are distinguished.
    @Test func allPaletteEntries_areUsed() {
        var histogram = ColorHistogram()
        for index in 0..<1_024 as Range<UInt32> {
            histogram.add(0xFF40_4040 &+ (index & 15 | (index >> 4 & 15) << 8 | (index >> 8) << 16))
        }
        #expect(Set(histogram.palette(of: 256)).count == 256)
    }

    /// More than are counted each.
    @Test func manyColors_areCountedTogether() {
        var histogram = ColorHistogram()
        var random = SeededRandom(seed: 2)
        for _ in 0..<60_000 { histogram.add(UInt32.random(in: 0...0xFF_FFFF, using: &random) | 0xFF00_0000) }
        let palette = histogram.palette(of: 256)
        #expect(Set(palette).count == 256)
        // Evenly spread, the distance to the nearest of 256 is some 20.
        var search = ColorSearch(palette)
        var sum = 0.0
        for _ in 0..<2_000 {
            let color = SIMD4<Int32>(color: UInt32.random(in: 0...0xFF_FFFF, using: &random))
            let difference = color &- SIMD4(color: palette[Int(search.nearest(color))])
            sum += Double((difference &* difference).wrappedSum()).squareRoot()
        }
        #expect(sum / 2_000 < 25)
    }
}
