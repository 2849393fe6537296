/// One row that has its target's height and still its source's width. Each target row is gathered anew from the few
/// source rows it needs, so no picture of mixed size is ever in memory.
struct ResamplingRow {
    /// Four numbers for each pixel, with ``fractionBits`` bits behind the point.
    private var sums: [Int32]

    private static let fractionBits: Int32 = 14
    /// Sums that stay in the nearest cache while the source rows pass.
    private static let tile = 4_096

    init(width: Int) {
        sums = Array(repeating: 0, count: width * 4)
    }

    /// Weighs the source rows of target row `y`.
    mutating func gather(_ y: Int, of source: UnsafeRawBufferPointer, _ down: ResamplingWeights) {
        sums.withUnsafeMutableBufferPointer { sums in
            down.withWeights(of: y) { first, weights in
                for start in stride(from: 0, to: sums.count, by: Self.tile) {
                    let tile = UnsafeMutableBufferPointer(rebasing: sums[start..<min(start + Self.tile, sums.count)])
                    tile.update(repeating: Self.half)
                    for (number, weight) in weights.enumerated() {
                        let offset = (first + number) * sums.count + start
                        Self.add(UnsafeRawBufferPointer(rebasing: source[offset..<offset + tile.count]), weight, tile)
                    }
                    Self.settle(tile)
                }
            }
        }
    }

    /// Begins a target row whose source rows come one after the other.
    mutating func begin() {
        sums.withUnsafeMutableBufferPointer { $0.update(repeating: Self.half) }
    }

    /// Weighs one source row.
    mutating func add(_ row: UnsafeRawBufferPointer, _ weight: Int32) {
        sums.withUnsafeMutableBufferPointer { Self.add(row, weight, $0) }
    }

    /// The last source row has come.
    mutating func settle() {
        sums.withUnsafeMutableBufferPointer { Self.settle($0) }
    }

    /// What makes the sums be rounded when bits are cut off.
    private static let half: Int32 = 1 << (ResamplingWeights.fractionBits - fractionBits - 1)

    private static func settle(_ sums: UnsafeMutableBufferPointer<Int32>) {
        for index in sums.indices { sums[index] >>= ResamplingWeights.fractionBits - fractionBits }
    }

    /// A loop of its own, that the compiler turns into vector instructions.
    private static func add(
        _ bytes: UnsafeRawBufferPointer, _ weight: Int32, _ sums: UnsafeMutableBufferPointer<Int32>
    ) {
        guard let bytes = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), let target = sums.baseAddress
        else { return }
        for index in 0..<sums.count { target[index] &+= Int32(bytes[index]) &* weight }
    }

    /// Writes the row in its target's width.
    func write(to target: UnsafeMutableRawBufferPointer, at offset: Int, _ across: ResamplingWeights) {
        sums.withUnsafeBytes { sums in
            for x in 0..<across.count {
                let pixel = across.withWeights(of: x) { first, weights in Self.pixel(sums, first, weights) }
                target.storeBytes(of: pixel, toByteOffset: offset + x * 4, as: SIMD4<UInt8>.self)
            }
        }
    }

    private static func pixel(
        _ sums: UnsafeRawBufferPointer, _ first: Int, _ weights: UnsafeBufferPointer<Int32>
    ) -> SIMD4<UInt8> {
        let shift = Int64(fractionBits + ResamplingWeights.fractionBits)
        let half: Int64 = 1 << (shift - 1)
        var (red, green, blue, alpha) = (half, half, half, half)
        for (number, weight) in weights.enumerated() {
            let sum = sums.load(fromByteOffset: (first + number) * 16, as: SIMD4<Int32>.self)
            red &+= Int64(sum[0]) &* Int64(weight)
            green &+= Int64(sum[1]) &* Int64(weight)
            blue &+= Int64(sum[2]) &* Int64(weight)
            alpha &+= Int64(sum[3]) &* Int64(weight)
        }
        let seen = max(0, min(255, alpha >> shift))
        func colour(_ sum: Int64) -> UInt8 { UInt8(truncatingIfNeeded: max(0, min(seen, sum >> shift))) }
        return [colour(red), colour(green), colour(blue), UInt8(truncatingIfNeeded: seen)]
    }
}
