import AlcedoTestSupport

#if os(Linux) && PNG
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

struct PNGDecoderTests {
    private let decoder = PNGDecoder()

    @Test func decodesTrueColor() throws {
        let file = PNGFixture(width: 2, height: 1, rows: [0, 1, 2, 3, 4, 5, 6])
        let image = try decoder.decode(file.data, limits: DecodeLimits())
        #expect(image.format == .png)
        #expect(image.bitmap == (try Pictures.make(2, 1) { x, _ in x == 0 ? [1, 2, 3, 255] : [4, 5, 6, 255] }))
    }

    @Test func premultiplies() throws {
        let file = PNGFixture(width: 2, height: 1, colorType: 6, rows: [0, 255, 100, 1, 128, 9, 9, 9, 0])
        let bitmap = try decoder.decode(file.data, limits: DecodeLimits()).bitmap
        #expect(bitmap[0, 0] == [128, 50, 1, 128])
        #expect(bitmap[1, 0] == [0, 0, 0, 0])
    }

    @Test func roundsDeepSamples() throws {
        let file = PNGFixture(width: 1, height: 1, depth: 16, colorType: 4, rows: [0, 0x12, 0xF0, 0xFF, 0x90])
        #expect(try decoder.decode(file.data, limits: DecodeLimits()).bitmap[0, 0] == [0x13, 0x13, 0x13, 0xFF])
    }

    @Test func paletteHintDoesNotCancelTransparentColor() throws {
        let chunks: [(String, [UInt8])] = [("tRNS", [0, 1, 0, 2, 0, 3]), ("PLTE", [9, 9, 9])]
        let file = PNGFixture(width: 2, height: 1, rows: [0, 1, 2, 3, 4, 5, 6], chunksBeforePixels: chunks)
        let bitmap = try decoder.decode(file.data, limits: DecodeLimits()).bitmap
        #expect(bitmap[0, 0] == [0, 0, 0, 0])
        #expect(bitmap[1, 0] == [4, 5, 6, 255])
    }

