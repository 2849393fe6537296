import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Lines of every length, blurred as many at a time as the memory allows.
@Suite struct BoxBlurTests {
    /// The pixels of an image, line after line, and those that a blur makes of them.
    private struct Lines {
        /// More than are blurred at a time, and no multiple of that.
        static let count = 14
        let length: Int
        let pixels: [UInt32]

        init(length: Int, _ random: inout SeededRandom) {
            self.length = length
            pixels = (0..<Self.count * length).map { _ in UInt32.random(in: 0...UInt32.max, using: &random) }
        }

        /// The same with the rows and columns exchanged.
        private func turned(_ pixels: [UInt32], to length: Int) -> [UInt32] {
            let other = pixels.count / length
            return pixels.indices.map { pixels[$0 % length * other + $0 / length] }
        }

        func blurredAsRows(by box: BoxBlur) -> [UInt32] {
            var result = [UInt32](repeating: 0, count: pixels.count)
            pixels.withUnsafeBufferPointer { source in
                result.withUnsafeMutableBufferPointer { target in
                    guard let source = source.baseAddress, let target = target.baseAddress else { return }
                    box.blur(
                        0..<Self.count, step: length, from: source, to: target,
                        line: BoxBlur.Line(count: length, step: 1))
                }
            }
            return result
        }

        /// Within the picture, as the second pass of a blur does it.
        func blurredAsColumns(by box: BoxBlur) -> [UInt32] {
            var result = turned(pixels, to: Self.count)
            result.withUnsafeMutableBufferPointer { target in
                guard let target = target.baseAddress else { return }
                box.blur(
                    0..<Self.count, step: 1, from: UnsafePointer(target), to: target,
                    line: BoxBlur.Line(count: length, step: Self.count))
            }
            return turned(result, to: length)
        }

        /// Averages lines that continue with the same pixel as far as the boxes of all three averages reach.
        func averaged(by box: BoxBlur) -> [UInt32] {
            (0..<Self.count).flatMap { line in
                var result = [UInt32](repeating: 0, count: length)
                for shift in stride(from: 0, to: UInt32(32), by: 8) {
                    let margin = box.reach + 1
                    var values = (-3 * margin..<length + 3 * margin).map { index in
                        Int(pixels[line * length + min(max(index, 0), length - 1)] >> shift & 0xFF) << 7
                    }
                    for _ in 0..<3 { values = averaged(values, by: box) }
                    for index in 0..<length { result[index] |= UInt32((values[index] + 64) >> 7) << shift }
                }
                return result
            }
        }

        /// The averages of all boxes that are within `values`.
        private func averaged(_ values: [Int], by box: BoxBlur) -> [Int] {
            let margin = box.reach + 1
            var sum = values[1..<2 * margin].reduce(0, +)
            return (margin..<values.count - margin).map { index in
                let (last, first) = (values[index + margin], values[index - margin])
                let average = Float(sum) * box.inner + Float(last + first) * box.outer
                sum += last - values[index - margin + 1]
                return Int(average.rounded(.toNearestOrEven))
            }
        }
    }

    /// As many bytes as the buffers of 12, 8, 4, 2 and one line take, at least.
    private static func memories(_ deviation: Double) -> [Int] {
        let least = BoxBlur(deviation: deviation, within: 0).byteCount
        return [1 << 30] + [12, 8, 4, 2, 1].map { $0 * least } + [0]
    }

    @Test(arguments: [0.1, 0.7, 2.5, 9, 40, 150])
    func lines_areAveragedThreeTimes_howeverFewAtATime(deviation: Double) {
        var random = SeededRandom(seed: Fuzz.seed)
        for length in [1, 2, 9, 33, 100] {
            let lines = Lines(length: length, &random)
            let expected = lines.averaged(by: BoxBlur(deviation: deviation, within: 0))
            for memory in Self.memories(deviation) {
                let box = BoxBlur(deviation: deviation, within: memory)
                must(lines.blurredAsRows(by: box) == expected, "\(length) pixels, \(memory) bytes")
                must(lines.blurredAsColumns(by: box) == expected, "\(length) pixels of a column, \(memory) bytes")
            }
        }
    }

    /// With the widest box, the averages of each take some 100,000 steps, and of all more time than there is.
    @Test(.timeLimit(.minutes(1))) func linesOfOnePixel_areCopied() {
        let pixels = (0..<1_000_000).map { UInt32($0) &* 0x9E37_79B1 }
        var result = [UInt32](repeating: 0, count: pixels.count)
        pixels.withUnsafeBufferPointer { source in
            result.withUnsafeMutableBufferPointer { target in
                guard let source = source.baseAddress, let target = target.baseAddress else { return }
                BoxBlur(deviation: 32_767, within: 1 << 30).blur(
                    0..<1_000_000, step: 1, from: source, to: target, line: BoxBlur.Line(count: 1, step: 1))
            }
        }
        #expect(result == pixels)
    }

    /// Each thread of a blur has buffers of its own.
    @Test func buffers_takeNoMoreThan64Rows() {
        for width in [20, 48, 100, 390, 1_000, 3_000, 4_000, 65_535] {
            let allowed = 64 * 4 * width
            for radius in [0.1, 1, 20, 150, 5_000, Double(width) / 4, Double(width), Double(5 * width)] {
                guard radius <= Double(5 * width), radius <= 5_000 else { continue }
                let bytes = BoxBlur(deviation: radius, within: allowed).byteCount
                #expect(bytes <= allowed, "a radius of \(radius), \(width) wide")
            }
        }
    }

    /// What they are depends on the radius, and not on the picture, unless it is narrow.
    @Test(arguments: [390, 3_000, 4_000]) func buffersOfCommonPictures_holdTwelveLines(width: Int) {
        let bytesOfLine = 24 * 72 + 48
        #expect(BoxBlur(deviation: 20, within: 64 * 4 * width).byteCount == 12 * bytesOfLine)
    }
}
