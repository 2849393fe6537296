#if os(Linux) && ColorProfiles && PNG
import AlcedoTestSupport
import Foundation
import Testing

import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct ColorConversionTests {
    /// Red is green there, and green red.
    private let swapped = ICCFixture(colors: [ICCFixture.green, ICCFixture.red, ICCFixture.blue]).data

    /// Red, half transparent red, nothing, white.
    private func png(_ profile: Data) -> Data {
        PNGFixture(
            width: 4, height: 1, colorType: 6,
            rows: [0, 255, 0, 0, 255, 255, 0, 0, 128, 0, 0, 0, 0, 255, 255, 255, 255],
            chunksBeforePixels: [("iCCP", Array("test".utf8) + [0, 0] + PNGFixture.zlib(Array(profile)))]
        ).data
    }

    private func decode(_ profile: Data, converts: Bool = true) throws -> DecodedImage {
        var request = DecodeRequest()
        request.convertsToSRGB = converts
        return try PNGDecoder().decode(png(profile), request)
    }

    private func isNear(_ pixel: SIMD4<UInt8>, _ expected: SIMD4<UInt8>) -> Bool {
        (0..<4).allSatisfy { abs(Int(pixel[$0]) - Int(expected[$0])) <= 4 }
    }

    @Test func colors_areConverted_andTransparencyPreserved() throws {
        let image = try decode(swapped)
        let expected: [SIMD4<UInt8>] = [[0, 255, 0, 255], [0, 128, 0, 128], [0, 0, 0, 0], [255, 255, 255, 255]]
        for (x, color) in expected.enumerated() {
            #expect(isNear(image.bitmap[x, 0], color), "\(image.bitmap[x, 0])")
        }
        #expect(image.bitmap[1, 0][3] == 128 && image.profile == nil)
    }

    @Test func conversion_isOptional() throws {
        let image = try decode(swapped, converts: false)
        #expect(image.bitmap[0, 0] == [255, 0, 0, 255] && image.profile == swapped)
    }

    @Test func profileOfSRGB_changesLittle() throws {
        let image = try decode(ICCFixture().data)
        #expect(isNear(image.bitmap[0, 0], [255, 0, 0, 255]) && image.profile == nil)
    }

    @Test func grays_haveProfilesToo() throws {
        let rows: [UInt8] = [0, 0, 128, 255]
        let chunk = Array("test".utf8) + [0, 0] + PNGFixture.zlib(Array(ICCFixture(space: "GRAY", gamma: 1).data))
        let file = PNGFixture(width: 3, height: 1, colorType: 0, rows: rows, chunksBeforePixels: [("iCCP", chunk)]).data
        var request = DecodeRequest()
        request.convertsToSRGB = true
        let bitmap = try PNGDecoder().decode(file, request).bitmap
        // Half of the light.
        #expect(isNear(bitmap[1, 0], [188, 188, 188, 255]), "\(bitmap[1, 0])")
        #expect(isNear(bitmap[0, 0], [0, 0, 0, 255]) && isNear(bitmap[2, 0], [255, 255, 255, 255]))
    }

    @Test(arguments: [Data([1, 2, 3]), ICCFixture(space: "CMYK").data, ICCFixture().data.prefix(140)])
    func unusableProfile_isPassedOn(_ profile: Data) throws {
        let image = try decode(profile)
        // What is no profile by its length is none.
        let asItIs = try decode(profile, converts: false)
        #expect(image.bitmap == asItIs.bitmap && image.profile == asItIs.profile)
    }

    @Test func framesAndSmallerImages_areConvertedToo() async throws {
        var frames = APNGFixture(frames: [.init(pixels: [255, 0, 0, 255, 255, 0, 0, 255])])
        frames.frames.append(frames.frames[0])
        let chunk = PNGFixture.chunk("iCCP", Array("test".utf8) + [0, 0] + PNGFixture.zlib(Array(swapped)))
        // Behind the head: signature, length, name, 13 bytes, checksum.
        let file = frames.data.prefix(33) + chunk + frames.data.dropFirst(33)
        var request = DecodeRequest(target: DecodeTarget(PixelSize(width: 1, height: 1)))
        request.convertsToSRGB = true
        let image = try PNGDecoder().decode(file, request)
        let frame = try await #require(image.animation).frame(at: 1)
        for bitmap in [image.bitmap, frame] {
            #expect(bitmap.size == PixelSize(width: 1, height: 1) && isNear(bitmap[0, 0], [0, 255, 0, 255]))
        }
    }

    @Test(.ownThreads) func damagedProfiles_areNoTrap() throws {
        var random = SeededRandom(seed: 5)
        for _ in 0..<(Fuzz.steps / 25) {
            var profile = swapped
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                // Its length says how much is unpacked.
                profile[Int.random(in: 4..<profile.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let bitmap = try decode(profile).bitmap
            must(bitmap[2, 0] == [0, 0, 0, 0] && bitmap[1, 0].max() == 128, "other alphas")
        }
    }

    @Test func loader_cachesBothVariants() async throws {
        let file = png(swapped)
        let fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(file) })
        let loader = fixture.makeLoader()
        var request = try ImageRequest.test("a.png")
        request.convertsToSRGB = true
        let converted = try await loader.image(for: request)
        let plain = try await loader.image(for: .test("a.png"))
        #expect(converted.bitmap[0, 0][1] > 250 && plain.bitmap[0, 0] == [255, 0, 0, 255])
        #expect(loader.cachedImage(for: request)?.profile == nil)
        #expect(loader.cachedImage(for: try ImageRequest.test("a.png"))?.profile == swapped)
        #expect(fixture.transport.callCount == 1)
    }
}
#endif
