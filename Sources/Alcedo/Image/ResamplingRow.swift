/// One row that is already scaled vertically but still has the source's width.
///
/// Each target row is computed from the few source rows it needs, so no half-scaled picture is ever in memory.
struct ResamplingRow {
    /// Four numbers per pixel, with ``fractionBits`` fractional bits.
    private var sums: [Int32]

    static let fractionBits: Int32 = 14
    /// The number of sums that stay in the L1 cache while the source rows pass.
    private static let tile = 4_096

    init(width: Int) { sums = Array(repeating: 0, count: width * 4) }

    /// Computes target row `y` from its weighted source rows.
    mutating func gather(_ y: Int, of source: UnsafeRawBufferPointer, _ down: ResamplingWeights) {
        sums.withUnsafeMutableBufferPointer { sums in
            down.withWeights(of: y) { first, weights in
                for start in stride(from: 0, to: sums.count, by: Self.tile) {
                    let tile = UnsafeMutableBufferPointer(rebasing: sums[start..<min(start + Self.tile, sums.count)])
                    tile.update(repeating: Self.half(down))
                    var number = 0
                    func row(_ ahead: Int) -> UnsafeRawBufferPointer {
                        let offset = (first + number + ahead) * sums.count + start
                        return UnsafeRawBufferPointer(rebasing: source[offset..<offset + tile.count])
                    }
                    if down.fractionBits == ResamplingWeights.fewBits {
                        while number + 4 <= weights.count {
                            let four = (weights[number], weights[number + 1], weights[number + 2], weights[number + 3])
                            Self.add((row(0), row(1), row(2), row(3)), four, tile)
                            number += 4
                        }
                    }
                    while number < weights.count {
                        Self.add(row(0), weights[number], tile)
                        number += 1
                    }
                    Self.settle(tile, down)
                }
            }
        }
    }

    /// Begins a target row whose source rows arrive one by one.
    mutating func begin(_ down: ResamplingWeights) {
        sums.withUnsafeMutableBufferPointer { $0.update(repeating: Self.half(down)) }
    }

    /// Adds one weighted source row.
    mutating func add(_ row: UnsafeRawBufferPointer, _ weight: Int32) {
        sums.withUnsafeMutableBufferPointer { Self.add(row, weight, $0) }
    }

    /// Finishes the row after its last source row.
    mutating func settle(_ down: ResamplingWeights) {
        sums.withUnsafeMutableBufferPointer { Self.settle($0, down) }
    }

    /// Added to the sums so that dropping bits rounds to nearest.
    private static func half(_ down: ResamplingWeights) -> Int32 { (1 << (down.fractionBits - fractionBits)) / 2 }

    private static func settle(_ sums: UnsafeMutableBufferPointer<Int32>, _ down: ResamplingWeights) {
        // Masking shift: a shift that checks its amount for each number isn't vectorised.
        let shift = down.fractionBits &- fractionBits
        guard shift > 0, let target = sums.baseAddress else { return }
        for index in 0..<sums.count { target[index] &>>= shift }
    }

    /// A separate loop, so that the compiler vectorises it.
    private static func add(
        _ bytes: UnsafeRawBufferPointer, _ weight: Int32, _ sums: UnsafeMutableBufferPointer<Int32>
    ) {
        guard let bytes = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), let target = sums.baseAddress
        else { return }
        for index in 0..<sums.count { target[index] &+= Int32(bytes[index]) &* weight }
    }

    private typealias FourRows = (
        UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer
    )

    /// Adds four rows at once, all as long as `sums`. The weights have few bits: the compiler sees that they fit an
    /// Int16.
    private static func add(
        _ rows: FourRows, _ weights: (Int32, Int32, Int32, Int32), _ sums: UnsafeMutableBufferPointer<Int32>
    ) {
        guard let a = rows.0.baseAddress?.assumingMemoryBound(to: UInt8.self),
            let b = rows.1.baseAddress?.assumingMemoryBound(to: UInt8.self),
            let c = rows.2.baseAddress?.assumingMemoryBound(to: UInt8.self),
            let d = rows.3.baseAddress?.assumingMemoryBound(to: UInt8.self), let target = sums.baseAddress
        else { return }
        let (u, v) = (Int16(truncatingIfNeeded: weights.0), Int16(truncatingIfNeeded: weights.1))
        let (w, x) = (Int16(truncatingIfNeeded: weights.2), Int16(truncatingIfNeeded: weights.3))
        for index in 0..<sums.count {
            let above = Int32(a[index]) &* Int32(u) &+ Int32(b[index]) &* Int32(v)
            let below = Int32(c[index]) &* Int32(w) &+ Int32(d[index]) &* Int32(x)
            target[index] &+= above &+ below
        }
    }

    /// Calls `body` with the row, four numbers per pixel, with ``fractionBits`` fractional bits.
    func withSums<R>(_ body: (UnsafeBufferPointer<Int32>) -> R) -> R { sums.withUnsafeBufferPointer(body) }

    /// Scales the row horizontally and writes it.
    func write(to target: UnsafeMutableRawBufferPointer, at offset: Int, _ across: ResamplingWeights) {
        let shift = Int64(Self.fractionBits + across.fractionBits)
        sums.withUnsafeBytes { sums in
            for x in 0..<across.count {
                let pixel = across.withWeights(of: x) { first, weights in
                    Self.pixel(sums, first, weights, shift)
                }
                target.storeBytes(of: pixel, toByteOffset: offset + x * 4, as: SIMD4<UInt8>.self)
            }
        }
    }

    private static func pixel(
        _ sums: UnsafeRawBufferPointer, _ first: Int, _ weights: UnsafeBufferPointer<Int32>, _ shift: Int64
    ) -> SIMD4<UInt8> {
        let half: Int64 = 1 << (shift - 1)
        var (red, green, blue, alpha) = (half, half, half, half)
        for (number, weight) in weights.enumerated() {
            let sum = sums.load(fromByteOffset: (first + number) * 16, as: SIMD4<Int32>.self)
            red &+= Int64(sum[0]) &* Int64(weight)
            green &+= Int64(sum[1]) &* Int64(weight)
            blue &+= Int64(sum[2]) &* Int64(weight)
            alpha &+= Int64(sum[3]) &* Int64(weight)
        }
        let seen = max(0, min(255, alpha &>> shift))
        func colour(_ sum: Int64) -> UInt8 { UInt8(truncatingIfNeeded: max(0, min(seen, sum &>> shift))) }
        return SIMD4(colour(red), colour(green), colour(blue), UInt8(truncatingIfNeeded: seen))
    }
}
