#if BMP
import AlcedoTestSupport
import Foundation
import Testing

import Alcedo
@testable import TestFixtures

struct BMPDecoderTests {
    private func decode(_ file: BMPFixture) throws(ImageLoaderError) -> DecodedImage {
        try BMPDecoder().decode(file.data, DecodeRequest())
    }

    /// Numbers of `bits` bits, 11 × 5.
    private func numbers(_ bits: Int) -> [[UInt32]] {
        var random = SeededRandom(seed: UInt64(bits))
        let most: UInt64 = 1 << UInt64(bits) - 1
        return (0..<5).map { _ in (0..<11).map { _ in UInt32(random.next() & most) } }
    }

    private func picture(_ rows: [[UInt32]], _ color: (UInt32) -> SIMD4<UInt8>) throws -> Bitmap {
        try Pictures.make(rows.first?.count ?? 0, rows.count) { x, y in color(rows[y][x]) }
    }

    private func bytes(of number: UInt32) -> [UInt8] { BMPFixture.little(Int(number)) }

    @Test(arguments: [1, 2, 4, 8], [12, 16, 40, 52, 56, 64, 108, 124])
    func indices_areColorsOfThePalette(bits: Int, headerLength: Int) throws {
        for topDown in headerLength == 12 ? [false] : [false, true] {
            let rows = numbers(bits)
            var file = BMPFixture.of(rows, bits: bits, topDown: topDown)
            (file.headerLength, file.palette) = (headerLength, BMPFixture.colors(bits))
            let image = try decode(file)
            let expected = try picture(rows) { number in
                let color = file.palette[Int(number)]
                return [color[0], color[1], color[2], 255]
            }
            #expect(image.bitmap == expected && image.isOpaque && image.format == .bmp)
            #expect(image.profile == nil && image.animation == nil)
        }
    }

    @Test func paletteOfFewerColors_isBlackBeyond() throws {
        var file = BMPFixture.of([[0, 1, 2, 15]], bits: 4)
        (file.palette, file.paletteCount) = ([[9, 8, 7], [1, 2, 3]], 2)
        let image = try decode(file)
        #expect(image.bitmap[0, 0] == [9, 8, 7, 255] && image.bitmap[1, 0] == [1, 2, 3, 255])
        #expect(image.bitmap[2, 0] == [0, 0, 0, 255] && image.bitmap[3, 0] == [0, 0, 0, 255])
    }

    @Test(arguments: [24, 32], [12, 40, 124]) func trueColors_areBlueGreenRed(bits: Int, headerLength: Int) throws {
        let rows = numbers(bits)
        var file = BMPFixture.of(rows, bits: bits)
        file.headerLength = headerLength
        let image = try decode(file)
        // The fourth byte means nothing.
        let expected = try picture(rows) { number in
            let bytes = bytes(of: number)
            return [bytes[2], bytes[1], bytes[0], 255]
        }
        #expect(image.bitmap == expected && image.isOpaque)
    }

    /// Masks of red, green, blue and alpha.
    @Test(
        arguments: [
            (16, [0x7C00, 0x3E0, 0x1F]), (16, [0xF800, 0x7E0, 0x1F]), (16, [0xF, 0xF0, 0xF00, 0xF000]),
            (16, [0xFF00, 0xFF, 0]), (32, [0x3FF0_0000, 0xF_FC00, 0x3FF, 0xC000_0000]),
            (32, [0xFF, 0xFF00, 0xFF_0000]),
            (32, [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000]), (32, [0xFFFF_FFFF, 0, 0x1]), (16, [0x8000, 0x7FFF, 0, 0x1]),
        ] as [(Int, [UInt32])])
    func channels_areScaledToBytes(bits: Int, masks: [UInt32]) throws {
        let rows = numbers(bits)
        for (headerLength, compression) in [(40, masks.count == 4 ? 6 : 3), (56, 3), (108, 3), (124, 3)] {
            var file = BMPFixture.of(rows, bits: bits)
            (file.headerLength, file.compression, file.masks) = (headerLength, compression, masks)
            let image = try decode(file)
            func value(_ number: UInt32, _ channel: Int) -> Double {
                guard channel < masks.count, masks[channel] != 0 else { return channel == 3 ? 255 : 0 }
                let shift = UInt32(masks[channel].trailingZeroBitCount)
                let (value, most) = (Double((number & masks[channel]) >> shift), Double(masks[channel] >> shift))
                return (value * 255 / most).rounded()
            }
            let expected = try picture(rows) { number in
                let alpha = value(number, 3)
                // Premultiplied as everywhere: (c × a + 127) / 255.
                func byte(_ channel: Int) -> UInt8 { UInt8((Int(value(number, channel)) * Int(alpha) + 127) / 255) }
                return [byte(0), byte(1), byte(2), UInt8(alpha)]
            }
            #expect(image.bitmap == expected, "\(headerLength)")
            let header = try BMPDecoder().header(of: file.data, limits: DecodeLimits())
            #expect(header.hasAlpha == (masks.count == 4 ? nil : false))
            #expect(header.bitsPerSample == masks.map(\.nonzeroBitCount).max())
        }
    }

