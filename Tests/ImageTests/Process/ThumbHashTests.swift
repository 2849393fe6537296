import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite struct ThumbHashTests {
    private struct Sample {
        let picture: Bitmap
        let hash: String
        let size: PixelSize
        /// Straight, at the top left, in the middle, at the bottom right, and near the bottom left.
        let pixels: [SIMD4<UInt8>]
    }

    /// Pictures by a formula, with the hashes and pixels of another implementation.
    private static func samples() throws -> [Sample] {
        [
            Sample(
                picture: try Pictures.make(40, 30) { x, y in [UInt8(x * 6), UInt8(y * 8), UInt8(x * y % 256), 255] },
                hash: "5c080e1d986076777087887688688887f1b10ff788", size: PixelSize(width: 32, height: 23),
                pixels: [[0, 0, 0, 255], [120, 110, 162, 255], [255, 252, 119, 255], [3, 238, 69, 255]]),
            Sample(
                picture: try Pictures.make(25, 37) { x, y in
                    let isInside = (x - 10) * (x - 10) + (y - 15) * (y - 15) < 150
                    return isInside ? [UInt8(x * 10), UInt8(y * 6), 200, 255] : .zero
                },
                hash: "e01486130838405448bbaa405404b4a74a688b87706878", size: PixelSize(width: 19, height: 32),
                pixels: [[51, 68, 216, 43], [133, 116, 206, 255], .zero, [62, 94, 194, 16]]),
        ]
    }

    private func hexadecimal(_ data: Data) -> String {
        data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func bytes(_ hexadecimal: String) -> Data {
        let digits = Array(hexadecimal)
        return Data(
            stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0 })
    }

    @Test func hashes_areThoseOfOtherImplementations() throws {
        for sample in try Self.samples() {
            #expect(try hexadecimal(DecodedImage(bitmap: sample.picture).thumbHash()) == sample.hash)
        }
        let wide = try Pictures.make(100, 9) { x, y in
            [UInt8(255 - x * 2), UInt8(40 + x * y * y / 60), UInt8(x * 2), 255]
        }
        #expect(try hexadecimal(DecodedImage(bitmap: wide).thumbHash()) == "5ac8027198837787b088a7878f87f89777")
    }

    @Test func pictures_areThoseOfOtherImplementations() throws {
        for sample in try Self.samples() {
            let bitmap = try DecodedImage(thumbHash: bytes(sample.hash)).bitmap
            #expect(bitmap.size == sample.size)
            let (width, height) = (bitmap.size.width, bitmap.size.height)
            let places = [(0, 0), (width / 2, height / 2), (width - 1, height - 1), (3, height - 2)]
            for ((x, y), pixel) in zip(places, sample.pixels) {
                let straight = SIMD4<Int>(truncatingIfNeeded: pixel)
                var expected = straight &* straight.w / 255
                expected.w = straight.w
                let difference = SIMD4<Int>(truncatingIfNeeded: bitmap[x, y]) &- expected
                #expect(difference.min() >= -1 && difference.max() <= 1, "(\(x), \(y)): \(bitmap[x, y])")
            }
        }
    }

    @Test(arguments: [(64, 48), (48, 64), (300, 200), (90, 20), (1_000, 300)])
    func smoothPicture_survives(width: Int, height: Int) throws {
        let picture = try Pictures.make(width, height) { x, y in
            [UInt8(60 + 120 * x / width), UInt8(60 + 120 * y / height), 96, 255]
        }
        let image = try DecodedImage(thumbHash: DecodedImage(bitmap: picture).thumbHash())
        #expect(max(image.size.width, image.size.height) == 32)
        #expect(image.bitmap.isOpaque)
        let (one, other) = (DecodedImage(bitmap: picture).averageColor, image.averageColor)
        for (one, other) in [(one.red, other.red), (one.green, other.green), (one.blue, other.blue)] {
            #expect(abs(Int(one) - Int(other)) <= 8)
        }
    }

    @Test func anyPicture_hasHash_whosePictureIsPremultiplied() throws {
        var random = SeededRandom(seed: 5)
        for seed in 0..<60 {
            let (width, height) = (Int.random(in: 1...130, using: &random), Int.random(in: 1...130, using: &random))
            let picture = try Pictures.noise(width, height, seed: UInt64(seed))
            let hash = try DecodedImage(bitmap: picture).thumbHash()
            must((17...25).contains(hash.count), "\(hash.count)")
            let image = try DecodedImage(thumbHash: hash)
            must(image.bitmap.isPremultiplied, "\(seed)")
            must((width > height) == (image.size.width > image.size.height) || abs(width - height) < 40, "\(seed)")
        }
    }

    @Test func transparentPicture_hasHash() throws {
        let image = DecodedImage(bitmap: try Pictures.plain(7, 5, .zero))
        #expect(try DecodedImage(thumbHash: image.thumbHash()).averageColor.alpha == 0)
        #expect(image.averageColor == .clear)
    }

    @Test func badBytes_areRejected_withReason() throws {
        let good = bytes(try Self.samples()[0].hash)
        func reason(_ data: Data) -> String? {
            do {
                _ = try DecodedImage(thumbHash: data)
            } catch {
                if case .corruptImage(ImageFormat(rawValue: "thumbhash"), let reason) = error { return reason }
            }
            return nil
        }
        #expect(reason(Data()) == "0 bytes, and the header alone has 5")
        #expect(reason(good.prefix(4)) == "4 bytes, and the header alone has 5")
        #expect(reason(good.dropLast()) == "20 bytes instead of 21")
        #expect(reason(good + [0]) == "22 bytes instead of 21")
        #expect(reason(Data(repeating: 0, count: 20)) == "the number of terms is 0")
        // None traps, whatever the bytes.
        var random = SeededRandom(seed: 9)
        for _ in 0..<3_000 {
            let count = Int.random(in: 0...30, using: &random)
            _ = reason(Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }))
        }
    }

    @Test func averageColor_countsPixels_asAlphaSays() throws {
        let picture = try Pictures.make(4, 1) { x, _ in [[200, 0, 0, 255], [0, 0, 85, 85], .zero, .zero][x] }
        #expect(
            DecodedImage(bitmap: picture).averageColor == PixelColor(red: 150, green: 0, blue: 64, alpha: 85))
        let plain = DecodedImage(bitmap: try Pictures.plain(300, 200, [200, 40, 20, 255]))
        #expect(plain.averageColor == PixelColor(red: 200, green: 40, blue: 20))
    }
}
