/// Counts colors and finds a small palette that represents them best.
///
/// Up to 8,192 colors are counted individually; if there are more, those in the same cube are counted as their mean,
/// with cubes that grow as needed. The colors are then split repeatedly where that removes most of the squared error,
/// and finally each part's mean moves to the mean of the colors nearest to it (Lloyd's algorithm). Takes 600 KB.
struct ColorHistogram {
    /// The corners of the cubes in memory order, as a hash table; 0 for an empty slot.
    private var corners = [UInt32](repeating: 0, count: Self.slots)
    /// The sums of red, green and blue, and the count, for each cube.
    private var sums = [SIMD4<Int>](repeating: .zero, count: Self.slots)
    private var count = 0
    /// The bits that the colors of a cube have in common.
    private var mask = UInt32.max

    private static let slots = 1 << 14
    private static let mostCubes = slots / 2

    /// Counts a color, given in memory order.
    mutating func add(_ color: UInt32) {
        add(SIMD4(Int(color & 255), Int(color >> 8 & 255), Int(color >> 16 & 255), 1), to: color & mask)
    }

    private mutating func add(_ sum: SIMD4<Int>, to corner: UInt32) {
        var slot = Int((corner &* 0x9E37_79B1) >> 18)
        while corners[slot] != 0, corners[slot] != corner { slot = (slot + 1) & (Self.slots - 1) }
        if corners[slot] == 0 {
            if count == Self.mostCubes {
                enlargeCubes()
                return add(sum, to: corner & mask)
            }
            corners[slot] = corner
            count += 1
        }
        sums[slot] &+= sum
    }

    private mutating func enlargeCubes() {
        let old = zip(corners, sums).filter { $0.0 != 0 }
        let channel = (mask & 0xFF) << 1 & 0xFF
        mask = 0xFF00_0000 | channel << 16 | channel << 8 | channel
        count = 0
        for slot in corners.indices { (corners[slot], sums[slot]) = (0, .zero) }
        for (corner, sum) in old { add(sum, to: corner & mask) }
    }

    /// Up to `count` colors, at least 1 if any was counted; each as 0xFFBBGGRR.
    func palette(of count: Int) -> [UInt32] {
        var points = sums.filter { $0.w > 0 }.map(ColorPoint.init)
        var parts = [ColorPart(points, points.indices)]
        while parts.count < count, let index = parts.indices.max(by: { parts[$0].gain < parts[$1].gain }),
            parts[index].gain > 0
        {
            let (low, high) = parts[index].split(&points)
            parts[index] = low
            parts.append(high)
        }
        var means = parts.map(\.mean)
        for _ in 0..<Self.rounds { means = Self.moved(means, points) }
        return means.map(\.color)
    }

    /// More rounds gain almost nothing.
    private static let rounds = 3

    /// Moves each mean to the mean of the points that are nearest to it.
    private static func moved(_ means: [SIMD4<Float>], _ points: [ColorPoint]) -> [SIMD4<Float>] {
        var sums = [SIMD4<Double>](repeating: .zero, count: means.count)
        for point in points {
            var (best, least) = (0, Float.infinity)
            for index in means.indices {
                let difference = point.place - means[index]
                let distance = (difference * difference).sum()
                if distance < least { (best, least) = (index, distance) }
            }
            sums[best] += point.weighed
        }
        return means.indices.map { index in
            sums[index].w == 0 ? means[index] : sums[index].mean
        }
    }
}

/// The mean of the colors in a cube, and their number.
struct ColorPoint {
    /// Red, green, blue and 0.
    let place: SIMD4<Float>
    let count: Double

    init(_ cube: SIMD4<Int>) {
        count = Double(cube.w)
        place = [
            Float(Double(cube.x) / count), Float(Double(cube.y) / count), Float(Double(cube.z) / count), 0,
        ]
    }

    /// The sums of red, green and blue, and the count.
    var weighed: SIMD4<Double> { (SIMD4<Double>(place) + [0, 0, 0, 1]) * count }
}

/// A contiguous range of the points, and the best way to split it.
struct ColorPart {
    private let range: Range<Int>
    private let sum: SIMD4<Double>
    /// The channel with the largest differences.
    private let axis: Int
    /// The sum of squared differences from the mean in that channel, over all colors.
    let gain: Double

    var mean: SIMD4<Float> { sum.mean }

    init(_ points: [ColorPoint], _ range: Range<Int>) {
        self.range = range
        let sum = points[range].reduce(SIMD4<Double>.zero) { $0 + $1.weighed }
        self.sum = sum
        var squares = SIMD4<Double>.zero
        if sum.w > 0 {
            let mean = sum / sum.w * [1, 1, 1, 0]
            for point in points[range] {
                let difference = SIMD4<Double>(point.place) - mean
                squares += difference * difference * point.count
            }
        }
        let axis = (0..<3).max { squares[$0] < squares[$1] } ?? 0
        self.axis = axis
        gain = range.count > 1 ? squares[axis] : 0
    }

    /// Sorts the points by the channel and splits them so that the remaining squared error is minimal.
    ///
    /// There must be at least two points.
    func split(_ points: inout [ColorPoint]) -> (ColorPart, ColorPart) {
        points[range].sort { $0.place[axis] < $1.place[axis] }
        var (cut, best) = (range.lowerBound + 1, -1.0)
        var (low, count) = (0.0, 0.0)
        for index in range.dropLast() {
            low += Double(points[index].place[axis]) * points[index].count
            count += points[index].count
            let high = sum[axis] - low
            // The reduction of the squared error by the two means.
            let value = low * low / count + high * high / (sum.w - count)
            if value > best { (cut, best) = (index + 1, value) }
        }
        return (ColorPart(points, range.lowerBound..<cut), ColorPart(points, cut..<range.upperBound))
    }
}

extension SIMD4<Double> {
    /// The mean of colors whose sum and count this is; 0 if there are none.
    fileprivate var mean: SIMD4<Float> { w == 0 ? .zero : SIMD4<Float>(self / w) * [1, 1, 1, 0] }
}

extension SIMD4<Float> {
    /// The values rounded to integers, as a color in memory order.
    fileprivate var color: UInt32 {
        let whole = SIMD4<UInt32>(
            clamped(lowerBound: .zero, upperBound: .init(repeating: 255)).rounded(.toNearestOrEven))
        return whole.x | whole.y << 8 | whole.z << 16 | 0xFF00_0000
    }
}
