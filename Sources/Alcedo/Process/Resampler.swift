import CResampling

/// Scales an image band by band, for processors. Unlike ``ResamplingRow``, it keeps all bits of the sums. Its weights
/// have enough bits if the sides shrink to half or less.
struct Resampler: Sendable {
    let size: PixelSize
    private let source: PixelSize
    private let across: FloatWeights
    private let down: ResamplingWeights

    /// No side of either size may be below 1.
    init(from source: PixelSize, to size: PixelSize, _ filter: ResamplingFilter) {
        (self.source, self.size) = (source, size)
        across = FloatWeights(from: source.width, to: size.width, filter)
        down = ResamplingWeights(from: source.height, to: size.height, filter: filter)
    }

    /// Writes rows of the scaled image to `target`, which points to the start of the first one.
    ///
    /// - Parameter pixels: All pixels of the source, premultiplied.
    func write(_ rows: Range<Int>, of pixels: UnsafePointer<UInt32>, to target: UnsafeMutablePointer<UInt32>) {
        let bytes = UnsafeRawPointer(pixels).assumingMemoryBound(to: UInt8.self)
        let (width, count) = (source.width, source.width * 4)
        withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: width + size.width) { scratch in
            guard let high = scratch.baseAddress else { return }
            let wide = high + width
            // Converts the sums to floating-point numbers in place.
            let numbers = UnsafeMutableRawPointer(high)
            for y in rows {
                down.withRows(of: y, { bytes + $0 * count }) { rows, weights, number in
                    alcedo_resample_sums(
                        rows, weights, number, count, 0, 0, numbers.assumingMemoryBound(to: Int32.self))
                }
                Self.convert(numbers, count, unit: 1 / Float(Int32(1) << down.fractionBits))
                across.apply(to: high, wide)
                Self.pack(wide, size.width, to: target + (y - rows.lowerBound) * size.width)
            }
        }
    }

    /// Converts sums to numbers from 0 to 255, apart from overshoot.
    private static func convert(_ numbers: UnsafeMutableRawPointer, _ count: Int, unit: Float) {
        let (sums, floats) = (numbers.assumingMemoryBound(to: Int32.self), numbers.assumingMemoryBound(to: Float.self))
        for index in 0..<count { floats[index] = Float(sums[index]) * unit }
    }

    /// Rounds, and clamps overshoot: alpha to 255, colors to their alpha.
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
