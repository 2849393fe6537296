import AlcedoTestSupport

#if os(Linux) && WebP
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

struct WebPDecoderTests {
    private let decoder = WebPDecoder()

    // MARK: Pixels

    @Test(arguments: [(1, 1), (3, 2), (61, 47)])
    func losslessImagesAreExact(_ width: Int, _ height: Int) throws {
        let clear = try Pictures.noise(width, height, seed: 3)
        let file = try WebPEncoder(.lossless).encode(clear)
        let image = try decoder.decode(file, limits: DecodeLimits())
        #expect(image.bitmap == clear)
        #expect(image.format == .webp && !image.isOpaque && image.profile == nil && image.animation == nil)
        let opaque = try Pictures.gradient(width, height)
        let solid = try decoder.decode(WebPEncoder(.lossless).encode(opaque), limits: DecodeLimits())
        #expect(solid.bitmap == opaque && solid.isOpaque)
    }

    @Test(arguments: [(1, 1), (17, 9), (160, 120)])
    func lossyImagesAreClose(_ width: Int, _ height: Int) throws {
        let bitmap = try Pictures.gradient(width, height)
        let image = try decoder.decode(WebPEncoder(.lossy(quality: 90)).encode(bitmap), limits: DecodeLimits())
        #expect(image.isOpaque)
        #expect(image.bitmap.meanSquareDifference(from: bitmap) < 12)
    }

    /// RFC 9649, section 3.8: what a lossless head says of alpha is a hint; as in browsers, "none" hides what there is.
    @Test func undeclaredAlpha_isIgnored() throws {
        var file = try WebPEncoder(.lossless).encode(Pictures.make(4, 4) { x, _ in [0, 0, 0, UInt8(x * 80)] })
        file[24] &= 0xEF
        let image = try decoder.decode(file, limits: DecodeLimits())
        #expect(image.isOpaque)
        #expect(image.bitmap == (try Pictures.plain(4, 4, [0, 0, 0, 255])))
    }

    @Test func sliceOfOtherDataIsRead() throws {
        let bitmap = try Pictures.noise(7, 5, seed: 1)
        let file = try WebPFixture.file(
            WebPFixture.head(7, 5, [.alpha, .profile]), WebPFixture.chunk("ICCP", [1, 2, 3]),
            WebPFixture.picture(WebPEncoder(.lossless).encode(bitmap)))
        let image = try decoder.decode((Data([1, 2, 3]) + file).dropFirst(3), limits: DecodeLimits())
        #expect(image.bitmap == bitmap)
        #expect(image.profile == Data([1, 2, 3]))
    }

    // MARK: Heads

    @Test func headers_describeTheFile() throws {
        let limits = DecodeLimits()
        let opaque = try WebPEncoder().encode(Pictures.gradient(33, 20))
        var header = try decoder.header(of: opaque, limits: limits)
        #expect(header.size == PixelSize(width: 33, height: 20) && header.orientation == .up)
        #expect(header.hasAlpha == false && header.frameCount == 1 && header.bitsPerSample == 8)
        #expect(header.profileBytes == nil)
        for compression in [WebPEncoder.Compression.lossless, .lossy(quality: 50)] {
            let clear = try WebPEncoder(compression).encode(Pictures.noise(34, 21, seed: 2))
            header = try decoder.header(of: clear, limits: limits)
            #expect(header.size == PixelSize(width: 34, height: 21) && header.hasAlpha == true)
        }
        let framed = WebPFixture.file(
            WebPFixture.head(33, 20, [.profile]), WebPFixture.chunk("ICCP", Array(repeating: 7, count: 41)),
            WebPFixture.picture(opaque))
        #expect(try decoder.header(of: framed, limits: limits).profileBytes == 41)
        #expect(try decoder.header(of: framed.prefix(60), limits: limits).profileBytes == nil)
    }

