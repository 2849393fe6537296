import Alcedo
import AlcedoTestSupport
import Testing

@testable import TestFixtures

/// Durations in buckets.
struct DurationHistogramTests {
    @Test func empty_hasNothing() {
        let histogram = DurationHistogram()
        #expect(histogram.count == 0 && histogram.total == .zero && histogram.buckets.isEmpty)
        #expect(histogram.mean == nil && histogram.quantile(0.5) == nil)
    }

    @Test func buckets_holdWhatIsBelowTheirBound() {
        let bounds = (0..<150).map { index -> Duration in
            var histogram = DurationHistogram()
            // The largest of a bucket is found by doubling and adding, which the bounds must agree with.
            histogram.record(.microseconds(index < 4 ? index : (4 + index % 4) << (index / 4 - 1)))
            #expect(histogram.buckets.count == index + 1 && histogram.buckets.last?.count == 1)
            return histogram.buckets[index].upperBound
        }
        #expect(zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 && ($0 < .microseconds(5) || $1 <= $0 * 5 / 4) })
        #expect(Array(bounds[..<6]) == [1, 2, 3, 4, 5, 6].map { Duration.microseconds($0) })
    }

    @Test func cumulativeBuckets_countAllBeforeTheirEnd() {
        var histogram = DurationHistogram()
        for microseconds in [0, 1_023, 1_024, 2_047, 2_048, 1_000_000, 33_554_431, 33_554_432] {
            histogram.record(.microseconds(microseconds))
        }
        let buckets = histogram.cumulativeBuckets
        #expect(buckets.map(\.upperBound) == (10...25).map { .microseconds(1 << $0) })
        #expect(buckets.map(\.count) == [2, 4, 5, 5, 5, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 7])
        #expect(DurationHistogram().cumulativeBuckets.allSatisfy { $0.count == 0 })
    }

    @Test func quantiles_areAtMostAQuarterTooLong() {
        var random = SeededRandom(seed: Fuzz.seed)
        for _ in 0..<100 {
            var histogram = DurationHistogram()
            let values = (0..<Int.random(in: 1...500, using: &random)).map { _ in
                Duration.microseconds(Int.random(in: 4...(1 << Int.random(in: 3...36, using: &random)), using: &random))
            }.sorted()
            for value in values { histogram.record(value) }
            #expect(histogram.count == values.count && histogram.total == values.reduce(.zero, +))
            #expect(histogram.buckets.reduce(0) { $0 + $1.count } == values.count)
            for share in [0.01, 0.5, 0.95, 1] {
                let exact = values[max(1, Int((share * Double(values.count)).rounded(.up))) - 1]
                let told = histogram.quantile(share) ?? .zero
                #expect(told > exact && told <= exact * 5 / 4 + .microseconds(1))
            }
        }
    }

    @Test func rank_isExact() {
        var histogram = DurationHistogram()
        for exponent in 0..<25 { histogram.record(.microseconds(1 << exponent)) }
        #expect(histogram.quantile(0.28) == .microseconds(1 << 6 + 1 << 4))
    }

    @Test func extremes_areCounted() {
        var histogram = DurationHistogram()
        histogram.record(.seconds(-5))
        histogram.record(.zero)
        histogram.record(.seconds(Int64.max))
        #expect(histogram.count == 3 && histogram.buckets.count == 152)
        #expect(histogram.buckets.first?.count == 2 && histogram.buckets.last?.count == 1)
        for share in [-1, 0, Double.nan] { #expect(histogram.quantile(share) == .microseconds(1)) }
        #expect(histogram.quantile(7) == histogram.quantile(1))
    }
}
