/// Blurs rows or columns by averaging over a box three times, which is close to a Gaussian function.
///
/// The box has a whole number of pixels, and a fraction of one more at each end, so that the variance is exact
/// (Gwosdek, Grewenig, Bruhn and Weickert, "Theoretical Foundations of Gaussian Convolution by Extended Box Filtering",
/// 2011).
///
/// Several lines are blurred at a time, by loops that the compiler vectorises. Each step is monotonic, so no colour
/// ends up greater than its alpha.
struct BoxBlur: Sendable {
    /// The number of lines that are blurred at a time. Their buffers take as much memory as 48 lines of pixels, and
    /// more for a large radius. Fewer lines at a time are slower.
    static let lanes = 12

    /// The whole pixels to each side of the middle one.
    private let reach: Int
    /// The weight of a whole pixel, and of the ones at the ends.
    private let inner: Float
    private let outer: Float

    /// Where the pixels of a row or column are.
    struct Line: Sendable {
        let count: Int
        /// The number of pixels in memory from one to the next.
        let step: Int
    }

    /// The fractional bits of intermediate results, so that these aren't rounded to whole levels. With boxes up to
    /// 65,537 pixels long, sums still fit an Int32.
    private static let fractionBits: UInt16 = 7
    private static let passes = 3

    /// - Parameter deviation: In pixels; from 0, exclusive, to 32,767.
    init(deviation: Double) {
        // The variance of one box.
        let variance = deviation * deviation / Double(Self.passes)
        let reach = ((12 * variance + 1).squareRoot() / 2 - 0.5).rounded(.down)
        // The whole pixels have a variance of ((2r + 1)² - 1) / 12; the two ends make up the rest.
        let length = 2 * reach + 1
        let whole = reach * (reach + 1) / 3
        let end = length * (variance - whole) / (2 * ((reach + 1) * (reach + 1) - variance))
        let total = length + 2 * end
        self.reach = Int(reach)
        inner = Float(1 / total)
        outer = Float(end / total)
    }

    /// Blurs lines.
    ///
    /// Beyond their ends, lines continue with the same pixel. The averages don't, so earlier passes also compute as
    /// many pixels outside as later passes reach.
    ///
    /// - Parameter step: The number of pixels in memory from one line to the next.
    func blur(
        _ lines: Range<Int>, step: Int, from source: UnsafePointer<UInt32>, to target: UnsafeMutablePointer<UInt32>,
        line: Line
    ) {
        let width = 4 * Self.lanes
        let margin = reach + 1
        let (length, whole) = (line.count + 4 * margin, 0..<line.count)
        withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 2 * width * length) { scratch in
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: width) { sums in
                guard let start = scratch.baseAddress, let sums = sums.baseAddress else { return }
                scratch.update(repeating: 0)
                let (one, other) = (start + 2 * margin * width, start + (length + 2 * margin) * width)
                let (most, more) = (-2 * margin..<line.count + 2 * margin, -margin..<line.count + margin)
                for first in stride(from: lines.lowerBound, to: lines.upperBound, by: Self.lanes) {
                    let lanes = (min(Self.lanes, lines.upperBound - first), step)
                    Self.load(source + first * step, line, lanes, to: one)
                    average(one, whole, sums, to: other, most)
                    average(other, most, sums, to: one, more)
                    average(one, more, sums, to: other, whole)
                    Self.store(other, line, lanes, to: target + first * step)
                }
            }
        }
    }

    private typealias Lanes = (count: Int, step: Int)

    /// Copies the pixels of several lines so that those with the same index are next to each other.
    private static func load(
        _ source: UnsafePointer<UInt32>, _ line: Line, _ lanes: Lanes, to target: UnsafeMutablePointer<UInt16>
    ) {
        for index in 0..<line.count {
            let numbers = target + index * 4 * Self.lanes
            for lane in 0..<lanes.count {
                let pixel = source[index * line.step + lane * lanes.step]
                let bytes = SIMD4(
                    UInt16(truncatingIfNeeded: pixel & 0xFF), UInt16(truncatingIfNeeded: pixel >> 8 & 0xFF),
                    UInt16(truncatingIfNeeded: pixel >> 16 & 0xFF), UInt16(truncatingIfNeeded: pixel >> 24))
                UnsafeMutableRawPointer(numbers + 4 * lane).storeBytes(
                    of: bytes &<< fractionBits, as: SIMD4<UInt16>.self)
            }
        }
    }

    /// Rounds the numbers and copies them back.
    private static func store(
        _ source: UnsafePointer<UInt16>, _ line: Line, _ lanes: Lanes, to target: UnsafeMutablePointer<UInt32>
    ) {
        let half: UInt16 = 1 << (fractionBits - 1)
        for index in 0..<line.count {
            let numbers = source + index * 4 * Self.lanes
            for lane in 0..<lanes.count {
                let four = UnsafeRawPointer(numbers + 4 * lane).loadUnaligned(as: SIMD4<UInt16>.self)
                let bytes = (four &+ half) &>> fractionBits
                let low = UInt32(bytes[0]) | UInt32(bytes[1]) << 8
                target[index * line.step + lane * lanes.step] = low | UInt32(bytes[2]) << 16 | UInt32(bytes[3]) << 24
            }
        }
    }

    /// Averages over the box, once, for the pixels in `results`.
    ///
    /// - Parameter given: The indices of the pixels in `source`.
    private func average(
        _ source: UnsafePointer<UInt16>, _ given: Range<Int>, _ sums: UnsafeMutablePointer<Int32>,
        to target: UnsafeMutablePointer<UInt16>, _ results: Range<Int>
    ) {
        let (width, inner, outer) = (4 * Self.lanes, inner, outer)
        func pixel(_ index: Int) -> UnsafePointer<UInt16> {
            source + min(max(index, given.lowerBound), given.upperBound - 1) * width
        }
        for lane in 0..<width { sums[lane] = 0 }
        for index in results.lowerBound - reach...results.lowerBound + reach {
            let next = pixel(index)
            for lane in 0..<width { sums[lane] &+= Int32(next[lane]) }
        }
        for index in results {
            let (next, before) = (pixel(index + reach + 1), pixel(index - reach - 1))
            let first = pixel(index - reach)
            let result = target + index * width
            for lane in 0..<width {
                let ends = Float(Int32(next[lane]) &+ Int32(before[lane]))
                let average = Float(sums[lane]) * inner + ends * outer
                sums[lane] = sums[lane] &+ Int32(next[lane]) &- Int32(first[lane])
                // Adding 2^23 rounds the number, and leaves it in the lowest bits.
                result[lane] = UInt16(truncatingIfNeeded: (average + 8_388_608).bitPattern)
            }
        }
    }
}
