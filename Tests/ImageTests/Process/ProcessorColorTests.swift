#if os(Linux) && ColorProfiles && JPEG
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Processors work in the colors of the picture.
@Suite(.timeLimit(.minutes(1))) struct ProcessorColorTests {
    /// Red is green there, and green red.
    private let swapped = ProfileEncodingTests.swapped
    /// Light itself.
    private let gray = ProfileEncodingTests.gray
    private let red = PixelColor(red: 255, green: 0, blue: 0)

    private func image(_ color: SIMD4<UInt8>, _ profile: Data?, _ side: Int = 8) throws -> DecodedImage {
        DecodedImage(
            bitmap: try Pictures.plain(side, side, color), format: nil,
            originalSize: PixelSize(width: side, height: side), profile: profile)
    }

    /// The first pixel of the result, whose profile is that of `image`.
    private func pixel(_ processor: any ImageProcessing, of image: DecodedImage) throws -> SIMD4<UInt8> {
        let chain = try #require(ProcessingChain([processor]))
        let made = try chain.last(of: image, DecodeLimits(), DecodeCancellation())
        #expect(made.profile == image.profile)
        return made.bitmap[0, 0]
    }

    private func isNear(_ pixel: SIMD4<UInt8>, _ expected: SIMD4<UInt8>, _ tolerance: Int = 2) -> Bool {
        (0..<4).allSatisfy { abs(Int(pixel[$0]) - Int(expected[$0])) <= tolerance }
    }

    @Test func colors_areDrawnInThoseOfThePicture() throws {
        let picture = try image([0, 0, 0, 0], swapped)
        let processors: [any ImageProcessing] = [
            .overlay(red), .background(red), .border(width: 2, color: red),
        ]
        for processor in processors {
            #expect(try isNear(pixel(processor, of: picture), [0, 255, 0, 255], 4), "\(processor)")
            #expect(try pixel(processor, of: image([0, 0, 0, 0], nil)) == [255, 0, 0, 255])
        }
        let half = PixelColor(red: 255, green: 0, blue: 0, alpha: 128)
        #expect(try isNear(pixel(.overlay(half), of: picture), [0, 128, 0, 128], 4))
        let opaque = try image([0, 0, 255, 255], swapped)
        #expect(try isNear(pixel(.tint(red), of: opaque), [0, 255, 0, 255], 4))
    }

    /// The light of 188 in sRGB is half of that of white.
    @Test func grayPicture_getsLevelsOfItsOwn() throws {
        let middle = PixelColor(red: 188, green: 188, blue: 188)
        #expect(try isNear(pixel(.overlay(middle), of: image([9, 9, 9, 255], gray)), [128, 128, 128, 255]))
        #expect(try isNear(pixel(.overlay(.white), of: image([9, 9, 9, 255], gray)), [255, 255, 255, 255]))
        let drawn = try image([128, 128, 128, 255], gray)
        #expect(try isNear(pixel(.blend(drawn), of: image([0, 0, 0, 255], nil)), [188, 188, 188, 255]))
        #expect(try isNear(pixel(.blend(drawn), of: image([0, 0, 0, 255], swapped)), [188, 188, 188, 255], 4))
    }

    @Test func pictures_areBroughtIntoOneProfile() throws {
        let (plain, other) = (try image([255, 0, 0, 255], nil), try image([255, 0, 0, 255], swapped))
        func processors(_ image: DecodedImage) -> [any ImageProcessing] { [.blend(image), .watermark(image)] }
        for processor in processors(other) {
            #expect(try isNear(pixel(processor, of: plain), [0, 255, 0, 255], 4))
            // With the same profile, not a bit changes.
            #expect(try pixel(processor, of: image([1, 2, 3, 255], swapped)) == [255, 0, 0, 255])
        }
        for processor in processors(plain) {
            #expect(try isNear(pixel(processor, of: image([0, 0, 0, 255], swapped)), [0, 255, 0, 255], 4))
            #expect(try pixel(processor, of: image([0, 0, 0, 255], nil)) == [255, 0, 0, 255])
        }
        // A bitmap is one of sRGB.
        #expect(try isNear(pixel(.blend(plain.bitmap), of: other), [0, 255, 0, 255], 4))
    }

    @Test func damagedProfiles_changeNothing() throws {
        let damaged = Data(swapped.prefix(200))
        #expect(try pixel(.overlay(red), of: image([0, 0, 0, 255], damaged)) == [255, 0, 0, 255])
        #expect(
            try pixel(.blend(image([255, 0, 0, 255], damaged)), of: image([0, 0, 0, 255], nil)) == [255, 0, 0, 255])
    }

    @Test func sameNumbersInOtherColors_areAnotherProcessor() throws {
        let images = [try image([255, 0, 0, 255], nil), try image([255, 0, 0, 255], swapped)]
        let chains = try images.map { try #require(ProcessingChain([.watermark($0)])) }
        #expect(chains[0] != chains[1])
        #expect(try chains[1] == #require(ProcessingChain([.watermark(image([255, 0, 0, 255], swapped))])))
    }

    @Test func meanAndThumbHash_areOfSRGB() throws {
        let picture = try image([255, 0, 0, 255], swapped)
        #expect(isNear(SIMD4(picture.averageColor.red, picture.averageColor.green, 0, 255), [0, 255, 0, 255], 4))
        let hash = try DecodedImage(thumbHash: picture.thumbHash())
        #expect(isNear(hash.bitmap[3, 3], [0, 255, 0, 255], 40))
    }

    // MARK: Linear light

    private func scaled(_ picture: Bitmap, to width: Int, _ height: Int) throws -> Bitmap {
        let size = PixelSize(width: width, height: height)
        return try ResizeProcessor(to: size, inLinearLight: true).made(of: picture)
    }

    @Test func lightIsAveraged() throws {
        let board = try Pictures.make(64, 64) { x, y in (x + y) % 2 == 0 ? [255, 255, 255, 255] : [0, 0, 0, 255] }
        #expect(try isNear(scaled(board, to: 4, 4)[1, 2], [188, 188, 188, 255], 1))
        let plain = try ResizeProcessor(to: PixelSize(width: 4, height: 4)).made(of: board)
        #expect(isNear(plain[1, 2], [128, 128, 128, 255], 1))
    }

    @Test func uniformAreas_stay() throws {
        for value in UInt8.min...UInt8.max {
            let picture = try Pictures.plain(7, 5, [value, 255 - value, value / 2, 255])
            must(try scaled(picture, to: 3, 2)[1, 1] == picture[0, 0], "\(value)")
        }
        let soft = try Pictures.plain(7, 5, [60, 30, 0, 128])
        #expect(try isNear(scaled(soft, to: 3, 9)[1, 1], [60, 30, 0, 128], 1))
    }

    /// The formula in floating-point numbers, pixel by pixel.
    @Test(arguments: [(9, 7), (40, 33)]) func result_isThatOfTheFormula(_ width: Int, _ height: Int) throws {
        let picture = try Pictures.noise(24, 20, seed: 3)
        let made = try scaled(picture, to: width, height)
        let (across, down) = (weights(24, width), weights(20, height))
        for y in 0..<height {
            for x in 0..<width {
                var sum = SIMD4<Double>.zero
                for (v, weight) in down[y] {
                    for (u, other) in across[x] { sum += light(picture[u, v]) * (weight * other) }
                }
                must(isNear(made[x, y], pixel(sum), 2), "\(x), \(y): \(made[x, y]), not \(pixel(sum))")
            }
        }
    }

    private func light(_ pixel: SIMD4<UInt8>) -> SIMD4<Double> {
        let alpha = Double(pixel.w) / 255
        guard alpha > 0 else { return .zero }
        let light = (0..<3).map { channel in
            let value = min(1, Double(pixel[channel]) / 255 / alpha)
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return SIMD4(light[0], light[1], light[2], 1) * alpha
    }

    private func pixel(_ light: SIMD4<Double>) -> SIMD4<UInt8> {
        let alpha = min(max(light.w, 0), 1)
        guard alpha > 0 else { return .zero }
        let colors = (0..<3).map { channel in
            let light = min(max(light[channel] / alpha, 0), 1)
            return (light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055) * alpha
        }
        return SIMD4<UInt8>(SIMD4(colors[0], colors[1], colors[2], alpha) * 255, rounding: .toNearestOrEven)
    }

    /// The weights of Lanczos' kernel of three lobes for each target pixel.
    private func weights(_ source: Int, _ target: Int) -> [[(Int, Double)]] {
        let stretch = max(1, Double(source) / Double(target))
        return (0..<target).map { pixel in
            let center = (Double(pixel) + 0.5) * Double(source) / Double(target)
            let values = (0..<source).map { index -> Double in
                let x = (Double(index) + 0.5 - center) / stretch
                if abs(x) >= 3 { return 0 }
                return x == 0 ? 1 : 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x)
            }
            let sum = values.reduce(0, +)
            return values.enumerated().filter { $0.element != 0 }.map { ($0.offset, $0.element / sum) }
        }
    }
}
#endif
