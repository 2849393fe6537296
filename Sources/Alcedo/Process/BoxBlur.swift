/// Blurs rows or columns by averaging over a box three times, which is close to a Gaussian function.
///
/// The box has a whole number of pixels, and a fraction of one more at each end, so that the variance is exact
/// (Gwosdek, Grewenig, Bruhn and Weickert, "Theoretical Foundations of Gaussian Convolution by Extended Box Filtering",
/// 2011).
///
/// Several lines are blurred at a time, by loops that the compiler vectorizes. Each step is monotonic, so no color
/// ends up greater than its alpha.
///
/// The three averages are computed together, each one behind the previous one by the reach of the box. The buffers
/// therefore hold one box length for each average, however long the lines are.
struct BoxBlur: Sendable {
    /// The number of lines that are blurred at a time, unless their buffers would be too large. Fewer lines at a time
    /// are slower.
    static let mostLanes = 12
    private static let fewerLanes = [8, 4, 2, 1]

    /// The number of whole pixels on each side of the middle one.
    let reach: Int
    /// The weights of a whole pixel, and of the pixels at the ends.
    let inner: Float
    let outer: Float
    /// The number of lines that are blurred at a time.
    private let lanes: Int
    /// The number of pixels of each line that are averaged before the next average continues.
    private let block: Int

    /// The layout of the pixels of a row or column.
    struct Line: Sendable {
        let count: Int
        /// The distance in memory from one pixel to the next, in pixels.
        let step: Int
    }

    /// The fractional bits of intermediate results, so that these aren't rounded to whole levels. With boxes up to
    /// 65,537 pixels long, sums still fit an Int32.
    private static let fractionBits: UInt16 = 7
    private static let passes = 3
    private static let blockSizes = 8...32
    /// The memory that a pixel and the sums of one line take, for all averages.
    private static let bytesPerPlace = passes * 4 * MemoryLayout<UInt16>.stride
    private static let bytesOfSums = passes * 4 * MemoryLayout<Int32>.stride

    /// - Parameters:
    ///   - deviation: In pixels; from 0, exclusive, to 32,767.
    ///   - bytes: The memory that the buffers may take. They take more if a single line needs more.
    init(deviation: Double, within bytes: Int) {
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
        let span = 2 * (self.reach + 1)
        func largestBlock(_ lanes: Int) -> Int { (bytes / lanes - Self.bytesOfSums) / Self.bytesPerPlace - span }
        let sizes = Self.blockSizes
        lanes = ([Self.mostLanes] + Self.fewerLanes).first { largestBlock($0) >= sizes.lowerBound } ?? 1
        block = min(max(sizes.lowerBound, largestBlock(lanes)), sizes.upperBound)
    }

    /// The number of pixels of a line that the buffers hold for each average: those of a box and a block.
    private var places: Int { 2 * margin + block }
    private var margin: Int { reach + 1 }

    /// The memory that the buffers take.
    var byteCount: Int { lanes * (places * Self.bytesPerPlace + Self.bytesOfSums) }

