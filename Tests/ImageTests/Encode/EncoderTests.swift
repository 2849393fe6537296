import AlcedoTestSupport

#if os(Linux) && JPEG && PNG
import Foundation
import Testing

import Alcedo

struct EncoderTests {
    @Test(arguments: [0, 1, 6, 9])
    func png_roundTrips(_ level: Int) throws {
        for (width, height) in [(1, 1), (3, 2), (61, 47)] {
            let bitmap = try Pictures.noise(width, height, seed: 21)
            let data = try PNGEncoder(compressionLevel: level).encode(bitmap)
            #expect(ImageFormat(sniffing: data) == .png)
            #expect(try PNGDecoder().decode(data, limits: DecodeLimits()).bitmap == bitmap)
        }
    }

    @Test func pngKeepsEveryPremultipliedColor() throws {
        let bitmap = try Pictures.make(256, 256) { x, y in [UInt8(min(x, y)), UInt8(y), 0, UInt8(y)] }
        let data = try PNGEncoder().encode(bitmap)
        #expect(try PNGDecoder().decode(data, limits: DecodeLimits()).bitmap == bitmap)
    }

    @Test(arguments: [(50, 8.0), (85, 3.0), (100, 2.0)])
    func jpegIsClose(_ quality: Int, _ tolerance: Double) throws {
        for (width, height) in [(1, 1), (17, 9), (160, 120)] {
            let bitmap = try Pictures.gradient(width, height)
            let data = try JPEGEncoder(quality: quality).encode(bitmap)
            #expect(ImageFormat(sniffing: data) == .jpeg)
            let decoded = try JPEGDecoder().decode(data, limits: DecodeLimits()).bitmap
            #expect(Self.meanDifference(bitmap, decoded) <= tolerance)
        }
    }

    @Test func jpegLaysTransparencyOverWhite() throws {
        let bitmap = try Pictures.make(16, 16) { _, _ in [0, 0, 0, 0] }
        let decoded = try JPEGDecoder().decode(JPEGEncoder().encode(bitmap), limits: DecodeLimits()).bitmap
        #expect(decoded == (try Pictures.make(16, 16) { _, _ in [255, 255, 255, 255] }))
        let half = try Pictures.make(16, 16) { _, _ in [64, 0, 0, 128] }
        let laid = try JPEGDecoder().decode(JPEGEncoder(quality: 100).encode(half), limits: DecodeLimits()).bitmap
        #expect(Self.meanDifference(laid, try Pictures.make(16, 16) { _, _ in [191, 127, 127, 255] }) < 2)
    }

    @Test func betterQualityIsLarger() throws {
        let bitmap = try Pictures.noise(100, 100, seed: 4)
        let sizes = try [0, 40, 85, 100].map { try JPEGEncoder(quality: $0).encode(bitmap).count }
        #expect(sizes == sizes.sorted())
        #expect(sizes[0] < sizes[3])
    }

    @Test(arguments: [-1, 101])
    func qualityIsChecked(_ quality: Int) throws {
        let bitmap = try Pictures.gradient(2, 2)
        let error = ImageLoaderError.encodingFailed(.jpeg, reason: "quality \(quality) is not within 0...100")
        #expect(throws: error) { try JPEGEncoder(quality: quality).encode(bitmap) }
    }

    @Test(arguments: [-1, 10])
    func compressionLevelIsChecked(_ level: Int) throws {
        let bitmap = try Pictures.gradient(2, 2)
        let error = ImageLoaderError.encodingFailed(.png, reason: "compression level \(level) is not within 0...9")
        #expect(throws: error) { try PNGEncoder(compressionLevel: level).encode(bitmap) }
    }

    @Test func sideJPEGCannotHoldIsError() throws {
        var limits = DecodeLimits()
        limits.side = 70_000
        let bitmap = try BitmapBuilder(size: PixelSize(width: 65_501, height: 1), limits: limits).freeze()
        #expect(throws: ImageLoaderError.self) { try JPEGEncoder().encode(bitmap) }
        let png = try PNGEncoder().encode(bitmap)
        #expect(try PNGDecoder().decode(png, limits: limits).bitmap == bitmap)
    }

    private static func meanDifference(_ one: Bitmap, _ other: Bitmap) -> Double {
        guard one.size == other.size else { return .infinity }
        return one.withBytes { one in
            other.withBytes { other in
                one.withUnsafeBytes { one in
                    other.withUnsafeBytes { other in
                        let sum = zip(one, other).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
                        return Double(sum) / Double(one.count)
                    }
                }
            }
        }
    }
}
#endif
