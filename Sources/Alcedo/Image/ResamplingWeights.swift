/// The weight of each source pixel of a row or column in each target pixel: the kernel of a filter, stretched
/// over the source pixels that a target pixel covers.
///
/// Weights are fixed-point numbers. The weights of one target pixel sum to exactly 1, so that a uniform area stays
/// unchanged. The weights of the last target pixels mirror those of the first ones, so that scaling a mirrored image
/// gives the mirrored result.
struct ResamplingWeights: Sendable {
    /// Fractional bits of most weights. A weighted sum of numbers with seven fractional bits then fits an Int32.
    static let fewBits: Int32 = 15
    /// Fractional bits if a weight is 1 or more, as when a side grows.
    private static let bitsOfLargeWeights: Int32 = 14
    /// Fractional bits for the largest reductions. When a side of 32,768 becomes one pixel, a weight is 1/32,768. A
    /// weighted sum of bytes fits an Int32: with the negative weights, the magnitudes sum to less than 2.
    static let manyBits: Int32 = 20
    /// The smallest reduction (source pixels per target pixel) at which a weight with more bits fits an Int16.
    private static let leastOfManyBits = 65

    let fractionBits: Int32

    /// The first contributing source pixel of each target pixel, and where its weights begin, with one more entry at
    /// the end.
    private let firsts: [Int]
    private let offsets: [Int]
    private let weights: [Int16]

    /// Creates the weights for scaling a side of `source` pixels to `target` pixels; both are at least 1.
    ///
    /// - Parameters:
    ///   - whole: the side of which `source` pixels are a reduction by `denominator`. If the division leaves a
    ///     remainder, the last pixel covers less than the others, and the weights aren't symmetric.
    ///   - offset: how much of the first pixel lies before the side, in units of `whole`.
    ///   - filter: the kernel.
    init(
        from source: Int, to target: Int, of whole: Int? = nil, dividedBy denominator: Int = 1, at offset: Int = 0,
        filter: ResamplingFilter = .catmullRom
    ) {
        let side: Side = (source, whole ?? source, whole == nil ? 1 : denominator, offset)
        let bits = source / target >= Self.leastOfManyBits ? Self.manyBits : Self.fewBits
        let table = Self.table(side, target, filter, bits)
        if table.weights.allSatisfy({ Int16(exactly: $0) != nil }) {
            (firsts, offsets, weights) = (table.firsts, table.offsets, table.weights.map { Int16($0) })
            fractionBits = bits
        } else {
            let table = Self.table(side, target, filter, Self.bitsOfLargeWeights)
            (firsts, offsets, weights) = (table.firsts, table.offsets, table.weights.map { Int16(clamping: $0) })
            fractionBits = Self.bitsOfLargeWeights
        }
    }

    /// Firsts, offsets, and weights with this number of fractional bits. The weights of each target pixel sum to
    /// exactly 1.
    static func table(
        _ side: Side, _ target: Int, _ filter: ResamplingFilter, _ bits: Int32
    ) -> (firsts: [Int], offsets: [Int], weights: [Int32]) {
        let one = Int32(1) << bits
        let own = side.whole % side.denominator == 0 && side.offset == 0 ? (target + 1) / 2 : target
        var (firsts, offsets, weights): ([Int], [Int], [Int32]) = ([], [0], [])
        firsts.reserveCapacity(target)
        offsets.reserveCapacity(target + 1)
        func append(_ first: Int, _ row: some Sequence<Int32>) {
            firsts.append(first)
            weights.append(contentsOf: row)
            offsets.append(weights.count)
        }
        for pixel in 0..<own {
            let (first, values) = kernel(of: pixel, side, target, filter)
            append(first, fixed(values, one, isMirrored: own < target && 2 * pixel + 1 == target))
        }
        for pixel in own..<target {
            let mirrored = target - 1 - pixel
            let row = weights[offsets[mirrored]..<offsets[mirrored + 1]]
            append(side.pixels - firsts[mirrored] - row.count, row.reversed())
        }
        return (firsts, offsets, weights)
    }

