#if os(Linux) && AVIF && JPEG && WebP && ColorProfiles
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct AVIFEncoderTests {
    private let decoder = AVIFDecoder()

    private func decoded(_ file: Data) throws -> DecodedImage {
        #expect(ImageFormat(sniffing: file) == .avif)
        return try decoder.decode(file, DecodeRequest())
    }

    @Test(arguments: [(30, 60.0), (60, 20.0), (95, 3.0)])
    func picture_isClose(_ quality: Int, _ tolerance: Double) throws {
        for (width, height) in [(1, 1), (17, 9), (160, 120)] {
            let bitmap = try Pictures.gradient(width, height)
            var encoder = AVIFEncoder(quality: quality, speed: 8)
            encoder.subsampling = .yuv444
            let image = try decoded(encoder.encode(bitmap))
            #expect(image.bitmap.meanSquareDifference(from: bitmap) <= tolerance, "\(width) × \(height)")
        }
    }

    @Test(arguments: ChromaSubsampling.allCases) func flatColors_stay(_ subsampling: ChromaSubsampling) throws {
        let bitmap = try Pictures.plain(64, 48, [200, 40, 120, 255])
        var encoder = AVIFEncoder(quality: 90)
        encoder.subsampling = subsampling
        let pixel = try decoded(encoder.encode(bitmap)).bitmap[30, 20]
        for (value, expected) in zip([pixel.x, pixel.y, pixel.z], [200, 40, 120]) {
            #expect(abs(Int(value) - expected) <= 2)
        }
    }

    @Test func transparency_isExact_andOnlyThereIfNeeded() throws {
        let bitmap = try Pictures.noise(61, 47, seed: 8)
        let image = try decoded(AVIFEncoder(speed: 8).encode(bitmap))
        for y in 0..<47 {
            for x in 0..<61 { must(image.bitmap[x, y][3] == bitmap[x, y][3], "(\(x), \(y))") }
        }
        let opaque = try AVIFEncoder(speed: 8).encode(Pictures.gradient(20, 10))
        #expect(try decoder.header(of: opaque, limits: DecodeLimits()).hasAlpha == false)
        var rough = AVIFEncoder(speed: 8)
        rough.alphaQuality = 10
        #expect(try rough.encode(bitmap).count < AVIFEncoder(speed: 8).encode(bitmap).count)
    }

    @Test func gray_staysGray() throws {
        let bitmap = try Pictures.make(60, 40) { x, y in
            let level = UInt8(x * 4)
            return [level, level, level, 255]
        }
        let image = try decoded(AVIFEncoder(quality: 90).encode(bitmap)).bitmap
        for x in 0..<60 { #expect(image[x, 7].x == image[x, 7].y && image[x, 7].y == image[x, 7].z) }
        #expect(image.meanSquareDifference(from: bitmap) <= 3)
    }

    @Test func profile_isWritten_withUnchangedColors() throws {
        let profile = ICCFixture(colors: [ICCFixture.green, ICCFixture.red, ICCFixture.blue]).data
        let bitmap = try Pictures.plain(20, 10, [200, 40, 20, 255])
        let image = DecodedImage(bitmap: bitmap, format: nil, originalSize: bitmap.size, profile: profile)
        let read = try decoded(AVIFEncoder(quality: 95).encode(image))
        #expect(read.profile == profile)
        #expect(abs(Int(read.bitmap[7, 5].x) - 200) <= 6 && abs(Int(read.bitmap[7, 5].y) - 40) <= 6)
        #expect(try decoded(AVIFEncoder().encode(bitmap)).profile == nil)
    }

    @Test func quality_decidesTheSize() throws {
        let bitmap = try Pictures.noise(100, 100, seed: 4)
        let sizes = try [0, 40, 80, 100].map { try AVIFEncoder(quality: $0, speed: 8).encode(bitmap).count }
        #expect(sizes == sizes.sorted() && sizes[0] < sizes[3])
        let limit = (sizes[1] + sizes[2]) / 2
        #expect(try AVIFEncoder(quality: 90, speed: 8).encode(bitmap, atMost: limit).count <= limit)
    }

    @Test(arguments: [-1, 101]) func settings_areChecked(_ value: Int) throws {
        let bitmap = try Pictures.gradient(2, 2)
        #expect(throws: ImageLoaderError.encodingFailed(.avif, reason: "quality \(value) is not within 0...100")) {
            try AVIFEncoder(quality: value).encode(bitmap)
        }
        #expect(throws: ImageLoaderError.encodingFailed(.avif, reason: "speed \(value) is not within 0...10")) {
            try AVIFEncoder(speed: value).encode(bitmap)
        }
        var encoder = AVIFEncoder()
        encoder.alphaQuality = value
        let error = ImageLoaderError.encodingFailed(.avif, reason: "alpha quality \(value) is not within 0...100")
        #expect(throws: error) { try encoder.encode(bitmap) }
    }

    @Test func sideThatAVIFCannotHold_isAnError() throws {
        let size = PixelSize(width: 65_537, height: 1)
        let bitmap = try BitmapBuilder(size: size, limits: .unlimited).freeze()
        let error = ImageLoaderError.encodingFailed(.avif, reason: "\(size) pixels, of at most 65536 either way")
        #expect(throws: error) { try AVIFEncoder().encode(bitmap) }
    }

    @Test(arguments: [
        ("image/avif,image/webp,*/*", true, ImageFormat.avif), ("image/avif,image/webp,*/*", false, .webp),
    ])
    func clientThatListsAVIF_getsIt_ifWanted(_ accept: String, _ includesAVIF: Bool, _ format: ImageFormat) async throws
    {
        let photo = try Pictures.noise(40, 30, seed: 3)
        let file = try AutomaticEncoder(accept: accept, includesAVIF: includesAVIF).encode(photo)
        #expect(ImageFormat(sniffing: file) == format)
        #expect(try ImageFormat(sniffing: AutomaticEncoder(accept: "*/*", includesAVIF: true).encode(photo)) != .avif)
    }
}
#endif
