/// Scales a picture, band by band. For processors, which work on many rows: unlike ``ResamplingRow``, it adds up a
/// row's pixels in floating-point numbers, which the CPU multiplies four at a time.
struct Resampler: Sendable {
    let size: PixelSize
    private let source: PixelSize
    private let across: FloatWeights
    private let down: ResamplingWeights

    /// No side of either size may be below 1.
    init(from source: PixelSize, to size: PixelSize, _ filter: ResamplingFilter) {
        (self.source, self.size) = (source, size)
        across = FloatWeights(ResamplingWeights(from: source.width, to: size.width, filter: filter))
        down = ResamplingWeights(from: source.height, to: size.height, filter: filter)
    }

    /// Writes rows of the scaled picture to `target`, the start of the first of these rows.
    ///
    /// - Parameter pixels: All pixels of the source, premultiplied.
    func write(_ rows: Range<Int>, of pixels: UnsafePointer<UInt32>, to target: UnsafeMutablePointer<UInt32>) {
        let bytes = UnsafeRawBufferPointer(start: pixels, count: source.width * source.height * 4)
        var row = ResamplingRow(width: source.width)
        withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: source.width + size.width) { scratch in
            guard let high = scratch.baseAddress else { return }
            let wide = high + source.width
            for y in rows {
                row.gather(y, of: bytes, down)
                row.withSums { Self.convert($0, to: high) }
                across.apply(to: high, wide)
                Self.pack(wide, size.width, to: target + (y - rows.lowerBound) * size.width)
            }
        }
    }

    /// Numbers from 0 to 255, apart from overshoot.
    private static func convert(_ sums: UnsafeBufferPointer<Int32>, to target: UnsafeMutablePointer<SIMD4<Float>>) {
        guard let source = sums.baseAddress else { return }
        let unit = 1 / Float(1 << ResamplingRow.fractionBits)
        let numbers = UnsafeMutableRawPointer(target).assumingMemoryBound(to: Float.self)
        for index in 0..<sums.count { numbers[index] = Float(source[index]) * unit }
    }

    /// Rounds, and clamps overshoot: alpha to 255, colours to their alpha.
    private static func pack(
        _ source: UnsafePointer<SIMD4<Float>>, _ count: Int, to target: UnsafeMutablePointer<UInt32>
    ) {
        let numbers = UnsafeRawPointer(source).assumingMemoryBound(to: Float.self)
        for index in 0..<count {
            let alpha = numbers[4 * index + 3].clamped(to: 255)
            let red = numbers[4 * index].clamped(to: alpha).roundedBits
            let green = numbers[4 * index + 1].clamped(to: alpha).roundedBits
            let blue = numbers[4 * index + 2].clamped(to: alpha).roundedBits
            target[index] = (red | green << 8 | blue << 16 | alpha.roundedBits << 24).littleEndian
        }
    }
}

/// Weights of pixels, one after the other.
struct FloatWeights: Sendable {
    private var firsts: [Int] = []
    private var ends: [Int] = []
    private var weights: [Float] = []

    init(_ weights: ResamplingWeights) {
        let one = Float(Int32(1) << weights.fractionBits)
        for pixel in 0..<weights.count {
            weights.withWeights(of: pixel) { first, row in
                firsts.append(first)
                self.weights += row.map { Float($0) / one }
            }
            ends.append(self.weights.count)
        }
    }

    /// Adds up the weighted pixels of a row for each target pixel.
    func apply(to row: UnsafePointer<SIMD4<Float>>, _ target: UnsafeMutablePointer<SIMD4<Float>>) {
        weights.withUnsafeBufferPointer { weights in
            guard let weights = weights.baseAddress else { return }
            var start = 0
            for (pixel, end) in ends.enumerated() {
                let source = row + firsts[pixel] - start
                // Two sums, so that an addition needn't wait for the one before.
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
    /// Between 0 and `most`. Plain comparisons, which the compiler vectorises.
    @inline(__always)
    func clamped(to most: Float) -> Float {
        let low = self > 0 ? self : 0
        return low < most ? low : most
    }

    /// The nearest whole number, given that this is from 0 to 255.
    ///
    /// Adding 1.5 × 2^23 rounds the number, and leaves it in the lowest bits. Unlike a conversion, that needs no check
    /// and is vectorised.
    @inline(__always)
    var roundedBits: UInt32 { (self + 12_582_912).bitPattern & 0xFF }
}