    @Test func sixteenBitsWithoutMasks_areFiveEach() throws {
        let image = try decode(.of([[0x7FFF, 0x7C00, 0x3E0, 0x1F, 0x8000]], bits: 16))
        let colors: [SIMD4<UInt8>] = [
            [255, 255, 255, 255], [255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [0, 0, 0, 255],
        ]
        for (x, color) in colors.enumerated() { #expect(image.bitmap[x, 0] == color) }
    }

    @Test func alphaOfZeroEverywhere_isNone() throws {
        for (last, expected) in [(0x0010_2030, SIMD4<UInt8>(0x10, 0x20, 0x30, 255)), (0x0110_2030, .zero)] {
            var file = BMPFixture.of([[0x0010_2030, UInt32(last)]], bits: 32)
            (file.compression, file.headerLength) = (3, 124)
            file.masks = [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000]
            let image = try decode(file)
            #expect(image.bitmap[0, 0] == expected)
            #expect(image.isOpaque == (last == 0x0010_2030))
        }
    }

    // MARK: Runs

    private let palette = BMPFixture.colors(4)

    /// 6 × 3, of which the bottom row is the first.
    private func runs(_ bits: Int, _ codes: [UInt8]) -> BMPFixture {
        var file = BMPFixture(width: 6, height: 3, bits: bits)
        file.compression = [4: 2, 8: 1, 24: 4][bits] ?? 0
        if bits == 24 { file.headerLength = 64 } else { (file.palette, file.paletteCount) = (palette, 16) }
        file.pixels = codes
        return file
    }

    /// What is drawn: the index in the palette, or a point for nothing.
    private func drawn(_ rows: [String]) throws -> Bitmap {
        try Pictures.make(6, rows.count) { x, y in
            let letter = Array(rows[y])[x]
            guard let index = Int(String(letter), radix: 16) else { return .zero }
            return [palette[index][0], palette[index][1], palette[index][2], 255]
        }
    }

    @Test(
        arguments: [
            // Runs, an end of row, and the end.
            (8, [6, 1, 0, 0, 2, 3, 4, 4, 0, 0, 6, 5, 0, 1], ["555555", "334444", "111111"]),
            // Literals of an odd number, and of more than the row has room for.
            (
                8, [0, 3, 1, 2, 3, 0, 3, 7, 0, 0, 0, 7, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 9, 8, 0, 1],
                ["888888", "123456", "123777"]
            ),
            // A step to the right and up.
            (8, [1, 1, 0, 2, 3, 1, 2, 2, 0, 1], ["......", "....22", "1....."]),
            // An end without a code, and one that comes early.
            (8, [6, 1, 0, 0, 6, 2, 0, 0, 6, 3], ["333333", "222222", "111111"]),
            (8, [2, 1, 0, 1], ["......", "......", "11...."]),
            // Two colors in turn, and literals of four bits.
            (4, [5, 0x12, 0, 0, 0, 5, 0x12, 0x34, 0x50, 0, 0, 0, 6, 0x12, 0, 1], ["121212", "12345.", "12121."]),
        ] as [(Int, [UInt8], [String])])
    func runs_areDrawn(bits: Int, codes: [UInt8], rows: [String]) throws {
        let file = runs(bits, codes)
        let image = try decode(file)
        #expect(try image.bitmap == drawn(rows))
        #expect(image.isOpaque == !rows.joined().contains("."))
        let header = try BMPDecoder().header(of: file.data, limits: DecodeLimits())
        #expect(header.hasAlpha == nil)
    }

    @Test func runsOfTrueColors_areDrawn() throws {
        var file = runs(24, [3, 1, 2, 3, 0, 3, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 1])
        file.height = 1
        let image = try decode(file)
        let colors: [SIMD4<UInt8>] = [[3, 2, 1, 255], [7, 8, 9, 255], [4, 5, 6, 255], [1, 2, 3, 255]]
        #expect(image.bitmap[0, 0] == colors[0] && image.bitmap[2, 0] == colors[0])
        for x in 1..<4 { #expect(image.bitmap[x + 2, 0] == colors[x]) }
    }

    /// The codes, the reason, and what can be shown of the lowest row.
    @Test(
        arguments: [
            ([6, 1], "ends too early", "111111"), ([6, 1, 0, 0, 6, 1, 0, 0, 5, 3], "ends too early", "111111"),
            ([0, 4, 1, 2], "ends too early", "12...."), ([0, 2, 1], "ends too early", nil), ([], "ends too early", nil),
            ([6, 1, 0, 2, 1, 0], "pixels beyond the image", "111111"),
            ([0, 2, 0, 4], "pixels beyond the image", nil),
        ] as [([UInt8], String, String?)])
    func damagedRuns_areErrors_orAPart(codes: [UInt8], reason: String, part: String?) throws {
        let file = runs(8, codes)
        let error = ImageLoaderError.corruptImage(.bmp, reason: reason)
        #expect(throws: error) { try decode(file) }
        var request = DecodeRequest()
        request.damaged = .showWhatIsThere
        guard let part else {
            #expect(throws: error) { try BMPDecoder().decode(file.data, request) }
            return
        }
        let (image, row) = (try BMPDecoder().decode(file.data, request), try drawn([part]))
        #expect(!image.isComplete && !image.isOpaque)
        for x in 0..<6 { #expect(image.bitmap[x, 2] == row[x, 0]) }
    }

    // MARK: Damage

    @Test(arguments: [1, 8, 24, 32], [false, true]) func cutFile_isAnError_orItsRows(bits: Int, topDown: Bool) throws {
        let rows = numbers(bits)
        var file = BMPFixture.of(rows, bits: bits, topDown: topDown)
        if bits <= 8 { file.palette = BMPFixture.colors(bits) }
        let (whole, data) = (try decode(file), file.data)
        // Bytes behind the last pixel aren't needed.
        let padding = (32 - 11 * bits % 32) % 32 / 8
        #expect(try BMPDecoder().decode(data.dropLast(padding), DecodeRequest()).bitmap == whole.bitmap)
        let cut = data.dropLast(padding + 1)
        #expect(throws: ImageLoaderError.corruptImage(.bmp, reason: "ends too early")) {
            try BMPDecoder().decode(cut, DecodeRequest())
        }
        var request = DecodeRequest()
        request.damaged = .showWhatIsThere
        let part = try BMPDecoder().decode(cut, request)
        #expect(!part.isComplete && !part.isOpaque && part.size == whole.size)
        let missing = topDown ? 4 : 0
        for y in 0..<5 {
            for x in 0..<11 { #expect(part.bitmap[x, y] == (y == missing ? .zero : whole.bitmap[x, y])) }
        }
        request.target = DecodeTarget(PixelSize(width: 3, height: 3))
        #expect(try !BMPDecoder().decode(cut, request).isComplete)
        #expect(try BMPDecoder().decode(data, request).isComplete)
    }

    @Test(arguments: [
        (4, 0, 40, "contains a JPEG"), (5, 0, 40, "contains a PNG"), (0, 64, 40, "64 bits per pixel"),
        (3, 1, 64, "Huffman coding (OS/2)"), (11, 32, 40, "CMYK"), (0, 3, 40, "3 bits per pixel"),
    ])
    func rareKinds_areNamed(compression: Int, bits: Int, headerLength: Int, reason: String) {
        var file = BMPFixture(width: 2, height: 2, bits: bits, headerLength: headerLength, compression: compression)
        file.pixels = [UInt8](repeating: 0, count: 64)
        #expect(throws: ImageLoaderError.unsupportedImage(.bmp, reason: reason)) { try decode(file) }
    }

    @Test func wrongHeaders_areErrors() {
        func expect(
            _ reason: String, sourceLocation: SourceLocation = #_sourceLocation, _ change: (inout BMPFixture) -> Void
        ) {
            var file = BMPFixture.of([[1, 2], [3, 4]], bits: 24)
            change(&file)
            #expect(throws: ImageLoaderError.corruptImage(.bmp, reason: reason), sourceLocation: sourceLocation) {
                try decode(file)
            }
        }
        expect("0 × 2 pixels") { $0.width = 0 }
        expect("-3 × 2 pixels") { $0.width = -3 }
        expect("2 × 0 pixels") { $0.height = 0 }
        expect("a header of 41 bytes") { $0.changes[0] = [41] }
        expect("ends within its header") { $0.changes[0] = [124] }
        expect("pixels within its header") { $0.pixelOffset = 20 }
        expect("compression 7 of 24 bits per pixel") { $0.compression = 7 }
        expect("compression 1 of 24 bits per pixel") { $0.compression = 1 }
        expect("compression 3 of 24 bits per pixel") { $0.compression = 3 }
        expect("no palette") { ($0.bits, $0.pixelOffset) = (8, 54) }
        expect("runs of pixels from the top down") { ($0.bits, $0.compression, $0.height) = (8, 1, -2) }
        expect("the bits of a channel aren't side by side") {
            ($0.bits, $0.compression, $0.masks) = (32, 3, [0xF0F, 0xF0, 0xF000])
        }
        expect("ends too early") { $0.pixelOffset = 1 << 30 }
        expect("ends too early") { $0.pixels = [] }
    }

    @Test func pixelsWithoutAnOffset_followThePalette() throws {
        var file = BMPFixture.of([[0, 1]], bits: 1)
        (file.palette, file.pixelOffset) = ([[1, 2, 3], [4, 5, 6]], 0)
        #expect(try decode(file).bitmap[1, 0] == [4, 5, 6, 255])
    }

    // MARK: Sizes, colors and cost

    #if os(Linux) && PNG
    /// A PNG of the same pixels is scaled in its rows, too.
    @Test(arguments: [8, 16, 24, 32]) func smallerPicture_isThatOfTheWhole_scaled(bits: Int) throws {
        let rows = (0..<90).map { y in (0..<70).map { x in UInt32(truncatingIfNeeded: (x * 3 + y * 7) * 0x1_0101) } }
        var file = BMPFixture.of(
            rows.map { $0.map { bits == 8 ? $0 & 255 : bits == 16 ? $0 & 0xFFFF : $0 } }, bits: bits)
        if bits == 8 { file.palette = BMPFixture.colors(8) }
        let size = PixelSize(width: 23, height: 30)
        let request = DecodeRequest(target: DecodeTarget(size))
        let small = try BMPDecoder().decode(file.data, request)
        let whole = try decode(file)
        #expect(small.size == DecodeTarget(size).plan(for: whole.size).part && small.originalSize == whole.size)
        #expect(try small.bitmap == PNGDecoder().decode(PNGEncoder().encode(whole), request).bitmap)
    }
    #endif

    /// The whole bitmap would take more memory than allowed.
    @Test func largePicture_isScaledInItsRows() throws {
        var limits = DecodeLimits()
        limits.bitmapBytes = 1 << 20
        var file = BMPFixture(width: 2_000, height: 1_000, bits: 1)
        (file.palette, file.pixels) = ([[0, 0, 0], [255, 255, 255]], [UInt8](repeating: 0x55, count: 252 * 1_000))
        let request = DecodeRequest(limits: limits, target: DecodeTarget(PixelSize(width: 200, height: 100)))
        let image = try BMPDecoder().decode(file.data, request)
        #expect(image.size == PixelSize(width: 200, height: 100) && image.bitmap[100, 50].x > 100)
        let header = try BMPDecoder().header(of: file.data, limits: limits)
        #expect(try BMPDecoder().cost(header, byteCount: file.data.count, request).workingBytes <= 1 << 20)
        #expect(throws: ImageLoaderError.limitExceeded(.bitmapBytes, value: 8_000_000, allowed: 1 << 20)) {
            try BMPDecoder().decode(file.data, DecodeRequest(limits: limits))
        }
    }

    @Test func embeddedProfile_isKept() throws {
        let profile = ICCFixture().data
        var file = BMPFixture.of([[1, 2], [3, 4]], bits: 24)
        (file.headerLength, file.end) = (124, Array(profile))
        file.changes = [
            56: Array("DEBM".utf8), 112: BMPFixture.little(124 + 16), 116: BMPFixture.little(profile.count),
        ]
        #expect(try decode(file).profile == profile)
        let header = try BMPDecoder().header(of: file.data, limits: DecodeLimits())
        #expect(header.profileBytes == profile.count)
        // It isn't part of the picture.
        #expect(try BMPDecoder().decode(file.data.dropLast(), DecodeRequest()).profile == nil)
        var limits = DecodeLimits()
        limits.metadataBytes = profile.count - 1
        let error = ImageLoaderError.limitExceeded(.metadataBytes, value: profile.count, allowed: profile.count - 1)
        #expect(throws: error) { try BMPDecoder().header(of: file.data, limits: limits) }
    }

    #if os(Linux) && ColorProfiles
    @Test func describedColors_becomeAProfile_unlessTheyAreSRGB() throws {
        typealias Point = (x: Double, y: Double)
        func profile(_ red: Point, _ green: Point, power: Double) throws -> Data? {
            var file = BMPFixture.of([[1, 2], [3, 4]], bits: 24)
            file.headerLength = 108
            var numbers: [Double] = []
            for point in [red, green, Point(0.15, 0.06)] { numbers += [point.x, point.y, 1 - point.x - point.y] }
            file.changes[60] = numbers.flatMap { BMPFixture.little(Int($0 * 1_073_741_824)) }
            file.changes[96] = (0..<3).flatMap { _ in BMPFixture.little(Int(power * 65_536)) }
            return try decode(file).profile
        }
        let (red, green, deepGreen): (Point, Point, Point) = ((0.64, 0.33), (0.30, 0.60), (0.21, 0.71))
        #expect(try profile(red, green, power: 2.2) == nil)
        #expect(try profile(red, deepGreen, power: 2.2) != nil)
        #expect(try profile(red, green, power: 1.8) != nil)
        #expect(try profile(red, deepGreen, power: 0) == nil)
    }
    #endif

    @Test func resolution_isMetadata() throws {
        let metadata = try ImageMetadata(of: BMPFixture.of([[1]], bits: 24).data)
        let resolution = try #require(metadata.resolution)
        #expect(resolution.horizontal.rounded() == 72 && resolution.vertical.rounded() == 72)
        var old = BMPFixture.of([[1]], bits: 24)
        old.headerLength = 12
        #expect(try ImageMetadata(of: old.data) == ImageMetadata())
    }

    @Test func builtInDecoder_readsIt() throws {
        let file = BMPFixture.of([[1, 2], [3, 4]], bits: 24).data
        #expect(try ImageDecoders.builtIn.decode(file).format == .bmp)
        #expect(try ImageDecoders.builtIn.header(of: file).frameCount == 1)
    }

    @Test(.timeLimit(.minutes(2))) func decoderRules_areMet() async throws {
        var indexed = BMPFixture.of(numbers(4), bits: 4)
        indexed.palette = BMPFixture.colors(4)
        var clear = BMPFixture.of(numbers(32), bits: 32)
        (clear.headerLength, clear.compression) = (124, 3)
        clear.masks = [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000]
        let files = [
            indexed, clear, .of(numbers(24), bits: 24, topDown: true), .of(numbers(16), bits: 16),
            runs(8, [6, 1, 0, 0, 2, 3, 4, 4, 0, 0, 6, 5, 0, 1]), runs(4, [5, 0x12, 0, 0, 0, 2, 1, 0, 4, 0x12, 0, 1]),
        ]
        for file in files {
            for problem in await DecoderCheck(BMPDecoder()).problems(with: file.data) { Issue.record("\(problem)") }
        }
    }
}
#endif