    @Test func everyInterlacedSizeIsWholeOrError() throws {
        for width in 1...9 {
            for height in 1...9 {
                var file = PNGFixture.interlaced(width, height)
                #expect(
                    try decoder.decode(file.data, limits: DecodeLimits()).bitmap
                        == Pictures.make(width, height) { x, y in [UInt8(x * 20), UInt8(y * 20), 7, 255] })
                // One byte less, in a stream that ends properly.
                file.rows.removeLast()
                #expect(
                    failure {
                        try decoder.decode(file.data, limits: DecodeLimits())
                    } == .corruptImage, "\(width) × \(height)")
            }
        }
    }

    @Test func missingRowsAreError() throws {
        let rows = [UInt8](repeating: 0, count: 7 * 10)
        _ = try decoder.decode(PNGFixture(width: 2, height: 10, rows: rows).data, limits: DecodeLimits())
        for count in [0, 1, 7, 63, 69] {
            let file = PNGFixture(width: 2, height: 10, rows: Array(rows.prefix(count)))
            #expect(
                failure {
                    try decoder.decode(file.data, limits: DecodeLimits())
                } == .corruptImage, "\(count) bytes of rows")
        }
    }

    @Test func everyPrefix_isAnError() throws {
        let encoded = try PNGEncoder().encode(Pictures.noise(20, 15, seed: 8))
        for file in [encoded, PNGFixture.interlaced(9, 7).data] {
            _ = try decoder.decode(file, limits: DecodeLimits())
            // Without the sums of the pixels and the end chunk, all pixels are there.
            for count in 0..<file.count - 12 - 8 {
                #expect(
                    [.corruptImage, .notAnImage, .emptyBody].contains(
                        failure {
                            try decoder.decode(file.prefix(count), limits: DecodeLimits())
                        }), "the first \(count) of \(file.count) bytes")
            }
        }
    }

    /// All pixels are there, and not one less.
    @Test(arguments: [
        PNGFixture.unfiltered(2, 3), .interlaced(9, 7), .interlaced(9, 6), .interlaced(1, 1), .unfiltered(90, 80),
    ])
    func missingEnd_isAccepted(_ fixture: PNGFixture) throws {
        let file = fixture.data
        for target in [nil, DecodeTarget(PixelSize(width: 5, height: 5))] {
            let request = DecodeRequest(target: target)
            let whole = try decoder.decode(file, request).bitmap
            let end = file.count - 12 - 8
            for count in end..<file.count {
                #expect(try decoder.decode(file.prefix(count), request).bitmap == whole, "\(count) of \(file.count)")
            }
            for count in max(33, end - 60)..<end {
                #expect(failure { try decoder.decode(file.prefix(count), request) } == .corruptImage, "\(count)")
            }
        }
    }

    /// The picture is shown without a profile that isn't as long as it says.
    @Test(arguments: [128, 300, 5 << 20])
    func profileOfAnotherLength_isIgnored(_ claim: Int) throws {
        let zeros = [UInt8](repeating: 0, count: 196)
        for claim in [PNGFixture.long(claim), PNGFixture.long(1 << 30), Array("xxxx".utf8)] {
            let profile = PNGFixture.zlib(claim + zeros)
            let file = PNGFixture(
                width: 2, height: 1, rows: [0, 1, 2, 3, 4, 5, 6], chunksBeforePixels: [("iCCP", [65, 0, 0] + profile)])
            let picture = try decoder.decode(file.data, limits: DecodeLimits())
            #expect(picture.bitmap[1, 0] == [4, 5, 6, 255])
            #expect(picture.profile?.count == (claim == PNGFixture.long(128) ? 128 : nil))
        }
    }

    /// What counts is what a profile unpacks to.
    @Test func longProfile_exceedsLimit() throws {
        var limits = DecodeLimits()
        limits.metadataBytes = 4_000
        for count in [4_000, 4_001] {
            let profile = Data(PNGFixture.long(count)) + Data(count: count - 4)
            let plain = PNGFixture(width: 2, height: 1, rows: [0, 1, 2, 3, 4, 5, 6]).data
            let file = try #require(PNGProfile.embedded(profile, in: plain, limits: DecodeLimits()))
            let result = Result { () throws(ImageLoaderError) in try decoder.decode(file, limits: limits).profile }
            let error = ImageLoaderError.limitExceeded(.metadataBytes, value: count, allowed: 4_000)
            #expect(result == (count == 4_000 ? .success(profile) : .failure(error)))
        }
    }

    @Test func trailingBytes_areIgnored() throws {
        let file = PNGFixture(width: 2, height: 1, rows: [0, 1, 2, 3, 4, 5, 6]).data
        let longer = file + PNGFixture(width: 5, height: 5).data
        let limits = DecodeLimits()
        #expect(try decoder.decode(longer, limits: limits).bitmap == decoder.decode(file, limits: limits).bitmap)
    }

    /// 65 bytes that claim 900 megapixels.
    @Test func claimedSizeCostsNoMemory() {
        let bomb = PNGFixture(width: 30_000, height: 30_000).data
        #expect(bomb.count < 80)
        #expect(throws: ImageLoaderError.limitExceeded(.imagePixels, value: 900_000_000, allowed: 1 << 28)) {
            try decoder.decode(bomb.prefix(65), limits: DecodeLimits())
        }
        let largest = PNGFixture(width: 0xFFFF_FFFF, height: 0xFFFF_FFFF).data
        #expect(throws: ImageLoaderError.limitExceeded(.imageSide, value: 0xFFFF_FFFF, allowed: 65_535)) {
            try decoder.decode(largest, limits: DecodeLimits())
        }
        #expect(throws: ImageLoaderError.corruptImage(.png, reason: "0 × 4 pixels")) {
            try decoder.decode(PNGFixture(width: 0, height: 4).data, limits: DecodeLimits())
        }
    }

    @Test func textIsSkippedHoweverLong() throws {
        let text = [UInt8](repeating: 65, count: 9 << 20)
        let file = PNGFixture(
            width: 2, height: 1, rows: [0, 1, 2, 3, 4, 5, 6], chunksBeforePixels: [("tEXt", text), ("zTXt", text)])
        #expect(try decoder.decode(file.data, limits: DecodeLimits()).bitmap[1, 0] == [4, 5, 6, 255])
    }

    @Test func secondHeaderIsNotDecoded() {
        let second: [UInt8] = PNGFixture.long(9) + PNGFixture.long(9) + [8, 2, 0, 0, 0]
        let file = PNGFixture(
            width: 2, height: 1, rows: [0, 1, 2, 3, 4, 5, 6], chunksBeforePixels: [("IHDR", second)])
        #expect(failure { try decoder.decode(file.data, limits: DecodeLimits()) } == .corruptImage)
    }

    /// It may unpack to a thousand times its size.
    @Test(arguments: [1, 2], [false, true])
    func dataAfterLastRow_isNotRead(height: Int, interlaced: Bool) throws {
        let row: [UInt8] = [0, 1, 2, 3]
        let rows = height == 1 ? row : row + row
        for (rows, isRead) in [(rows, true), (rows + [UInt8](repeating: 9, count: 40_000), false)] {
            let file = PNGFixture(width: 1, height: height, interlaced: interlaced, rows: rows).data
            #expect(try ImageDecoders.builtIn.decode(file).bitmap[0, 0] == [1, 2, 3, 255])
            // The last byte of the sum of the pixels' chunk.
            var damaged = file
            damaged[file.count - 13] ^= 1
            if isRead {
                #expect(failure { try ImageDecoders.builtIn.decode(damaged) } == .corruptImage)
            } else {
                #expect(try ImageDecoders.builtIn.decode(damaged).bitmap[0, height - 1] == [1, 2, 3, 255])
            }
        }
    }

    /// Pixel data behind the last row, in further chunks, are met when the rest of the file is read.
    @Test(arguments: [0, 1, 255, 300, 5_000, 70_000], [false, true])
    func furtherPixelData_areIgnored(count: Int, interlaced: Bool) throws {
        var file =
            interlaced ? PNGFixture.interlaced(9, 7) : PNGFixture(width: 2, height: 1, rows: [0, 1, 2, 3, 4, 5, 6])
        let plain = try ImageDecoders.builtIn.decode(file.data).bitmap
        let surplus = [UInt8](repeating: 0xA5, count: count)
        for chunks in [[("IDAT", surplus)], [("tEXt", [65, 0, 66]), ("IDAT", surplus), ("IDAT", surplus)]] {
            file.chunksAfterPixels = chunks
            #expect(try ImageDecoders.builtIn.decode(file.data).bitmap == plain)
            let small = DecodeRequest(target: DecodeTarget(PixelSize(width: 1, height: 1)))
            #expect(try ImageDecoders.builtIn.decode(file.data, small).size == PixelSize(width: 1, height: 1))
            #expect(try preview(of: file.data)?.coverage == 1)
        }
    }

    private func preview(of file: Data) throws -> PartialImage? {
        let header = try #require(try decoder.previewHeader(file, DecodeRequest()))
        let reader = try decoder.previewReader(file, header, DecodeRequest())
        try file.withUnsafeBytes { try reader.append($0, DecodeCancellation()) }
        return try reader.preview(DecodeCancellation())
    }
}
#endif
