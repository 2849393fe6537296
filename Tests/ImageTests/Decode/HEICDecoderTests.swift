#if os(Linux) && HEIC && ColorProfiles
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(2))) struct HEICDecoderTests {
    private typealias File = HEIFFixture

    private let decoder = HEICDecoder()

    /// Whether all pixels are about those of the fixture; the codec is lossy.
    private func agrees(
        _ bitmap: Bitmap, _ width: Int, _ height: Int, _ color: (Int, Int) -> SIMD4<UInt8> = File.color
    ) -> Bool {
        guard bitmap.size == PixelSize(width: width, height: height) else { return false }
        return (0..<width * height).allSatisfy { index in
            let (found, expected) = (bitmap[index % width, index / width], color(index % width, index / width))
            return (0..<4).allSatisfy { abs(Int(found[$0]) - Int(expected[$0])) <= 4 }
        }
    }

    private func decode(_ file: File) throws -> DecodedImage { try decoder.decode(file.data, DecodeRequest()) }

    private func header(_ file: File) throws -> ImageHeader {
        try decoder.header(of: file.data, limits: DecodeLimits())
    }

    // MARK: Pixels

    @Test func picture_isDecoded() throws {
        let image = try ImageDecoders.builtIn.decode(File().data)
        #expect(agrees(image.bitmap, 64, 64))
        #expect(image.isOpaque && image.animation == nil && image.format == .heic)
        let header = try header(File())
        #expect(header.hasAlpha == false && header.frameCount == 1 && header.bitsPerSample == 8)
    }

    @Test(arguments: ["mif1", "heix", "heim", "heis", "hevc", "msf1"]) func brand_isKnown(_ brand: String) throws {
        var file = File()
        file.brand = brand
        #expect(agrees(try ImageDecoders.builtIn.decode(file.data).bitmap, 64, 64))
    }

    @Test func deepSamples_areRounded() throws {
        for (item, bits) in [(File.tenBits, 10), (File.twelveBits, 12)] {
            #expect(agrees(try decode(File([item])).bitmap, 64, 64))
            #expect(try header(File([item])).bitsPerSample == bits)
        }
    }

    @Test func alpha_isPremultiplied_once() throws {
        var file = File([File.picture, File.alpha], references: [.init(type: "auxl", from: 2, to: [1])])
        let straight = try decode(file)
        #expect(try header(file).hasAlpha == true && !straight.isOpaque)
        let halved = { (x: Int, y: Int) -> SIMD4<UInt8> in
            let color = File.color(x, y)
            return y < 32 ? color : [color.x / 2, color.y / 2, color.z / 2, 128]
        }
        #expect(agrees(straight.bitmap, 64, 64, halved))
        file.references.append(.init(type: "prem", from: 1, to: [2]))
        let clamped = { (x: Int, y: Int) -> SIMD4<UInt8> in
            let color = File.color(x, y)
            return y < 32 ? color : [min(128, color.x), min(128, color.y), min(128, color.z), 128]
        }
        #expect(agrees(try decode(file).bitmap, 64, 64, clamped))
    }

    @Test func grid_isPutTogether() throws {
        let grid = File.grid(columns: 2, width: 100, height: 50)
        let file = File([grid, File.picture], references: [.init(type: "dimg", from: 1, to: [2, 2])])
        #expect(agrees(try decode(file).bitmap, 100, 50) { x, y in File.color(x % 64, y) })
    }

    @Test func primaryItem_isShown() throws {
        var file = File([File.alpha, File.picture])
        file.primary = 2
        #expect(agrees(try decode(file).bitmap, 64, 64))
    }

    // MARK: Crop and orientation

    @Test(
        arguments: [
            ([File.rotation(1)], .left), ([File.rotation(2)], .down), ([File.rotation(3)], .right),
            ([File.mirror(0)], .downMirrored), ([File.mirror(1)], .upMirrored),
            ([File.rotation(3), File.mirror(1)], .leftMirrored), ([File.rotation(1), File.mirror(1)], .rightMirrored),
            ([File.mirror(1), File.rotation(1)], .leftMirrored),
        ] as [([[UInt8]], Orientation)])
    func turning_isOrientation(_ properties: [[UInt8]], _ orientation: Orientation) throws {
        var file = File()
        file.items[0].properties += [File.crop(width: 32, height: 20, x: 0, y: -44)] + properties
        #expect(try header(file).orientation == orientation)
        var request = DecodeRequest()
        request.appliesOrientation = false
        let stored = try decoder.decode(file.data, request).bitmap
        #expect(agrees(stored, 32, 20) { x, _ in File.color(x + 16, 0) })
        #expect(try decode(file).bitmap == stored.upright(from: orientation, limits: DecodeLimits()))
    }

    @Test func crop_mustBeWithinThePicture() {
        var file = File()
        file.items[0].properties.append(File.crop(width: 32, height: 32, x: 40, y: 0))
        #expect(failure { try decode(file) } == .corruptImage)
    }

    // MARK: Colors

    @Test func codedColors_becomeAProfile() throws {
        var file = File()
        file.items[0].properties[2] = File.colors(primaries: 12, transfer: 13)
        #expect(try decode(file).profile != nil)
        #expect(try decode(File()).profile == nil)
        file.items[0].properties[2] = File.colors(primaries: 9, transfer: 16)
        #expect(try header(file).isHDR)
        #expect(try decode(file).profile == nil && !agrees(decode(file).bitmap, 64, 64))
    }

    // MARK: Thumbnails

    @Test func thumbnail_isUsed_whereItSuffices() throws {
        // The thumbnail has other pixels, which tells it from the picture.
        let grid = File.grid(columns: 2, width: 128, height: 64)
        var small = File.alpha
        small.properties = [small.properties[0], File.size, File.crop(width: 64, height: 32, x: 0, y: -32), File.sRGB]
        let file = File(
            [grid, File.picture, small],
            references: [.init(type: "dimg", from: 1, to: [2, 2]), .init(type: "thmb", from: 3, to: [1])])
        func pixel(_ width: Int) throws -> SIMD4<UInt8> {
            let target = DecodeTarget(PixelSize(width: width, height: width))
            return try decoder.decode(file.data, DecodeRequest(target: target)).bitmap[1, 1]
        }
        #expect(try pixel(32).z > 240)
        #expect(try pixel(64).z > 240)
        #expect(try pixel(100).z < 60)
    }

    // MARK: Hostile files

    @Test func cycles_areRefused() {
        let grid = File.grid(columns: 1, width: 64, height: 64)
        let itself = File([grid], references: [.init(type: "dimg", from: 1, to: [1])])
        let mutual = File(
            [File.picture, grid, grid],
            references: [.init(type: "dimg", from: 2, to: [3]), .init(type: "dimg", from: 3, to: [2])])
        let throughAlpha = File(
            [grid, File.picture],
            references: [.init(type: "dimg", from: 1, to: [2]), .init(type: "auxl", from: 1, to: [2])])
        for file in [itself, mutual, throughAlpha] {
            #expect(throws: ImageLoaderError.corruptImage(.heic, reason: "an image that is made of itself")) {
                try decode(file)
            }
        }
    }

    @Test func deepNesting_isRefused() {
        var items = [File.picture]
        var references: [HEIFFixture.Reference] = []
        for number in 2...20 {
            items.append(File.grid(columns: 1, width: 64, height: 64))
            references.append(.init(type: "dimg", from: number, to: [number - 1]))
        }
        #expect(failure { try decode(File(items, references: references)) } == .unsupportedImage)
    }

    @Test func gridOfManyTiles_isRefused_beforeDecoding() {
        // Tiles that nobody sees, and fewer than there should be.
        for count in [1, 255] {
            let grid = File.grid(columns: 256, width: 64, height: 64)
            let tiles = [Int](repeating: 2, count: count + 1)
            let file = File([grid, File.picture], references: [.init(type: "dimg", from: 1, to: tiles)])
            #expect(failure { try decode(file) } == .corruptImage)
        }
    }

    @Test func severalPicturesInOneItem_areRefused() {
        var file = File()
        file.items[0].content += file.items[0].content
        #expect(failure { try decode(file) } == .unsupportedImage)
    }

    @Test func size_hasLimits() {
        var file = File()
        var request = DecodeRequest()
        request.limits.bitmapBytes = 64 * 64 * 4 - 1
        #expect(failure { try decoder.decode(file.data, request) } == .limitExceeded)
        // The property is small, and the configuration isn't.
        file.items[0].properties[1] = File.fullBox("ispe", File.long(1) + File.long(1))
        #expect(failure { try decoder.decode(file.data, DecodeRequest()) } == .corruptImage)
        request.limits.bitmapBytes = 64
        file.items[0].properties[1] = File.fullBox("ispe", File.long(1) + File.long(0))
        #expect(failure { try decoder.decode(file.data, request) } == .limitExceeded)
    }

    @Test func otherCodecs_areUnsupported() {
        var file = File()
        file.items[0].type = "av01"
        #expect(failure { try decode(file) } == .unsupportedImage)
    }

    @Test func sequenceWithoutAStillPicture_isUnsupported() {
        let file = File.box("ftyp", Array("hevc\0\0\0\0msf1hevc".utf8)) + File.box("moov", [])
        #expect(failure { try decoder.decode(Data(file), DecodeRequest()) } == .unsupportedImage)
    }

    @Test(arguments: [
        File(), File([File.tenBits]),
        File([File.picture, File.alpha], references: [.init(type: "auxl", from: 2, to: [1])]),
        File(
            [File.grid(columns: 2, width: 100, height: 50), File.picture],
            references: [.init(type: "dimg", from: 1, to: [2, 2])]),
    ])
    func decoderRules_areMet(_ file: HEIFFixture) async {
        for problem in await DecoderCheck(decoder, damages: 300).problems(with: file.data) {
            Issue.record("\(problem)")
        }
    }
}
#endif
