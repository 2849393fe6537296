import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

struct ScalingTests {
    private func scale(_ bitmap: Bitmap, _ width: Int, _ height: Int) throws -> Bitmap {
        let scaled = try bitmap.scaled(to: PixelSize(width: width, height: height), limits: DecodeLimits())
        #expect(scaled.size == PixelSize(width: width, height: height))
        return scaled
    }

    private func pixels(_ bitmap: Bitmap) -> [SIMD4<UInt8>] {
        (0..<bitmap.size.height).flatMap { y in (0..<bitmap.size.width).map { x in bitmap[x, y] } }
    }

    private func mirrored(_ bitmap: Bitmap) throws -> Bitmap {
        let (width, height) = (bitmap.size.width, bitmap.size.height)
        return try Pictures.make(width, height) { x, y in bitmap[width - 1 - x, height - 1 - y] }
    }

    @Test func equalSize_returnsSameImage() throws {
        let bitmap = try Pictures.noise(9, 7, seed: 1)
        #expect(try scale(bitmap, 9, 7) === bitmap)
    }

    @Test(arguments: [(7, 5), (1, 1), (3, 40), (40, 3), (31, 29), (64, 64)])
    func uniformColor_isUnchanged(width: Int, height: Int) throws {
        var random = SeededRandom(seed: 7)
        for alpha in stride(from: UInt8(0), through: 255, by: 5) {
            let color: SIMD4<UInt8> = [
                alpha, UInt8.random(in: 0...alpha, using: &random), UInt8.random(in: 0...alpha, using: &random), alpha,
            ]
            let scaled = try scale(Pictures.plain(13, 17, color), width, height)
            must(scaled == (try Pictures.plain(width, height, color)), "\(color)")
        }
    }

    @Test(arguments: [(4_000, 1, 1, 1), (1, 4_000, 1, 1), (1, 300, 1, 7), (300, 1, 7, 1), (1, 1, 5, 3), (2, 1, 1, 9)])
    func lines_remainLines(width: Int, height: Int, newWidth: Int, newHeight: Int) throws {
        let color: SIMD4<UInt8> = [11, 250, 3, 251]
        let scaled = try scale(Pictures.plain(width, height, color), newWidth, newHeight)
        #expect(pixels(scaled).allSatisfy { $0 == color })
    }

    @Test(arguments: [(2, 1), (4_000, 1), (1, 4_001), (64, 48), (257, 3)])
    func checkerboard_becomesItsMean(width: Int, height: Int) throws {
        let board = try Pictures.make(width, height) { x, y in
            (x + y) % 2 == 0 ? [255, 255, 255, 255] : [0, 0, 0, 255]
        }
        let pixel = try scale(board, 1, 1)[0, 0]
        #expect((127...128).contains(pixel[0]) && pixel[0] == pixel[1] && pixel[3] == 255, "\(pixel)")
    }

    @Test(arguments: [(200, 1), (100, 3), (33, 2), (7, 4), (500, 1), (2_560, 1)])
    func gradient_remainsMonotone(width: Int, height: Int) throws {
        let gradient = try Pictures.make(256, 8) { x, _ in [UInt8(x), UInt8(x) / 2, 255 - UInt8(x), 255] }
        let scaled = try scale(gradient, width, height)
        for y in 0..<height {
            for x in 1..<width {
                let (before, here) = (scaled[x - 1, y], scaled[x, y])
                must(before[0] <= here[0] && before[1] <= here[1] && before[2] >= here[2], "\(before) \(here)")
            }
        }
        #expect(scaled[0, 0][0] < 20 && scaled[width - 1, 0][0] > 235)
    }

    @Test func colorNeverExceedsAlpha() throws {
        for seed in 0..<40 {
            let noise = try Pictures.noise(19, 23, seed: UInt64(seed))
            for (width, height) in [(5, 6), (18, 22), (40, 50), (1, 23)] {
                let wrong = pixels(try scale(noise, width, height)).first { max($0[0], $0[1], $0[2]) > $0[3] }
                #expect(wrong == nil)
            }
        }
    }

    @Test func mirroredImage_isScaledToMirroredResult() throws {
        for seed in 0..<20 {
            let noise = try Pictures.noise(24, 17, seed: UInt64(seed))
            for (width, height) in [(5, 6), (12, 16), (23, 17), (60, 40), (1, 1), (2, 3)] {
                #expect(try scale(mirrored(noise), width, height) == mirrored(scale(noise, width, height)))
            }
        }
    }

    @Test(arguments: [(31, 23), (8, 8), (5, 40), (90, 7), (1, 1), (2, 2), (37, 29)])
    func result_matchesFormula(width: Int, height: Int) throws {
        for seed in 0..<5 {
            let noise = try Pictures.noise(37, 41, seed: UInt64(seed))
            let (scaled, exact) = (try scale(noise, width, height), Reference(noise, width, height))
            for y in 0..<height {
                for x in 0..<width {
                    let off = SIMD4<Double>(scaled[x, y]) - exact[x, y]
                    must(max(off.max(), -off.min()) <= 0.51, "(\(x), \(y)): \(scaled[x, y]) for \(exact[x, y])")
                }
            }
        }
    }

    @Test func sizeBeyondLimits_isRejected() throws {
        let bitmap = try Pictures.plain(4, 4)
        #expect(throws: ImageLoaderError.limitExceeded(.imageSide, value: 0, allowed: 65_535)) {
            try bitmap.scaled(to: PixelSize(width: 0, height: 4), limits: DecodeLimits())
        }
        #expect(throws: ImageLoaderError.limitExceeded(.imagePixels, value: 400_000_000, allowed: 1 << 28)) {
            try bitmap.scaled(to: PixelSize(width: 20_000, height: 20_000), limits: DecodeLimits())
        }
    }
}

/// The formula as it stands: every source pixel with its weight, in doubles.
private struct Reference {
    private let bitmap: Bitmap
    private let across: [[Double]]
    private let down: [[Double]]

    init(_ bitmap: Bitmap, _ width: Int, _ height: Int) {
        self.bitmap = bitmap
        across = Self.weights(bitmap.size.width, width)
        down = Self.weights(bitmap.size.height, height)
    }

    private static func weights(_ source: Int, _ target: Int) -> [[Double]] {
        let scale = Double(source) / Double(target)
        return (0..<target).map { pixel in
            let values = (0..<source).map { other in
                kernel(abs(Double(other) + 0.5 - (Double(pixel) + 0.5) * scale) / max(1, scale))
            }
            let sum = values.reduce(0, +)
            return values.map { $0 / sum }
        }
    }

    private static func kernel(_ x: Double) -> Double {
        if x <= 1 { return 1.5 * x * x * x - 2.5 * x * x + 1 }
        return x <= 2 ? -0.5 * x * x * x + 2.5 * x * x - 4 * x + 2 : 0
    }

    subscript(x: Int, y: Int) -> SIMD4<Double> {
        var sum = SIMD4<Double>.zero
        for (row, down) in down[y].enumerated() where down != 0 {
            for (column, across) in across[x].enumerated() where across != 0 {
                sum += SIMD4<Double>(bitmap[column, row]) * (down * across)
            }
        }
        let alpha = min(255, max(0, sum[3]))
        sum.clamp(lowerBound: .zero, upperBound: SIMD4(repeating: alpha))
        return sum
    }
}