    @Test(arguments: Orientation.allCases, [true, false])
    func orientationIsAppliedOnce(_ orientation: Orientation, _ hasMark: Bool) throws {
        let bitmap = try Pictures.noise(5, 3, seed: 9)
        let exif = EXIFFixture(orientation: UInt16(orientation.rawValue), littleEndian: hasMark).bytes
        let picture = try WebPFixture.picture(WebPEncoder(.lossless).encode(bitmap))
        let chunk = WebPFixture.chunk("EXIF", (hasMark ? Array("Exif\0\0".utf8) : []) + exif)
        let file = WebPFixture.file(WebPFixture.head(5, 3, [.alpha, .exif]), picture, chunk)
        let image = try decoder.decode(file, limits: DecodeLimits())
        #expect(try decoder.header(of: file, limits: DecodeLimits()).orientation == orientation)
        #expect(image.bitmap == (try bitmap.upright(from: orientation, limits: DecodeLimits())))
        var request = DecodeRequest()
        request.appliesOrientation = false
        #expect(try decoder.decode(file, request).bitmap == bitmap)
        // A block that the flags do not name is none.
        let silent = WebPFixture.file(WebPFixture.head(5, 3, [.alpha]), picture, chunk)
        #expect(try decoder.header(of: silent, limits: DecodeLimits()).orientation == .up)
    }

    // MARK: Limits

