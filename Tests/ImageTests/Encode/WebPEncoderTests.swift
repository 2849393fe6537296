import AlcedoTestSupport

#if os(Linux) && WebP
import Foundation
import Testing

@testable import Alcedo
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

    @Test func losslessKeepsEveryPremultipliedColor() throws {
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
        for compression in [WebPEncoder.Compression.automatic(quality: value), .nearLossless(level: value)] {
            #expect(throws: ImageLoaderError.self) { try WebPEncoder(compression).encode(bitmap) }
        }
        var encoder = WebPEncoder()
        encoder.alphaQuality = value
        #expect(throws: ImageLoaderError.encodingFailed(.webp, reason: "alpha quality \(value) is not within 0...100"))
        {
            try encoder.encode(bitmap)
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

    // MARK: Choosing what is smaller

    /// Whether a file, which has no profile, is lossless: the name of its first chunk says so, or of one after it.
    private func isLossless(_ file: Data) -> Bool { file.firstRange(of: Data("VP8L".utf8)) != nil }

    /// Flat areas with sharp edges.
    private func drawing(alpha: UInt8 = 255) throws -> Bitmap {
        try Pictures.make(160, 120) { x, y in
            (x / 30 + y / 20) % 3 == 0 ? [alpha, 40, 0, alpha] : [0, alpha / 2, alpha, alpha]
        }
    }

    @Test func automatic_isLosslessForDrawings() throws {
        for alpha: UInt8 in [255, 90] {
            let bitmap = try drawing(alpha: alpha)
            let file = try WebPEncoder(.automatic(quality: 80)).encode(bitmap)
            #expect(isLossless(file))
            #expect(try file.count <= WebPEncoder(.lossy(quality: 80)).encode(bitmap).count)
            #expect(try decoder.decode(file, limits: DecodeLimits()).bitmap == bitmap)
        }
    }

    @Test func automatic_isLossyForPhotos() throws {
        let photo = try PhotoFixture.make(120, 90)
        let file = try WebPEncoder(.automatic(quality: 80)).encode(photo)
        #expect(try file == WebPEncoder(.lossy(quality: 80)).encode(photo))
        #expect(!isLossless(file))
    }

    /// Noise of two colors looks drawn, and isn't smaller without loss than at the lowest quality.
    @Test func automatic_isLossyWhereThatIsSmaller() throws {
        var random = SeededRandom(seed: 3)
        let noise = try Pictures.make(160, 120) { _, _ in
            Bool.random(using: &random) ? [90, 90, 90, 255] : [110, 110, 110, 255]
        }
        let file = try WebPEncoder(.automatic(quality: 0)).encode(noise)
        #expect(try file == WebPEncoder(.lossy(quality: 0)).encode(noise) && !isLossless(file))
    }

    @Test func halfFlatPicture_isDrawn() throws {
        func picture(_ flat: Int) throws -> Bitmap {
            try Pictures.make(101, 50) { x, y in
                x > 100 - flat ? [0, 0, 0, 255] : [UInt8(x * 2), UInt8(y * 5), 7, 255]
            }
        }
        #expect(try picture(60).isDrawn && !picture(40).isDrawn)
        #expect(try !Pictures.make(1, 300) { _, y in [UInt8(y % 256), UInt8(y / 256), 0, 255] }.isDrawn)
        #expect(try Pictures.plain(1, 300).isDrawn)
    }

    @Test func drawnAnimation_isLossless() throws {
        let frames = try (0..<3).map { number in
            try Pictures.make(60, 40) { x, y in x / 10 == number ? [200, 0, 0, 255] : [0, 90, UInt8(y / 4), 255] }
        }
        let file = try WebPEncoder(.automatic(quality: 80)).encode(AnimationFixture.timed(frames))
        #expect(try AnimationFixture.frames(of: file) == frames)
    }

    // MARK: Other settings

    @Test func nearLossless_isCloseAndSmaller() throws {
        let photo = try PhotoFixture.make(120, 90)
        let exact = try WebPEncoder(.lossless).encode(photo)
        let near = try WebPEncoder(.nearLossless(level: 40)).encode(photo)
        #expect(isLossless(near) && near.count < exact.count)
        let read = try decoder.decode(near, limits: DecodeLimits()).bitmap
        #expect(read != photo && read.meanSquareDifference(from: photo) < 20)
        let same = try WebPEncoder(.nearLossless(level: 100)).encode(photo)
        #expect(try decoder.decode(same, limits: DecodeLimits()).bitmap == photo)
    }

    @Test func alphaQuality_costsTransparency() throws {
        let noise = try Pictures.noise(100, 80, seed: 7)
        var encoder = WebPEncoder()
        let exact = try encoder.encode(noise)
        encoder.alphaQuality = 20
        let rough = try encoder.encode(noise)
        #expect(rough.count < exact.count)
        let read = try decoder.decode(rough, limits: DecodeLimits()).bitmap
        #expect((0..<100).contains { read[$0, 9].w != noise[$0, 9].w })
    }

    @Test func sharpYUV_keepsEdges() throws {
        let stripes = try Pictures.make(80, 60) { x, _ in x / 3 % 2 == 0 ? [250, 20, 20, 255] : [20, 20, 20, 255] }
        var encoder = WebPEncoder(.lossy(quality: 90))
        let soft = try decoder.decode(encoder.encode(stripes), limits: DecodeLimits()).bitmap
        encoder.usesSharpYUV = true
        let sharp = try decoder.decode(encoder.encode(stripes), limits: DecodeLimits()).bitmap
        #expect(sharp.meanSquareDifference(from: stripes) < soft.meanSquareDifference(from: stripes))
    }

    @Test func steppedQuality_keepsOtherSettings() {
        var encoder = WebPEncoder(.automatic(quality: 70), effort: 2)
        (encoder.alphaQuality, encoder.usesSharpYUV) = (50, true)
        #expect(encoder.steppedQuality == 70 && WebPEncoder(.nearLossless(level: 60)).steppedQuality == nil)
        let stepped = encoder.stepped(to: 30)
        #expect(stepped.compression == .automatic(quality: 30) && stepped.effort == 2)
        #expect(stepped.alphaQuality == 50 && stepped.usesSharpYUV)
    }
}
#endif
