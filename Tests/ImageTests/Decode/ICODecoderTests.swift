#if BMP
import AlcedoTestSupport
import Foundation
import Testing

import Alcedo
@testable import TestFixtures

struct ICODecoderTests {
    private func decode(_ file: ICOFixture, _ side: Int? = nil) throws(ImageLoaderError) -> DecodedImage {
        try ICODecoder().decode(
            file.data, DecodeRequest(target: side.map { DecodeTarget(PixelSize(width: $0, height: $0)) }))
    }

    private static let red: [UInt8] = [200, 10, 20]
    private static let green: [UInt8] = [10, 200, 20]
    private static let blue: [UInt8] = [10, 20, 200]

    private func pixel(_ color: [UInt8]) -> SIMD4<UInt8> { [color[0], color[1], color[2], 255] }

    private func size(_ side: Int) -> PixelSize { PixelSize(width: side, height: side) }

    // MARK: The best picture

    /// Small, large and medium.
    private let sizes = ICOFixture(pictures: [
        ICOFixture.plain(8, bits: 24, red), ICOFixture.plain(32, bits: 24, green), ICOFixture.plain(16, bits: 24, blue),
    ])

    @Test(
        arguments: [
            (nil, 32, green), (4, 4, red), (8, 8, red), (9, 9, blue), (16, 16, blue), (17, 17, green), (32, 32, green),
            (64, 32, green),
        ] as [(Int?, Int, [UInt8])])
    func smallestPictureThatSuffices_isDecoded(target: Int?, side: Int, color: [UInt8]) throws {
        let image = try decode(sizes, target)
        #expect(image.size == size(side) && image.originalSize == size(32))
        #expect(image.bitmap[0, 0] == pixel(color) && image.isOpaque && image.format == .ico)
        #expect(try ICODecoder().header(of: sizes.data, limits: DecodeLimits()).size == size(32))
    }

    @Test func ofOneSize_theDeepestIsDecoded() throws {
        let pictures = [
            ICOFixture.plain(16, bits: 8, Self.red), ICOFixture.plain(16, bits: 32, Self.green),
            ICOFixture.plain(16, bits: 24, Self.blue), ICOFixture.plain(32, bits: 8, Self.red),
            ICOFixture.plain(32, bits: 24, Self.blue),
        ]
        let file = ICOFixture(pictures: pictures)
        #expect(try decode(file, 16).bitmap[0, 0] == pixel(Self.green))
        #expect(try decode(file).bitmap[0, 0] == pixel(Self.blue))
    }

    @Test func pictureOfAnotherShape_isNotScaledToTheLargest() throws {
        let narrow = BMPFixture.of([[UInt32]](repeating: [0xFF00_FF00], count: 40), bits: 24)
        let mask = [[UInt32]](repeating: [0], count: 40)
        let file = ICOFixture(pictures: [narrow.icon(mask: mask), ICOFixture.plain(32, bits: 24, Self.red)])
        #expect(try decode(file, 1).bitmap[0, 0] == pixel(Self.red))
    }

    // MARK: Transparency

    private let rows: [[UInt32]] = [[1, 0, 1], [0, 1, 0], [1, 1, 0]]

    private func masked(bits: Int, _ numbers: [[UInt32]], topDown: Bool = false) -> ICOFixture {
        var bitmap = BMPFixture.of(numbers, bits: bits)
        if bits <= 8 { (bitmap.palette, bitmap.paletteCount) = ([Self.red, Self.green], 2) }
        return ICOFixture(pictures: [bitmap.icon(mask: rows)])
    }

    @Test(arguments: [1, 4, 8]) func mask_makesTransparent(bits: Int) throws {
        let image = try decode(masked(bits: bits, rows))
        let expected = try Pictures.make(3, 3) { x, y in rows[y][x] == 1 ? .zero : pixel(Self.red) }
        #expect(image.bitmap == expected && !image.isOpaque)
    }

    @Test(arguments: [0, 0x8000_0000] as [UInt32]) func mask_countsUnlessThereIsAlpha(alpha: UInt32) throws {
        let image = try decode(masked(bits: 32, rows.map { $0.map { _ in alpha | 0xC8_0A14 } }))
        #expect(image.bitmap[0, 0] == (alpha == 0 ? .zero : [100, 5, 10, 128]))
        #expect(image.bitmap[1, 0] == (alpha == 0 ? pixel([200, 10, 20]) : [100, 5, 10, 128]))
        #expect(!image.isOpaque)
    }

