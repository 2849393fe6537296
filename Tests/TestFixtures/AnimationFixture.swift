import AlcedoTestSupport
import Foundation

@testable import Alcedo

/// Animations made for tests, and the frames of a file.
enum AnimationFixture {
    /// All frames of a file, composed; a single one for a still image.
    static func frames(of file: Data) throws -> [Bitmap] {
        let image = try ImageDecoders.builtIn.decode(file)
        guard let animation = image.animation else { return [image.bitmap] }
        let reader = animation.makeReader()
        return try (0..<animation.frameCount).compactMap { index in
            try reader.make(FrameQueue<Bitmap>.Job(index: index, isStart: index == 0, isSeen: true)).get()
        }
    }

    /// A square that moves over a ground. If `isOpaque` is false, the ground is transparent and the square leaves holes
    /// behind. There are at most 256 colors.
    static func square(_ width: Int, _ height: Int, count: Int, isOpaque: Bool) throws -> [Bitmap] {
        try (0..<count).map { number in
            try Pictures.make(width, height) { x, y in
                let (left, top) = (number * 3 % width, number * 2 % height)
                if (left..<left + 3).contains(x), (top..<top + 3).contains(y) {
                    return [UInt8(number * 40 % 256), 200, UInt8(x * 16 % 256), 255]
                }
                return isOpaque ? [10, UInt8(y * 8 % 256), 30, 255] : [0, 0, 0, 0]
            }
        }
    }

    /// Returns consecutive frames. The first is shown for 20 ms, and each one for 10 ms longer than the one before.
    static func timed(_ frames: [Bitmap]) -> [AnimationFrame] {
        frames.enumerated().map { AnimationFrame($0.element, delay: .milliseconds(20 + $0.offset * 10)) }
    }

    /// Returns small bitmaps with opaque and transparent pixels, which have at most `colors` colors. Each frame
    /// differs from the previous one in some places.
    static func random(_ random: inout SeededRandom, colors: Int) throws -> [Bitmap] {
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        let (width, height, count) = (number(1...17), number(1...17), number(1...5))
        let palette: [SIMD4<UInt8>] = (0..<number(1...colors)).map { index in
            index == 0 && number(0...1) == 0
                ? [0, 0, 0, 0] : [UInt8(number(0...255)), UInt8(number(0...255)), UInt8(number(0...255)), 255]
        }
        var pixels = (0..<width * height).map { _ in palette[number(0...palette.count - 1)] }
        return try (0..<count).map { _ in
            for _ in 0..<number(0...width * height) {
                pixels[number(0...pixels.count - 1)] = palette[number(0...palette.count - 1)]
            }
            return try Pictures.make(width, height) { x, y in pixels[y * width + x] }
        }
    }
}