    typealias Side = (pixels: Int, whole: Int, denominator: Int, offset: Int)

    /// The number of target pixels.
    var count: Int { firsts.count }

    /// The largest number of weights of a target pixel.
    var mostWeights: Int { firsts.indices.reduce(0) { max($0, offsets[$1 + 1] - offsets[$1]) } }

    /// Calls `body` with the contributing source rows of target row `y`, their weights, and their number.
    ///
    /// - Parameter row: Returns the start of a source row.
    func withRows(
        of y: Int, _ row: (Int) -> UnsafePointer<UInt8>,
        _ body: (UnsafePointer<UnsafePointer<UInt8>?>?, UnsafePointer<Int16>?, Int) -> Void
    ) {
        withWeights(of: y) { first, weights in
            withUnsafeTemporaryAllocation(of: UnsafePointer<UInt8>?.self, capacity: weights.count) { rows in
                for index in weights.indices { rows.initializeElement(at: index, to: row(first + index)) }
                body(UnsafePointer(rows.baseAddress), weights.baseAddress, weights.count)
            }
        }
    }

    /// Calls `body` with the first contributing source pixel of each target pixel, the place where its weights begin,
    /// with one more entry at the end, and the weights.
    func withAll(
        _ body: (UnsafeBufferPointer<Int>, UnsafeBufferPointer<Int>, UnsafeBufferPointer<Int16>) -> Void
    ) {
        firsts.withUnsafeBufferPointer { firsts in
            offsets.withUnsafeBufferPointer { offsets in
                weights.withUnsafeBufferPointer { body(firsts, offsets, $0) }
            }
        }
    }

    /// Calls `body` with the first contributing source pixel of target pixel `pixel`, and the weights from there on.
    func withWeights<R>(of pixel: Int, _ body: (_ first: Int, _ weights: UnsafeBufferPointer<Int16>) -> R) -> R {
        weights.withUnsafeBufferPointer { all in
            body(firsts[pixel], UnsafeBufferPointer(rebasing: all[offsets[pixel]..<offsets[pixel + 1]]))
        }
    }

    /// The kernel's values at the source pixels that lie within its reach and the image.
    private static func kernel(
        of pixel: Int, _ side: Side, _ target: Int, _ filter: ResamplingFilter
    ) -> (first: Int, values: [Double]) {
        let stretch = max(1, Double(side.whole) / Double(target * side.denominator))
        // A single division of integers: exact for the middle pixel.
        let center =
            Double((2 * pixel + 1) * side.whole + 2 * target * side.offset) / Double(2 * target * side.denominator)
        let reach = filter.reach * stretch
        let first = max(0, Int((center - reach).rounded(.down)))
        let end = min(side.pixels, Int((center + reach).rounded(.up)))
        let values = (first..<end).map { filter.value(at: (Double($0) + 0.5 - center) / stretch) }
        // Pixels at the kernel's edge contribute nothing.
        let leading = values.prefix { $0 == 0 }.count
        let trailing = values.reversed().prefix { $0 == 0 }.count
        return (first + leading, Array(values[leading..<values.count - trailing]))
    }

    /// Converts `values` to fixed point so that they sum to `one`. Rounding errors carry over to the next value, so
    /// that many small values sum correctly.
    ///
    /// - Parameter isMirrored: whether the values are symmetric and the result must be too.
    private static func fixed(_ values: [Double], _ one: Int32, isMirrored: Bool) -> [Int32] {
        let half = values.prefix(values.count / 2)
        let halfSum = half.reduce(0, +)
        let middle = values.count % 2 == 1 ? values[values.count / 2] : 0
        let sum = isMirrored ? 2 * halfSum + middle : values.reduce(0, +)
        var (running, given) = (0.0, Int32(0))
        var result = (isMirrored ? half : values[...]).map { value in
            running += value
            let all = Int32((running / sum * Double(one)).rounded())
            defer { given = all }
            return all - given
        }
        if isMirrored {
            let other = result.reversed()
            if values.count % 2 == 1 { result.append(one - 2 * given) }
            result += other
        }
        return result
    }
}
