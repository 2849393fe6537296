import CResampling

/// One row that is already scaled vertically but still has the source's width.
///
/// Each target row is computed from the few source rows it needs, so no half-scaled image is ever in memory.
struct ResamplingRow {
    /// Four numbers per pixel, minus ``middle``, with ``fractionBits`` fractional bits. Even with overshoot, they fit.
    private var numbers: [Int16]

    private static let fractionBits: Int32 = 7
    private static let middle: Int32 = 128

    init(width: Int) { numbers = Array(repeating: 0, count: width * 4) }

    /// Computes target row `y` from its weighted source rows.
    mutating func gather(_ y: Int, of source: UnsafeRawBufferPointer, _ down: ResamplingWeights) {
        guard let base = source.bindMemory(to: UInt8.self).baseAddress else { return }
        let bytesPerRow = numbers.count
        gather(y, down) { base + $0 * bytesPerRow }
    }

    /// - Parameter row: Returns the start of a source row.
    mutating func gather(_ y: Int, _ down: ResamplingWeights, _ row: (Int) -> UnsafePointer<UInt8>) {
        down.withRows(of: y, row) { rows, weights, count in
            alcedo_resample_rows(
                rows, weights, count, numbers.count, Self.start(down), Self.shift(down), &numbers)
        }
    }

    /// Computes the row from sums of weighted source rows, which are then set to zero.
    mutating func take(_ sums: inout [Int32], _ down: ResamplingWeights) {
        let (start, shift) = (Self.start(down), Self.shift(down))
        for index in numbers.indices {
            numbers[index] = Int16(truncatingIfNeeded: (sums[index] &+ start) &>> shift)
            sums[index] = 0
        }
    }

    private static func shift(_ down: ResamplingWeights) -> Int32 { down.fractionBits - fractionBits }

    /// The initial value of a sum of weighted rows: it moves the middle to 0, and makes the shift round to nearest.
    private static func start(_ down: ResamplingWeights) -> Int32 {
        (1 << (shift(down) - 1)) - middle << down.fractionBits
    }

    /// Scales the row horizontally and writes it.
    func write(to target: UnsafeMutableRawBufferPointer, at offset: Int, _ across: ResamplingWeights) {
        precondition(offset + across.count * 4 <= target.count, "a row beyond the image")
        let shift = Self.fractionBits + across.fractionBits
        let start = Int64(Self.middle) << Int64(shift) + 1 << Int64(shift - 1)
        across.withAll { firsts, offsets, weights in
            alcedo_resample_pixels(
                numbers, firsts.baseAddress, offsets.baseAddress, weights.baseAddress, across.count, start, shift,
                across.fractionBits > ResamplingWeights.fewBits ? 1 : 0,
                target.bindMemory(to: UInt8.self).baseAddress.map { $0 + offset })
        }
    }
}
