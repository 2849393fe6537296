import AlcedoTestSupport

#if os(Linux) && PNG
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// PNGs whose rows are scaled as they come, and what their heads say.
struct PNGScalingTests {
    private let decoder = PNGDecoder()

    @Test(arguments: [(40, 30), (1, 1), (97, 61), (96, 1), (1, 60), (50, 61), (97, 20)])
    func result_equalsFullImageScaled(width: Int, height: Int) throws {
        let size = PixelSize(width: width, height: height)
        let noise = try Pictures.noise(97, 61, seed: 4)
        let data = try PNGEncoder().encode(noise)
        let request = DecodeRequest()
        let header = try decoder.header(of: data, limits: request.limits)
        let stored = try decoder.decodeStored(data, header, atLeast: size, request)
        #expect(stored.bitmap == (try noise.scaled(to: size, limits: request.limits)))
    }

    @Test(arguments: Orientation.allCases)
    func orientation_isAppliedOnce(_ orientation: Orientation) throws {
        let exif = EXIFFixture(orientation: UInt16(orientation.rawValue)).bytes
        let plain = try PNGEncoder().encode(Pictures.noise(40, 24, seed: 9))
        let data = plain.dropLast(12) + PNGFixture.chunk("eXIf", exif) + plain.suffix(12)
        let whole = try decoder.decode(data, limits: DecodeLimits())
        let request = DecodeRequest(target: DecodeTarget(PixelSize(width: 9, height: 9)))
        let image = try decoder.decode(data, request)
        #expect(image.bitmap == (try whole.bitmap.scaled(to: image.size, limits: DecodeLimits())))
        #expect(image.originalSize == whole.size)
    }

    @Test func onlyResultingBitmap_counts() throws {
        let data = try PNGEncoder().encode(Pictures.noise(300, 200, seed: 2))
        var request = DecodeRequest(target: DecodeTarget(PixelSize(width: 30, height: 20)))
        request.limits.bitmapBytes = 30 * 20 * 4
        let header = try decoder.header(of: data, limits: request.limits)
        #expect(try decoder.cost(header, byteCount: 0, request).workingBytes == 30 * 20 * 4)
        #expect(try decoder.decode(data, request).size == PixelSize(width: 30, height: 20))
        request.target = nil
        #expect(throws: ImageLoaderError.limitExceeded(.bitmapBytes, value: 240_000, allowed: 2_400)) {
            try decoder.cost(header, byteCount: 0, request).workingBytes
        }
        #expect(throws: ImageLoaderError.limitExceeded(.bitmapBytes, value: 240_000, allowed: 2_400)) {
            try decoder.decode(data, request)
        }
    }

    @Test func interlacedFile_isScaledAsWhole() throws {
        let rows: [UInt8] = [0, 10, 0, 20, 0, 30, 40]
        let data = PNGFixture(width: 2, height: 2, colorType: 0, interlaced: true, rows: rows).data
        let request = DecodeRequest(target: DecodeTarget(PixelSize(width: 1, height: 1)))
        let header = try decoder.header(of: data, limits: request.limits)
        #expect(try decoder.cost(header, byteCount: 0, request).workingBytes == 2 * 2 * 4)
        #expect(try decoder.decode(data, request).bitmap[0, 0] == [25, 25, 25, 255])
    }

    /// The file breaks off late: who reads on learns of it, who stops between two bands does not.
    @Test(arguments: [PixelSize(width: 20, height: 20), nil])
    func cancelledDecode_stopsBetweenBands(_ least: PixelSize?) throws {
        let whole = try PNGEncoder().encode(Pictures.noise(400, 400, seed: 1))
        let data = whole.prefix(whole.count * 9 / 10)
        let request = DecodeRequest()
        let header = try decoder.header(of: data, limits: request.limits)
        func decode() throws(ImageLoaderError) {
            _ = try decoder.decodeStored(data, header, atLeast: least, request)
        }
        let error = #expect(throws: ImageLoaderError.self) { try decode() }
        #expect(error != .cancelled)
        request.cancellation.cancel()
        #expect(throws: ImageLoaderError.cancelled) { try decode() }
    }

    @Test(arguments: [(0, 8, false, 8), (0, 1, true, 1), (2, 16, false, 16), (3, 4, false, 8), (3, 2, true, 8)])
    func header_reportsAlphaAndDepth(colorType: Int, depth: Int, hasKey: Bool, bits: Int) throws {
        var file = PNGFixture(width: 1, height: 1, depth: depth, colorType: colorType)
        if hasKey { file.chunksBeforePixels = [("tRNS", [0, 0])] }
        let header = try decoder.header(of: file.data, limits: DecodeLimits())
        #expect(header.hasAlpha == hasKey)
        #expect(header.bitsPerSample == bits)
        file.colorType |= 4
        #expect(try decoder.header(of: file.data, limits: DecodeLimits()).hasAlpha == true)
    }
}

/// ICC profiles in PNGs.
struct PNGProfileTests {
    private func file(_ profile: [UInt8]) -> Data {
        let content = Array("name\0\0".utf8) + PNGFixture.zlib(profile)
        return PNGFixture(width: 1, height: 1, rows: [0, 1, 2, 3], chunksBeforePixels: [("iCCP", content)]).data
    }

    private func profile(_ count: Int, claiming claim: Int? = nil) -> [UInt8] {
        PNGFixture.long(claim ?? count) + [UInt8](repeating: 3, count: count - 4)
    }

    @Test func profile_isUnpacked() throws {
        let data = file(profile(300))
        #expect(try PNGDecoder().decode(data, limits: DecodeLimits()).profile == Data(profile(300)))
        #expect(
            try PNGDecoder().header(of: data, limits: DecodeLimits()).profileBytes
                == PNGFixture.zlib(profile(300)).count)
    }

    @Test func damagedProfile_isIgnored() throws {
        for data in [file(profile(200, claiming: 201)), file(profile(200, claiming: 127)), file(profile(100))] {
            #expect(try PNGDecoder().decode(data, limits: DecodeLimits()).profile == nil)
        }
        let content = Array("name\0\0".utf8) + [1, 2, 3, 4]
        let data = PNGFixture(width: 1, height: 1, rows: [0, 1, 2, 3], chunksBeforePixels: [("iCCP", content)]).data
        #expect(try PNGDecoder().decode(data, limits: DecodeLimits()).profile == nil)
    }

    @Test func profileLimit_applies_packedAndUnpacked() throws {
        var limits = DecodeLimits()
        limits.metadataBytes = 299
        let packed = PNGFixture.zlib(profile(300)).count + 6
        #expect(throws: ImageLoaderError.limitExceeded(.metadataBytes, value: packed, allowed: 299)) {
            try PNGDecoder().decode(file(profile(300)), limits: limits)
        }
        // A short stream may claim to hold a long profile.
        #expect(try PNGDecoder().decode(file(profile(128, claiming: 1 << 31)), limits: limits).profile == nil)
    }
}
#endif