    /// Blurs lines. Beyond their ends, lines continue with the same pixel.
    ///
    /// - Parameter step: The number of pixels in memory from one line to the next.
    func blur(
        _ lines: Range<Int>, step: Int, from source: UnsafePointer<UInt32>, to target: UnsafeMutablePointer<UInt32>,
        line: Line
    ) {
        // A line of one pixel continues with that pixel at both ends, so it stays as it is.
        guard line.count > 1 else { return lines.forEach { target[$0 * step] = source[$0 * step] } }
        let width = 4 * lanes
        withUnsafeTemporaryAllocation(of: UInt16.self, capacity: Self.passes * width * places) { numbers in
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: Self.passes * width) { sums in
                numbers.update(repeating: 0)
                guard let numbers = numbers.baseAddress, let sums = sums.baseAddress else { return }
                for first in stride(from: lines.lowerBound, to: lines.upperBound, by: lanes) {
                    let group = Group(
                        source: source + first * step, target: target + first * step, line: line,
                        count: min(lanes, lines.upperBound - first), step: step)
                    blur(group, numbers, sums)
                }
            }
        }
    }

    /// Lines that are blurred together.
    private struct Group {
        let source: UnsafePointer<UInt32>
        let target: UnsafeMutablePointer<UInt32>
        let line: Line
        let count: Int
        let step: Int
    }

    /// - Parameters:
    ///   - numbers: The inputs of the averages, one after the other, as rings. All rings are at the same place.
    ///   - sums: The sums of the averages, one after the other.
    private func blur(_ group: Group, _ numbers: UnsafeMutablePointer<UInt16>, _ sums: UnsafeMutablePointer<Int32>) {
        let width = 4 * lanes
        let ring = places * width
        fill(numbers, sums, group)
        var place = 2 * margin
        let lag = Self.passes * margin
        for start in stride(from: 1, to: group.line.count + lag, by: block) {
            let count = min(block, group.line.count + lag - start)
            load(start..<start + count, of: group, to: numbers, at: place)
            average(numbers, at: place, count, sums, to: numbers + ring, at: place)
            average(numbers + ring, at: place, count, sums + width, to: numbers + 2 * ring, at: place)
            // The first average is done with these places, and they are the next ones to be read.
            let free = wrapped(place + block)
            average(numbers + 2 * ring, at: place, count, sums + 2 * width, to: numbers, at: free)
            let early = max(0, lag - start)
            if early < count {
                store(start + early - lag..<start + count - lag, of: group, from: numbers, at: free + early)
            }
            place = free
        }
    }

    /// The place in a ring, wrapped at its end.
    private func wrapped(_ place: Int) -> Int { place < places ? place : place - places }

    /// Fills the rings with the first pixel of each line, which also continues the line before its beginning.
    private func fill(
        _ numbers: UnsafeMutablePointer<UInt16>, _ sums: UnsafeMutablePointer<Int32>, _ group: Group
    ) {
        let width = 4 * lanes
        load(0..<1, of: group, to: numbers, at: 0)
        for pass in 0..<Self.passes {
            for place in 0..<2 * margin {
                (numbers + (pass * places + place) * width).update(from: numbers, count: width)
            }
            for lane in 0..<width { sums[pass * width + lane] = Int32(numbers[lane]) &* Int32(2 * reach + 1) }
        }
    }

    /// Copies pixels of several lines so that those with the same index are next to each other.
    private func load(_ pixels: Range<Int>, of group: Group, to numbers: UnsafeMutablePointer<UInt16>, at place: Int) {
        for index in pixels {
            let numbers = numbers + wrapped(place + index - pixels.lowerBound) * 4 * lanes
            let source = group.source + min(index, group.line.count - 1) * group.line.step
            for lane in 0..<group.count {
                let pixel = source[lane * group.step]
                let bytes = SIMD4(
                    UInt16(truncatingIfNeeded: pixel & 0xFF), UInt16(truncatingIfNeeded: pixel >> 8 & 0xFF),
                    UInt16(truncatingIfNeeded: pixel >> 16 & 0xFF), UInt16(truncatingIfNeeded: pixel >> 24))
                UnsafeMutableRawPointer(numbers + 4 * lane).storeBytes(
                    of: bytes &<< Self.fractionBits, as: SIMD4<UInt16>.self)
            }
        }
    }

    /// Rounds the numbers and copies them back.
    private func store(_ pixels: Range<Int>, of group: Group, from numbers: UnsafePointer<UInt16>, at place: Int) {
        let half: UInt16 = 1 << (Self.fractionBits - 1)
        for index in pixels {
            let numbers = numbers + wrapped(place + index - pixels.lowerBound) * 4 * lanes
            let target = group.target + index * group.line.step
            for lane in 0..<group.count {
                let four = UnsafeRawPointer(numbers + 4 * lane).loadUnaligned(as: SIMD4<UInt16>.self)
                let bytes = (four &+ half) &>> Self.fractionBits
                let low = UInt32(bytes[0]) | UInt32(bytes[1]) << 8
                target[lane * group.step] = low | UInt32(bytes[2]) << 16 | UInt32(bytes[3]) << 24
            }
        }
    }

    /// Computes one average for `count` pixels. Their boxes end at successive pixels of `numbers`, from `place` on.
    private func average(
        _ numbers: UnsafePointer<UInt16>, at place: Int, _ count: Int, _ sums: UnsafeMutablePointer<Int32>,
        to results: UnsafeMutablePointer<UInt16>, at resultPlace: Int
    ) {
        let width = 4 * lanes
        for offset in 0..<count {
            let last = wrapped(place + offset)
            let first = wrapped(last + block)
            let ends = (numbers + last * width, numbers + first * width, numbers + wrapped(first + 1) * width)
            let result = results + wrapped(resultPlace + offset) * width
            // Most images take this loop, whose length the compiler knows.
            if width == 4 * Self.mostLanes {
                average(ends, sums, to: result, 4 * Self.mostLanes)
            } else {
                average(ends, sums, to: result, width)
            }
        }
    }

    private typealias Ends = (
        last: UnsafePointer<UInt16>, first: UnsafePointer<UInt16>, second: UnsafePointer<UInt16>
    )

    @inline(__always) private func average(
        _ box: Ends, _ sums: UnsafeMutablePointer<Int32>, to result: UnsafeMutablePointer<UInt16>, _ width: Int
    ) {
        let (inner, outer) = (inner, outer)
        for lane in 0..<width {
            let ends = Float(Int32(box.last[lane]) &+ Int32(box.first[lane]))
            let average = Float(sums[lane]) * inner + ends * outer
            sums[lane] = sums[lane] &+ Int32(box.last[lane]) &- Int32(box.second[lane])
            // Adding 2^23 rounds the number, and leaves it in the lowest bits.
            result[lane] = UInt16(truncatingIfNeeded: (average + 8_388_608).bitPattern)
        }
    }
}
