#if os(Linux) && PNG
import AlcedoTestSupport
import Foundation
import Testing

import Alcedo
@testable import TestFixtures

/// PNGs as Apple's tools rewrite them for apps.
struct CgBITests {
    /// Raw deflate of rows that are given as they are stored, with wrong checksums.
    private func file(
        _ width: Int, _ height: Int, colorType: Int = 6, interlaced: Bool = false, rows: [UInt8]
    ) -> [UInt8] {
        let plain = [UInt8](
            PNGFixture(width: width, height: height, colorType: colorType, interlaced: interlaced).data)
        let zlib = PNGFixture.zlib(rows)
        var bytes = PNGFixture.signature + PNGFixture.chunk("CgBI", [0x50, 0, 0x20, 2]) + plain[8..<33]
        bytes += PNGFixture.chunk("IDAT", Array(zlib.dropFirst(2).dropLast(4))).dropLast(4) + [1, 2, 3, 4]
        return bytes + PNGFixture.chunk("IEND", [])
    }

    /// 40 × 40 pixels of one color.
    private var even: [UInt8] {
        let row: [UInt8] = [0] + [[UInt8]](repeating: [10, 20, 30, 40], count: 40).joined()
        return Array([[UInt8]](repeating: row, count: 40).joined())
    }

    private func decode(_ bytes: [UInt8]) throws(ImageLoaderError) -> DecodedImage {
        try PNGDecoder().decode(Data(bytes), DecodeRequest())
    }

    @Test func colors_areBlueGreenRed_andPremultiplied() throws {
        let file = file(2, 2, rows: [0, 1, 2, 3, 255, 10, 20, 30, 40, 0, 0, 0, 0, 0, 50, 60, 70, 80])
        let image = try decode(file)
        #expect(image.bitmap[0, 0] == [3, 2, 1, 255] && image.bitmap[1, 0] == [30, 20, 10, 40])
        #expect(image.bitmap[0, 1] == .zero && image.bitmap[1, 1] == [70, 60, 50, 80])
        #expect(image.format == .png && !image.isOpaque)
        let header = try PNGDecoder().header(of: Data(file), limits: DecodeLimits())
        #expect(header.size == PixelSize(width: 2, height: 2) && header.hasAlpha == true && header.bitsPerSample == 8)
    }

    @Test func withoutAlpha_itIsOpaque() throws {
        let image = try decode(file(2, 1, colorType: 2, rows: [0, 1, 2, 3, 4, 5, 6]))
        #expect(image.bitmap[0, 0] == [3, 2, 1, 255] && image.bitmap[1, 0] == [6, 5, 4, 255] && image.isOpaque)
    }

    @Test func interlacedRows_areRead() throws {
        let image = try decode(
            file(2, 2, interlaced: true, rows: [0, 1, 2, 3, 255, 0, 4, 5, 6, 255, 0, 7, 8, 9, 255, 1, 2, 3, 255]))
        #expect(image.bitmap[0, 0] == [3, 2, 1, 255] && image.bitmap[1, 0] == [6, 5, 4, 255])
        #expect(image.bitmap[0, 1] == [9, 8, 7, 255] && image.bitmap[1, 1] == [3, 2, 1, 255])
    }

    @Test func colorsAboveTheirAlpha_areLowered() throws {
        let image = try decode(file(1, 1, rows: [0, 200, 100, 20, 50]))
        #expect(image.bitmap[0, 0] == [20, 50, 50, 50])
    }

    @Test func smallerPicture_isPremultipliedOnce() throws {
        let request = DecodeRequest(target: DecodeTarget(PixelSize(width: 10, height: 10)))
        let image = try PNGDecoder().decode(Data(file(40, 40, rows: even)), request)
        #expect(image.size == PixelSize(width: 10, height: 10) && image.bitmap[5, 5] == [30, 20, 10, 40])
    }

    @Test func missingPixels_areAnError_inAnyCase() throws {
        let whole = Data(file(40, 40, rows: even))
        var request = DecodeRequest()
        for damaged in [DecodeRequest.Damaged.refuse, .showWhatIsThere] {
            request.damaged = damaged
            for length in [20, 40, 60, 70, 100, 3_000, whole.count - 17] {
                #expect(throws: ImageLoaderError.self, "\(length)") {
                    try PNGDecoder().decode(whole.prefix(length), request)
                }
            }
            #expect(try PNGDecoder().decode(whole.dropLast(12), request).isComplete)
        }
    }

    @Test func thereAreNoPreviews() {
        let file = Data(file(1, 1, rows: [0, 200, 100, 20, 50]))
        let error = ImageLoaderError.unsupportedImage(
            .png, reason: "no previews of Apple's variant for apps (CgBI)")
        #expect(throws: error) { try PNGDecoder().previewHeader(file, DecodeRequest()) }
    }

    @Test(.timeLimit(.minutes(2))) func decoderRules_areMet() async {
        var rows: [UInt8] = []
        for y in 0..<6 {
            rows.append(0)
            for x in 0..<7 { rows += [1, 2, 3, UInt8(40 * y + x + 3)] }
        }
        for problem in await DecoderCheck(PNGDecoder()).problems(with: Data(file(7, 6, rows: rows))) {
            Issue.record("\(problem)")
        }
    }
}
#endif