    /// 38 bytes that claim 268 megapixels, and as many that claim all that the limits allow.
    @Test func claimedSizeCostsNoMemory() {
        let bomb = WebPFixture.claim(16_383, 16_383)
        #expect(throws: ImageLoaderError.limitExceeded(.bitmapBytes, value: 4 * 268_402_689, allowed: 1 << 28)) {
            try decoder.decode(bomb.prefix(34), limits: DecodeLimits())
        }
        #expect(throws: ImageLoaderError.limitExceeded(.bitmapBytes, value: 400_000_000, allowed: 256 << 20)) {
            try decoder.decode(WebPFixture.claim(10_000, 10_000), limits: DecodeLimits())
        }
        #expect(throws: ImageLoaderError.corruptImage(.webp, reason: "damaged")) {
            try decoder.decode(WebPFixture.claim(8_000, 8_000), limits: DecodeLimits())
        }
        #expect(throws: ImageLoaderError.limitExceeded(.imageSide, value: 1 << 24, allowed: 65_535)) {
            try decoder.decode(WebPFixture.file(WebPFixture.head(1 << 24, 1, [])), limits: DecodeLimits())
        }
        #expect(throws: ImageLoaderError.corruptImage(.webp, reason: "0 × 4 pixels")) {
            try decoder.decode(WebPFixture.claim(0, 4), limits: DecodeLimits())
        }
    }

    @Test func metadataHasLimit() throws {
        var limits = DecodeLimits()
        limits.metadataBytes = 40
        let picture = try WebPFixture.picture(WebPEncoder().encode(Pictures.gradient(4, 4)))
        for (type, flag) in [("EXIF", WebPFixture.Flags.exif), ("ICCP", .profile)] {
            let chunk = WebPFixture.chunk(type, Array(repeating: 0, count: 41))
            let file = WebPFixture.file(WebPFixture.head(4, 4, flag), chunk, picture)
            #expect(throws: ImageLoaderError.limitExceeded(.metadataBytes, value: 41, allowed: 40)) {
                try decoder.header(of: file, limits: limits)
            }
            limits.metadataBytes = 41
            #expect(try decoder.decode(file, limits: limits).size == PixelSize(width: 4, height: 4))
            limits.metadataBytes = 40
        }
    }

    @Test func headerAndImage_mustAgree() throws {
        let picture = try WebPFixture.picture(WebPEncoder(.lossless).encode(Pictures.gradient(6, 4)))
        for (width, height) in [(5, 4), (7, 4), (6, 3), (6, 5), (600, 400)] {
            let file = WebPFixture.file(WebPFixture.head(width, height, []), picture)
            #expect(failure { try decoder.decode(file, limits: DecodeLimits()) } == .corruptImage)
        }
    }

    // MARK: Smaller pictures

    @Test(arguments: [40, 100, 133])
    func imageScaledWhileDecoding_isNearlyEqual(_ width: Int) throws {
        let photo = try WebPEncoder(.lossy(quality: 90)).encode(Self.photo(640, 480))
        let target = DecodeTarget(PixelSize(width: width, height: width))
        let request = DecodeRequest(target: target)
        let header = try decoder.header(of: photo, limits: request.limits)
        let size = target.plan(for: header.size).size
        let whole = try decoder.decode(photo, limits: request.limits).bitmap.scaled(to: size, limits: request.limits)
        let small = try decoder.decode(photo, request)
        #expect(small.size == size && small.originalSize == header.size && small.isOpaque)
        #expect(try decoder.cost(header, byteCount: 0, request).workingBytes == size.width * 2 * size.height * 2 * 4)
        // 42 dB.
        #expect(small.bitmap.meanSquareDifference(from: whole) < 4.1)
    }

    /// What is transparent must not bleed into what is not, and where little is gained nothing is lost either.
    @Test func imagesWithAlphaAndThoseLittleSmaller_areScaledFromAllPixels() throws {
        let files = try [
            WebPEncoder().encode(Pictures.noise(90, 60, seed: 5)), WebPEncoder(.lossless).encode(Self.photo(90, 60)),
            WebPEncoder().encode(Self.photo(90, 60)),
        ]
        for (file, width) in zip(files, [20, 20, 31]) {
            let request = DecodeRequest(target: DecodeTarget(PixelSize(width: width, height: 90)))
            let header = try decoder.header(of: file, limits: request.limits)
            let small = try decoder.decode(file, request).bitmap
            let bytes = try decoder.cost(header, byteCount: 0, request).workingBytes
            #expect(bytes == header.size.width * header.size.height * 4)
            #expect(
                try small
                    == decoder.decode(file, limits: request.limits).bitmap
                    .scaled(to: small.size, limits: request.limits))
        }
    }

    // MARK: Stopping

    @Test func cancelledDecodeStops() throws {
        let request = DecodeRequest()
        let file = try WebPEncoder().encode(Pictures.gradient(40, 30))
        let header = try decoder.header(of: file, limits: request.limits)
        _ = try decoder.decodeStored(file, header, atLeast: nil, request)
        request.cancellation.cancel()
        #expect(throws: ImageLoaderError.cancelled) {
            try decoder.decodeStored(file, header, atLeast: nil, request)
        }
    }

    /// Smooth with some texture.
    private static func photo(_ width: Int, _ height: Int) throws -> Bitmap {
        var random = SeededRandom(seed: 4)
        return try Pictures.make(width, height) { x, y in
            let (u, v) = (Double(x) / 640, Double(y) / 480)
            let wave = sin(u * 40 + v * 9) * 30 + cos(v * 70 - u * 21) * 20
            func channel(_ base: Double, _ grain: Int) -> UInt8 {
                UInt8(max(0, min(255, base + wave)) / 2) + UInt8(grain)
            }
            let grain = Int.random(in: 0...12, using: &random)
            return [channel(220 * u, grain), channel(200 * v, grain), channel(255 * (1 - u), grain), 255]
        }
    }
}

extension Bitmap {
    /// Of all channels.
    func meanSquareDifference(from other: Bitmap) -> Double {
        guard size == other.size else { return .infinity }
        return withBytes { one in
            other.withBytes { other in
                one.withUnsafeBytes { one in
                    other.withUnsafeBytes { other in
                        let sum = zip(one, other).reduce(0) { $0 + (Int($1.0) - Int($1.1)) * (Int($1.0) - Int($1.1)) }
                        return Double(sum) / Double(one.count)
                    }
                }
            }
        }
    }
}
#endif
