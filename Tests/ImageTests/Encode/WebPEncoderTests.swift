import AlcedoTestSupport

#if os(Linux) && WebP
import Foundation
import Testing

import Alcedo
@testable import TestFixtures

struct WebPEncoderTests {
    private let decoder = WebPDecoder()

    @Test(arguments: 0...6)
    func lossless_roundTrips(_ effort: Int) throws {
        for (width, height) in [(1, 1), (3, 2), (61, 47)] {
            let bitmap = try Pictures.noise(width, height, seed: 21)
            let data = try WebPEncoder(.lossless, effort: effort).encode(bitmap)
            #expect(ImageFormat(sniffing: data) == .webp)
            #expect(try decoder.decode(data, limits: DecodeLimits()).bitmap == bitmap)
        }
    }

    @Test func losslessKeepsEveryPremultipliedColour() throws {
        let bitmap = try Pictures.make(256, 256) { x, y in [UInt8(min(x, y)), UInt8(y), 0, UInt8(y)] }
        let data = try WebPEncoder(.lossless, effort: 0).encode(bitmap)
        #expect(try decoder.decode(data, limits: DecodeLimits()).bitmap == bitmap)
    }

    @Test(arguments: [0, 50, 100])
    func lossyKeepsAlphaExactly(_ quality: Int) throws {
        let bitmap = try Pictures.noise(61, 47, seed: 8)
        let decoded = try decoder.decode(
            WebPEncoder(.lossy(quality: quality)).encode(bitmap), limits: DecodeLimits()
        ).bitmap
        for y in 0..<47 {
            for x in 0..<61 { must(decoded[x, y][3] == bitmap[x, y][3], "(\(x), \(y))") }
        }
    }

    @Test(arguments: [(50, 50.0), (80, 30.0), (100, 12.0)])
    func lossyIsClose(_ quality: Int, _ tolerance: Double) throws {
        for (width, height) in [(1, 1), (17, 9), (160, 120)] {
            let bitmap = try Pictures.gradient(width, height)
            let data = try WebPEncoder(.lossy(quality: quality)).encode(bitmap)
            let decoded = try decoder.decode(data, limits: DecodeLimits()).bitmap
            #expect(decoded.meanSquareDifference(from: bitmap) <= tolerance)
        }
    }

    @Test func betterQualityIsLarger() throws {
        let bitmap = try Pictures.noise(100, 100, seed: 4)
        let sizes = try [0, 40, 80, 100].map { try WebPEncoder(.lossy(quality: $0)).encode(bitmap).count }
        #expect(sizes == sizes.sorted())
        #expect(sizes[0] < sizes[3])
    }

    @Test(arguments: [-1, 101])
    func settingsAreChecked(_ value: Int) throws {
        let bitmap = try Pictures.gradient(2, 2)
        #expect(throws: ImageLoaderError.encodingFailed(.webp, reason: "quality \(value) is not within 0...100")) {
            try WebPEncoder(.lossy(quality: value)).encode(bitmap)
        }
        #expect(throws: ImageLoaderError.encodingFailed(.webp, reason: "effort \(value) is not within 0...6")) {
            try WebPEncoder(.lossless, effort: value).encode(bitmap)
        }
    }

    @Test func sideThatWebPCannotHoldIsError() throws {
        for size in [PixelSize(width: 16_384, height: 1), PixelSize(width: 1, height: 16_384)] {
            let bitmap = try BitmapBuilder(size: size).freeze()
            let error = ImageLoaderError.encodingFailed(.webp, reason: "\(size) pixels, of at most 16383 either way")
            #expect(throws: error) { try WebPEncoder().encode(bitmap) }
        }
        let longest = try BitmapBuilder(size: PixelSize(width: 16_383, height: 1)).freeze()
        let file = try WebPEncoder(.lossless, effort: 0).encode(longest)
        #expect(try decoder.decode(file, limits: DecodeLimits()).bitmap == longest)
    }
}
#endif
