/// The weights of source pixels for all target pixels, one after the other.
struct FloatWeights: Sendable {
    private let firsts: [Int]
    private let ends: [Int]
    private let weights: [Float]

    init(from source: Int, to target: Int, _ filter: ResamplingFilter) {
        let bits: Int32 = 22
        let table = ResamplingWeights.table((source, source, 1, 0), target, filter, bits)
        firsts = table.firsts
        ends = Array(table.offsets.dropFirst())
        weights = table.weights.map { Float($0) / Float(Int32(1) << bits) }
    }

    /// The first contributing source pixel of a target pixel, and the weights from there on.
    subscript(pixel: Int) -> (first: Int, weights: ArraySlice<Float>) {
        (firsts[pixel], weights[(pixel == 0 ? 0 : ends[pixel - 1])..<ends[pixel]])
    }

    /// Adds up the weighted pixels of a row for each target pixel.
    func apply(to row: UnsafePointer<SIMD4<Float>>, _ target: UnsafeMutablePointer<SIMD4<Float>>) {
        weights.withUnsafeBufferPointer { weights in
            guard let weights = weights.baseAddress else { return }
            var start = 0
            for (pixel, end) in ends.enumerated() {
                let source = row + firsts[pixel] - start
                // Uses two sums, so that an addition needn't wait for the previous one.
                var (even, odd) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
                var index = start
                while index + 2 <= end {
                    even += source[index] * weights[index]
                    odd += source[index + 1] * weights[index + 1]
                    index += 2
                }
                if index < end { even += source[index] * weights[index] }
                target[pixel] = even + odd
                start = end
            }
        }
    }
}

extension Float {
    /// This number, limited to 0 to `most`. Uses plain comparisons, which the compiler vectorizes.
    @inline(__always)
    func clamped(to most: Float) -> Float {
        let low = self > 0 ? self : 0
        return low < most ? low : most
    }

    /// The nearest whole number, given that this is from 0 to 255.
    ///
    /// Adding 1.5 × 2^23 rounds the number, and leaves it in the lowest bits. Unlike a conversion, that needs no check
    /// and is vectorized.
    @inline(__always)
    var roundedBits: UInt32 { (self + 12_582_912).bitPattern & 0xFF }
}
