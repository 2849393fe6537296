import Testing

@testable import Alcedo
@testable import TestFixtures

struct ResamplingWeightsTests {
    private static let sides = [1, 2, 3, 4, 5, 7, 8, 16, 31, 101, 300]

    /// Of one target pixel: where they begin, and what they are.
    private func row(_ weights: ResamplingWeights, _ pixel: Int) -> (first: Int, weights: [Int]) {
        weights.withWeights(of: pixel) { first, weights in (first, weights.map { Int($0) }) }
    }

    @Test(arguments: sides, ResamplingFilter.allCases)
    func weights_sumToOne_withinSource(source: Int, filter: ResamplingFilter) {
        for target in Self.sides {
            let weights = ResamplingWeights(from: source, to: target, filter: filter)
            #expect(weights.count == target)
            for pixel in 0..<target {
                let (first, row) = row(weights, pixel)
                let one = 1 << Int(weights.fractionBits)
                must(row.reduce(0, +) == one, "\(source) to \(target): \(pixel)")
                must(first >= 0 && first + row.count <= source, "\(source) to \(target): \(pixel)")
                // What keeps the sums of bytes within 32 bits.
                let magnitude = row.reduce(0) { $0 + abs($1) }
                must(magnitude < one * 2, "\(source) to \(target): \(magnitude)")
                // None was clamped.
                must(row.allSatisfy { abs($0) < Int(Int16.max) }, "\(source) to \(target)")
            }
        }
    }

    @Test(arguments: sides, ResamplingFilter.allCases)
    func weights_areMirrored(source: Int, filter: ResamplingFilter) {
        for target in Self.sides {
            let weights = ResamplingWeights(from: source, to: target, filter: filter)
            for pixel in 0..<target {
                let (one, other) = (row(weights, pixel), row(weights, target - 1 - pixel))
                must(one.weights == other.weights.reversed(), "\(source) to \(target): \(pixel)")
                must(one.first == source - other.first - other.weights.count, "\(source) to \(target): \(pixel)")
            }
        }
    }

    @Test(arguments: ResamplingFilter.allCases) func equalSize_copiesPixels(filter: ResamplingFilter) {
        let weights = ResamplingWeights(from: 9, to: 9, filter: filter)
        for pixel in 0..<9 {
            let (first, row) = row(weights, pixel)
            let weighted = row.indices.filter { row[$0] != 0 }.map { first + $0 }
            #expect(weighted == [pixel] && row.reduce(0, +) == 1 << Int(weights.fractionBits))
        }
    }

    @Test func longSide_isWeighedFinely() {
        let (_, row) = row(ResamplingWeights(from: 32_768, to: 1), 0)
        let one = 1 << Int(ResamplingWeights.manyBits)
        #expect(row.count == 32_768)
        #expect(row.reduce(0, +) == one)
        // Every second one has a half.
        let even = stride(from: 0, to: row.count, by: 2).reduce(0) { $0 + row[$1] }
        #expect(abs(even * 2 - one) < one / 1_000)
    }
}
