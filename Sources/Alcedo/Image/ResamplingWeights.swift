/// How much each source pixel of a row or column adds to each target pixel: a Catmull-Rom kernel, stretched over the
/// source pixels that a target pixel covers.
///
/// Weights are fixed-point numbers and those of a target pixel sum to exactly 1, so that an even surface stays as it
/// is. The weights of the last target pixels are those of the first ones, mirrored: a mirrored picture is scaled to the
/// mirrored result.
struct ResamplingWeights: Sendable {
    /// Bits behind the point where a side becomes less than half as long, but for the largest reductions: there a
    /// weight fits an Int16, which the processor multiplies several times as fast.
    static let fewBits: Int32 = 15
    /// Those of the others. Where a side of 32,768 becomes one pixel, a weight is 1/32,768. A byte times the weights of
    /// a pixel stays within an Int32: the negative ones make their magnitudes sum to no more than 1.5.
    static let manyBits: Int32 = 22
    /// How many source pixels a target pixel stands for where few bits do.
    private static let reductionsOfFewBits = 2...64

    /// ``fewBits`` or ``manyBits``.
    let fractionBits: Int32

    /// The first source pixel that counts for each target pixel, and where its weights begin; one more at the end.
    private let firsts: [Int]
    private let offsets: [Int]
    private let weights: [Int32]

    /// For a side of `source` pixels that becomes one of `target` pixels; both are at least 1.
    ///
    /// - Parameters:
    ///   - whole: the side of which `source` pixels are a reduction by `denominator`. When that leaves a rest, the last
    ///     pixel stands for less than the others, and the result is not the same from both ends.
    init(from source: Int, to target: Int, of whole: Int? = nil, dividedBy denominator: Int = 1) {
        let side = Side(pixels: source, whole: whole ?? source, denominator: whole == nil ? 1 : denominator)
        fractionBits = Self.reductionsOfFewBits.contains(source / target) ? Self.fewBits : Self.manyBits
        let one = Int32(1) << fractionBits
        let own = side.whole % side.denominator == 0 ? (target + 1) / 2 : target
        var (firsts, offsets, weights): ([Int], [Int], [Int32]) = ([], [0], [])
        firsts.reserveCapacity(target)
        offsets.reserveCapacity(target + 1)
        func append(_ first: Int, _ row: some Sequence<Int32>) {
            firsts.append(first)
            weights.append(contentsOf: row)
            offsets.append(weights.count)
        }
        for pixel in 0..<own {
            let (first, values) = Self.kernel(of: pixel, side, target)
            append(first, Self.fixed(values, one, isMirrored: own < target && 2 * pixel + 1 == target))
        }
        for pixel in own..<target {
            let mirrored = target - 1 - pixel
            let row = weights[offsets[mirrored]..<offsets[mirrored + 1]]
            append(source - firsts[mirrored] - row.count, row.reversed())
        }
        (self.firsts, self.offsets, self.weights) = (firsts, offsets, weights)
    }

    private struct Side {
        let pixels: Int
        let whole: Int
        let denominator: Int
    }

    /// Target pixels.
    var count: Int { firsts.count }

    /// Calls `body` with the first source pixel that counts for target pixel `pixel`, and the weights from there on.
    func withWeights<R>(of pixel: Int, _ body: (_ first: Int, _ weights: UnsafeBufferPointer<Int32>) -> R) -> R {
        weights.withUnsafeBufferPointer { all in
            body(firsts[pixel], UnsafeBufferPointer(rebasing: all[offsets[pixel]..<offsets[pixel + 1]]))
        }
    }

    /// The kernel's values over the source pixels that are not beyond its reach or the edge.
    private static func kernel(of pixel: Int, _ side: Side, _ target: Int) -> (first: Int, values: [Double]) {
        let stretch = max(1, Double(side.whole) / Double(target * side.denominator))
        // One division of whole numbers: exactly the middle for the middle pixel.
        let centre = Double((2 * pixel + 1) * side.whole) / Double(2 * target * side.denominator)
        let reach = 2 * stretch
        let first = max(0, Int((centre - reach).rounded(.down)))
        let end = min(side.pixels, Int((centre + reach).rounded(.up)))
        let values = (first..<end).map { catmullRom((Double($0) + 0.5 - centre) / stretch) }
        // Pixels at its edge add nothing.
        let leading = values.prefix { $0 == 0 }.count
        let trailing = values.reversed().prefix { $0 == 0 }.count
        return (first + leading, Array(values[leading..<values.count - trailing]))
    }

    /// The cubic that passes through its points (Keys, 1981, with a = -1/2).
    private static func catmullRom(_ distance: Double) -> Double {
        let x = abs(distance)
        if x < 1 { return (1.5 * x - 2.5) * x * x + 1 }
        if x < 2 { return ((-0.5 * x + 2.5) * x - 4) * x + 2 }
        return 0
    }

    /// `values` so that they sum to `one`. What rounding takes from one is given to the next, so that many small ones
    /// are right together.
    ///
    /// - Parameter isMirrored: whether they are the same from both ends, and the result is to be so.
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