    @Test func missingMask_isAnError_orLeftOut() throws {
        let file = masked(bits: 8, rows).data
        // The last row needs one byte of the mask's four.
        #expect(try ICODecoder().decode(file.dropLast(3), DecodeRequest()).bitmap[0, 0] == .zero)
        var request = DecodeRequest()
        for missing in [4, 12, 13] {
            request.damaged = .refuse
            #expect(throws: ImageLoaderError.corruptImage(.ico, reason: "ends too early")) {
                try ICODecoder().decode(file.dropLast(missing), request)
            }
            request.damaged = .showWhatIsThere
            let part = try ICODecoder().decode(file.dropLast(missing), request)
            #expect(!part.isComplete && !part.isOpaque && part.bitmap[1, 1] == .zero || missing > 4)
        }
        // With an alpha channel, it isn't needed.
        let deep = masked(bits: 32, rows.map { $0.map { _ in 0xFF00_0000 } }).data
        #expect(try ICODecoder().decode(deep.dropLast(12), DecodeRequest()).isComplete)
    }

    // MARK: Cursors and directories

    @Test func cursor_isRead() throws {
        var file = masked(bits: 8, rows)
        file.isCursor = true
        #expect(ImageFormat(sniffing: file.data) == .ico)
        #expect(try ImageDecoders.builtIn.decode(file.data).bitmap == decode(masked(bits: 8, rows)).bitmap)
    }

    @Test func lengthsOfBitmaps_areIgnored() throws {
        var file = masked(bits: 8, rows)
        file.lengths[0] = 1
        #expect(try decode(file).size == size(3))
    }

    @Test func wrongDirectories_areErrors() {
        func expect(_ reason: String, _ file: ICOFixture) {
            #expect(throws: ImageLoaderError.corruptImage(.ico, reason: reason)) { try decode(file) }
        }
        expect("no icons", ICOFixture())
        expect("ends within its header", ICOFixture(pictures: sizes.pictures, offsets: [2: 1 << 30]))
        expect("a header of 0 bytes", ICOFixture(pictures: [[UInt8](repeating: 0, count: 60)]))
        expect("a PNG that ends within its header", ICOFixture(pictures: [Array(PNGFixture.signature)]))
        #expect(throws: ImageLoaderError.corruptImage(.ico, reason: "ends within its directory")) {
            try ICODecoder().decode(Data([0, 0, 1, 0, 9, 0]), DecodeRequest())
        }
        var runs = BMPFixture(width: 2, height: 2, bits: 8, compression: 1, palette: BMPFixture.colors(8))
        runs.pixels = [2, 1, 0, 0, 2, 1, 0, 1]
        #expect(throws: ImageLoaderError.unsupportedImage(.ico, reason: "runs of pixels in an icon")) {
            try decode(ICOFixture(pictures: [runs.icon(mask: [[0], [0]])]))
        }
    }

    /// A smaller picture would still be there; but the best one isn't, and a server may send it again.
    @Test func damagedBestPicture_isAnError() throws {
        let file = ICOFixture(pictures: [sizes.pictures[0], sizes.pictures[1]]).data.dropLast(2_000)
        #expect(throws: ImageLoaderError.corruptImage(.ico, reason: "ends too early")) {
            try ICODecoder().decode(file, DecodeRequest())
        }
        let request = DecodeRequest(target: DecodeTarget(size(8)))
        #expect(try ICODecoder().decode(file, request).bitmap[0, 0] == pixel(Self.red))
    }

    // MARK: PNG

    #if os(Linux) && PNG
    @Test func embeddedPNG_isRead() throws {
        let picture = try Pictures.noise(20, 20, seed: 3)
        let file = ICOFixture(pictures: [
            ICOFixture.plain(8, bits: 24, Self.red), try [UInt8](PNGEncoder().encode(picture)),
            ICOFixture.plain(16, bits: 24, Self.blue),
        ])
        let image = try decode(file)
        #expect(image.bitmap == picture && image.format == .ico && image.animation == nil)
        #expect(try decode(file, 16).bitmap[0, 0] == pixel(Self.blue))
        let header = try ICODecoder().header(of: file.data, limits: DecodeLimits())
        #expect(header.format == .ico && header.size == size(20) && header.hasAlpha == true && header.frameCount == 1)
    }

    @Test func errorsOfEmbeddedPNGs_sayWhereTheyAre() throws {
        let png = [UInt8](try PNGEncoder().encode(Pictures.noise(20, 20, seed: 3)))
        do throws(ImageLoaderError) {
            _ = try decode(ICOFixture(pictures: [Array(png.prefix(300))]))
            Issue.record("a part of a PNG was decoded")
        } catch {
            guard case .corruptImage(.ico, let reason) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(reason.hasPrefix("its PNG: ends too early"))
        }
        var bomb = png
        bomb.replaceSubrange(16..<20, with: PNGFixture.long(100_000))
        #expect(throws: ImageLoaderError.limitExceeded(.imageSide, value: 100_000, allowed: 65_535)) {
            try decode(ICOFixture(pictures: [bomb]))
        }
    }
    #endif

    @Test(.timeLimit(.minutes(2))) func decoderRules_areMet() async throws {
        var files = [sizes, masked(bits: 4, rows), masked(bits: 32, rows.map { $0.map { $0 << 31 | 0x1020 } })]
        #if os(Linux) && PNG
        files.append(ICOFixture(pictures: [[UInt8](try PNGEncoder().encode(Pictures.noise(20, 20, seed: 3)))]))
        #endif
        for file in files {
            for problem in await DecoderCheck(ICODecoder()).problems(with: file.data) { Issue.record("\(problem)") }
        }
    }
}
#endif
