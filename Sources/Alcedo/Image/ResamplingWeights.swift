/// The weight of each source pixel of a row or column in each target pixel: the kernel of a filter, stretched
/// over the source pixels that a target pixel covers.
///
/// Weights are fixed-point numbers. Those of one target pixel sum to exactly 1, so that a uniform area stays unchanged.
/// The weights of the last target pixels mirror those of the first ones, so that scaling a mirrored picture gives the
/// mirrored result.
struct ResamplingWeights: Sendable {
    /// Fractional bits when a side shrinks to half its length or less, except for the largest reductions. The weights
    /// then fit an Int16, which the processor multiplies several times as fast.
    static let fewBits: Int32 = 15
    /// Fractional bits in all other cases. When a side of 32,768 becomes one pixel, a weight is 1/32,768. A byte times
    /// the weights of a pixel fits an Int32: with the negative weights, the magnitudes sum to less than 2.
    static let manyBits: Int32 = 22
    /// The reductions (source pixels per target pixel) for which few bits suffice.
    private static let reductionsOfFewBits = 2...64

    let fractionBits: Int32

    /// The first contributing source pixel of each target pixel, and where its weights begin, with one more entry at
    /// the end.
    private let firsts: [Int]
    private let offsets: [Int]
    private let weights: [Int32]

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
        fractionBits = Self.reductionsOfFewBits.contains(source / target) ? Self.fewBits : Self.manyBits
        let one = Int32(1) << fractionBits
        let own = side.whole % side.denominator == 0 && offset == 0 ? (target + 1) / 2 : target
        var (firsts, offsets, weights): ([Int], [Int], [Int32]) = ([], [0], [])
        firsts.reserveCapacity(target)
        offsets.reserveCapacity(target + 1)
        func append(_ first: Int, _ row: some Sequence<Int32>) {
            firsts.append(first)
            weights.append(contentsOf: row)
            offsets.append(weights.count)
        }
        for pixel in 0..<own {
            let (first, values) = Self.kernel(of: pixel, side, target, filter)
            append(first, Self.fixed(values, one, isMirrored: own < target && 2 * pixel + 1 == target))
        }
        for pixel in own..<target {
            let mirrored = target - 1 - pixel
            let row = weights[offsets[mirrored]..<offsets[mirrored + 1]]
            append(source - firsts[mirrored] - row.count, row.reversed())
        }
        (self.firsts, self.offsets, self.weights) = (firsts, offsets, weights)
    }

    private typealias Side = (pixels: Int, whole: Int, denominator: Int, offset: Int)

    /// The number of target pixels.
    var count: Int { firsts.count }

    /// Calls `body` with the first contributing source pixel of target pixel `pixel`, and the weights from there on.
    func withWeights<R>(of pixel: Int, _ body: (_ first: Int, _ weights: UnsafeBufferPointer<Int32>) -> R) -> R {
        weights.withUnsafeBufferPointer { all in
            body(firsts[pixel], UnsafeBufferPointer(rebasing: all[offsets[pixel]..<offsets[pixel + 1]]))
        }
    }

    /// The kernel's values at the source pixels that lie within its reach and the picture.
    private static func kernel(
        of pixel: Int, _ side: Side, _ target: Int, _ filter: ResamplingFilter
    ) -> (first: Int, values: [Double]) {
        let stretch = max(1, Double(side.whole) / Double(target * side.denominator))
        // A single division of integers: exact for the middle pixel.
        let centre =
            Double((2 * pixel + 1) * side.whole + 2 * target * side.offset) / Double(2 * target * side.denominator)
        let reach = filter.reach * stretch
        let first = max(0, Int((centre - reach).rounded(.down)))
        let end = min(side.pixels, Int((centre + reach).rounded(.up)))
        let values = (first..<end).map { filter.value(at: (Double($0) + 0.5 - centre) / stretch) }
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
