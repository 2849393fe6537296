import CResampling
import Testing

@testable import Alcedo

/// Compares the kernels, which use the vectors of the processor, with plain loops.
@Suite struct ResamplingKernelTests {
    /// A picture of random bytes, many of them at the ends of their range.
    private static func bytes(_ count: Int, _ random: inout SplitMix64) -> [UInt8] {
        (0..<count).map { _ in
            Int.random(in: 0..<4, using: &random) == 0 ? 255 : UInt8.random(in: 0...255, using: &random)
        }
    }

    @Test(arguments: [1, 2, 3, 7, 8, 9, 15, 16, 25, 33, 70, 131], [1, 2, 5, 12])
    func rowsAndPixels_equalPlainSums(width: Int, target: Int) {
        var random = SplitMix64(seed: UInt64(width * 100 + target))
        for height in [1, 2, 3, 11, 40] {
            let source = Self.bytes(width * height * 4, &random)
            let down = ResamplingWeights(from: height, to: 3)
            let across = ResamplingWeights(from: width, to: target)
            for y in 0..<3 {
                var row = ResamplingRow(width: width)
                source.withUnsafeBytes { row.gather(y, of: $0, down) }
                var result = [UInt8](repeating: 0, count: target * 4)
                result.withUnsafeMutableBytes { row.write(to: $0, at: 0, across) }
                #expect(result == Self.plain(y, source, width, down, across), "\(height) rows, row \(y)")
            }
        }
    }

    @Test(arguments: 1...70) func sums_equalPlainSums(width: Int) {
        var random = SplitMix64(seed: UInt64(width))
        for height in 1...9 {
            let source = Self.bytes(width * height * 4, &random)
            let down = ResamplingWeights(from: height, to: 1)
            var sums = [Int32](repeating: 0, count: width * 4)
            source.withUnsafeBufferPointer { source in
                guard let base = source.baseAddress else { return }
                down.withRows(of: 0, { base + $0 * width * 4 }) {
                    alcedo_resample_sums($0, $1, $2, width * 4, 0, 0, &sums)
                }
            }
            #expect(sums == Self.sums(0, source, width * 4, down).map { Int32($0) }, "\(height) rows")
        }
    }

    private static func sums(_ y: Int, _ source: [UInt8], _ length: Int, _ down: ResamplingWeights) -> [Int] {
        (0..<length).map { x in
            down.withWeights(of: y) { first, weights in
                weights.indices.reduce(0) { $0 + Int(source[(first + $1) * length + x]) * Int(weights[$1]) }
            }
        }
    }

    /// A row with seven fractional bits between the two directions, less the middle of the range.
    private static func plain(
        _ y: Int, _ source: [UInt8], _ width: Int, _ down: ResamplingWeights, _ across: ResamplingWeights
    ) -> [UInt8] {
        let (shift, bits) = (down.fractionBits - 7, Int(across.fractionBits) + 7)
        let row = sums(y, source, width * 4, down).map { ($0 + 1 << (shift - 1) - 128 << down.fractionBits) >> shift }
        return (0..<across.count).flatMap { pixel in
            let numbers = (0..<4).map { channel in
                across.withWeights(of: pixel) { first, weights in
                    weights.indices.reduce(128 << bits + 1 << (bits - 1)) {
                        $0 + row[(first + $1) * 4 + channel] * Int(weights[$1])
                    } >> bits
                }
            }
            let alpha = min(max(numbers[3], 0), 255)
            return numbers.map { UInt8(min(max($0, 0), alpha)) }
        }
    }
}
