import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

struct DecodeTargetTests {
    private typealias Row = (
        original: (Int, Int), room: (Int, Int), mode: DecodeTarget.ContentMode, upscales: Bool, size: (Int, Int),
        part: (Int, Int, Int, Int)?
    )

    private let rows: [Row] = [
        ((400, 300), (100, 100), .fit, false, (100, 75), nil),
        ((400, 300), (100, 100), .fill, false, (133, 100), nil),
        ((400, 300), (100, 100), .crop, false, (133, 100), (16, 0, 100, 100)),
        ((300, 400), (100, 100), .fill, false, (100, 133), nil),
        ((300, 400), (100, 100), .crop, false, (100, 133), (0, 16, 100, 100)),
        // No larger than it is, unless it may be.
        ((40, 30), (100, 100), .fit, false, (40, 30), nil),
        ((40, 30), (100, 100), .fit, true, (100, 75), nil),
        ((40, 30), (100, 100), .fill, false, (40, 30), nil),
        ((40, 30), (100, 100), .fill, true, (133, 100), nil),
        ((40, 30), (100, 100), .crop, false, (40, 30), nil),
        ((40, 30), (100, 100), .crop, true, (133, 100), (16, 0, 100, 100)),
        // Large enough one way only: it can't be filled, and the part is what there is.
        ((400, 30), (100, 100), .fit, false, (100, 8), nil),
        ((400, 30), (100, 100), .fill, false, (400, 30), nil),
        ((400, 30), (100, 100), .crop, false, (400, 30), (150, 0, 100, 30)),
        ((400, 300), (400, 300), .crop, false, (400, 300), nil),
        ((400, 300), (0, -1), .crop, false, (1, 1), nil),
    ]

    @Test func image_isScaledAndCroppedToCenter() {
        for row in rows {
            let target = DecodeTarget(
                PixelSize(width: row.room.0, height: row.room.1), mode: row.mode, allowsUpscaling: row.upscales)
            let plan = target.plan(for: PixelSize(width: row.original.0, height: row.original.1))
            let part = row.part ?? (0, 0, row.size.0, row.size.1)
            #expect(plan.size == PixelSize(width: row.size.0, height: row.size.1), "\(row)")
            #expect(plan.x == part.0 && plan.y == part.1, "\(row)")
            #expect(plan.part == PixelSize(width: part.2, height: part.3), "\(row)")
            #expect(plan.isWhole == (row.part == nil), "\(row)")
        }
    }

    @Test func crop_liesWithinImage_forAnySize() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<20_000 {
            func side() -> Int { Int.random(in: 1...Int.random(in: 1...5_000, using: &random), using: &random) }
            let original = PixelSize(width: side(), height: side())
            let room = PixelSize(width: side(), height: side())
            let upscales = Bool.random(using: &random)
            let fill = DecodeTarget(room, mode: .fill, allowsUpscaling: upscales).plan(for: original)
            let crop = DecodeTarget(room, mode: .crop, allowsUpscaling: upscales).plan(for: original)
            let isLarge = upscales || original.width >= room.width && original.height >= room.height
            must(!isLarge || fill.size.width >= room.width && fill.size.height >= room.height, "\(original) \(room)")
            must(upscales || fill.size.width <= original.width && fill.size.height <= original.height, "\(room)")
            must(crop.size == fill.size, "\(original) \(room)")
            must(crop.x >= 0 && crop.x + crop.part.width <= crop.size.width, "\(original) \(room)")
            must(crop.y >= 0 && crop.y + crop.part.height <= crop.size.height, "\(original) \(room)")
            must(!isLarge || crop.part == room, "\(original) \(room): \(crop)")
        }
    }

    @Test func partOfBitmap_isCopied() throws {
        let whole = try Pictures.make(9, 7) { x, y in [UInt8(x), UInt8(y), 7, 255] }
        let plan = DecodeTarget.Plan(size: whole.size, x: 2, y: 3, part: PixelSize(width: 4, height: 2))
        let part = try whole.cropped(plan, limits: DecodeLimits())
        #expect(part == (try Pictures.make(4, 2) { x, y in [UInt8(x + 2), UInt8(y + 3), 7, 255] }))
    }

    /// Turned upright and cut, in this order: the cut is of what is shown.
    @Test(arguments: Orientation.allCases)
    func crop_appliesToUprightImage(_ orientation: Orientation) throws {
        let plain = try JPEGEncoder(quality: 95).encode(
            Pictures.make(64, 32) { x, y in
                [UInt8(x * 4), UInt8(y * 8), 128, 255]
            })
        let file = JPEGFixture.adding(exif: EXIFFixture(orientation: UInt16(orientation.rawValue)).bytes, to: plain)
        let upright = try ImageFormat.jpeg.decoder().decode(file, limits: DecodeLimits()).bitmap
        var request = DecodeRequest(target: DecodeTarget(PixelSize(width: 20, height: 20), mode: .crop))
        let cut = try ImageFormat.jpeg.decoder().decode(file, request)
        #expect(cut.size == PixelSize(width: 20, height: 20))
        #expect(cut.originalSize == upright.size)
        let plan = DecodeTarget(PixelSize(width: 20, height: 20), mode: .crop).plan(for: upright.size)
        let expected = try upright.scaled(to: plan.size, limits: DecodeLimits()).cropped(plan, limits: DecodeLimits())
        for y in 0..<20 {
            for x in 0..<20 {
                for channel in 0..<3 {
                    must(abs(Int(cut.bitmap[x, y][channel]) - Int(expected[x, y][channel])) <= 6, "\(x) \(y)")
                }
            }
        }
        request.appliesOrientation = false
        let stored = try ImageFormat.jpeg.decoder().decode(file, request)
        #expect(stored.originalSize == PixelSize(width: 64, height: 32))
    }
}
