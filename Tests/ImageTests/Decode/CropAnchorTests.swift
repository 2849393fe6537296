#if os(Linux) && JPEG && PNG && GIF
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Which part of a picture is kept.
@Suite(.timeLimit(.minutes(1))) struct CropAnchorTests {
    private func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    /// A soft ground with a disc of 60 pixels in which `color` says what is seen.
    private func picture(
        _ width: Int, _ height: Int, disc center: (x: Int, y: Int), _ color: (Int, Int) -> SIMD4<UInt8>
    ) throws -> Bitmap {
        try Pictures.make(width, height) { x, y in
            let (across, down) = (x - center.x, y - center.y)
            if across * across + down * down < 30 * 30 { return color(x, y) }
            return [UInt8(60 + 80 * x / width), UInt8(90 + 60 * y / height), 140, 255]
        }
    }

    private static let discs: [@Sendable (Int, Int) -> SIMD4<UInt8>] = [
        { x, y in x / 6 % 2 == y / 6 % 2 ? [255, 255, 255, 255] : [20, 20, 20, 255] },
        { _, _ in [250, 20, 40, 255] }, { _, _ in [224, 172, 140, 255] },
    ]

    /// The first column and row that attention keeps.
    private func place(_ part: PixelSize, _ picture: Bitmap) throws -> (x: Int, y: Int) {
        try CropAnchor.attention.place(part, in: picture)
    }

    // MARK: Attention

    @Test(arguments: discs.indices) func edgesColorsAndSkin_areKept(_ disc: Int) throws {
        for x in [40, 130, 250, 360] {
            let wide = try picture(400, 100, disc: (x, 50), Self.discs[disc])
            let place = try place(size(100, 100), wide)
            #expect(place.y == 0 && place.x <= x - 30 && place.x + 100 >= x + 30, "\(x): \(place)")
            let high = try picture(100, 400, disc: (50, x), Self.discs[disc])
            let other = try self.place(size(100, 100), high)
            #expect(other.x == 0 && other.y <= x - 30 && other.y + 100 >= x + 30, "\(x): \(other)")
        }
        let both = try picture(400, 300, disc: (90, 220), Self.discs[disc])
        let corner = try place(size(120, 100), both)
        #expect((0...60).contains(corner.x) && (150...190).contains(corner.y), "\(corner)")
    }

    @Test func mirroredPicture_isCroppedMirrored() throws {
        let picture = try picture(390, 100, disc: (77, 50), Self.discs[0])
        let mirrored = try picture.upright(from: .upMirrored, limits: .unlimited)
        let (one, other) = (try place(size(100, 100), picture), try place(size(100, 100), mirrored))
        #expect(abs(one.x - (290 - other.x)) <= 4)
    }

    @Test func uniformPicture_isCroppedInTheMiddle() throws {
        for (width, height) in [(400, 100), (100, 401), (1, 5_000), (3, 3)] {
            let plain = try Pictures.plain(width, height, [9, 99, 200, 255])
            let part = size(min(width, 50), min(height, 50))
            let place = try place(part, plain)
            #expect(abs(2 * place.x - (width - part.width)) <= 1 && abs(2 * place.y - (height - part.height)) <= 1)
        }
    }

    /// A transparent pixel shows nothing.
    @Test func transparentParts_drawNoAttention() throws {
        let half = try Pictures.make(200, 50) { x, y in
            x < 100 ? [0, 0, 0, 0] : (x / 5 + y / 5) % 2 == 0 ? [200, 30, 30, 255] : [0, 0, 0, 255]
        }
        #expect(try place(size(50, 50), half).x >= 100)
    }

    // MARK: Decoding

    private func decoded(
        _ file: Data, _ side: Int, _ anchor: CropAnchor
    ) throws -> DecodedImage {
        let target = DecodeTarget(size(side, side), mode: .crop, anchor: anchor)
        return try ImageDecoders.builtIn.decode(file, DecodeRequest(target: target))
    }

    /// A JPEG is reduced while it is decoded, a PNG isn't.
    @Test(arguments: [40, 90, 200]) func decoders_agree(_ side: Int) throws {
        let large = try picture(1_600, 900, disc: (1_300, 400), Self.discs[0])
        let jpeg = try decoded(JPEGEncoder(quality: 95).encode(large), side, .attention)
        let png = try decoded(PNGEncoder(compressionLevel: 1).encode(large), side, .attention)
        #expect(jpeg.size == size(side, side) && png.size == jpeg.size)
        #expect(jpeg.bitmap.meanSquareDifference(from: png.bitmap) < 60)
        #expect(try decoded(PNGEncoder(compressionLevel: 1).encode(large), side, .center).bitmap != png.bitmap)
    }

    @Test func turnedPicture_isLookedAtUpright() throws {
        let upright = try picture(300, 100, disc: (240, 50), Self.discs[1])
        let stored = try upright.upright(from: .left, limits: .unlimited)
        let exif = TIFFFixture(fields: [0x0112: .words([6])], isLittleEndian: true).bytes
        let turned = try decoded(PNGEncoder().encode(stored).withChunk("eXIf", exif), 100, .attention)
        let plain = try decoded(PNGEncoder().encode(upright), 100, .attention)
        #expect(turned.bitmap == plain.bitmap)
    }

    @Test func framesOfAnAnimation_areCroppedAlike() async throws {
        let frames = try [(300, 50), (60, 50)].map { disc in
            AnimationFrame(try picture(400, 100, disc: disc, Self.discs[1]), delay: .seconds(1))
        }
        let image = try decoded(PNGEncoder(compressionLevel: 1).encode(frames), 100, .attention)
        let animation = try #require(image.animation)
        // The disc has left the part that was chosen by the first frame.
        #expect(image.bitmap[50, 50].x > 200)
        let second = try await animation.frame(at: 1)
        #expect((0..<100).allSatisfy { second[$0, 50].x < 200 })
    }

    @Test func framesOfAnAnimation_areCroppedAlike_byAProcessor() async throws {
        let frames = try [(300, 50), (60, 50)].map { disc in
            AnimationFrame(try picture(400, 100, disc: disc, Self.discs[1]), delay: .seconds(1))
        }
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        var request = ImageRequest(data: try PNGEncoder(compressionLevel: 1).encode(frames), id: "discs")
        request.processors = [.crop(to: size(100, 100), at: .attention)]
        let image = try await ImageLoader(configuration).image(for: request)
        let second = try await #require(image.animation).frame(at: 1)
        #expect(image.bitmap[50, 50].x > 200)
        #expect((0..<100).allSatisfy { second[$0, 50].x < 200 })
    }

    /// Sides that nothing can be calculated with end as an error, wherever the part would lie.
    @Test(arguments: [CropAnchor.right, .bottom, .focus(x: 1, y: 0.5), .focus(x: 0, y: 1), .attention])
    func endlessTarget_exceedsALimit(_ anchor: CropAnchor) throws {
        let file = try PNGEncoder().encode(Pictures.gradient(4, 3))
        for side in [size(1, .max), size(.max, 1), size(.max, .max)] {
            var target = DecodeTarget(side, mode: .crop, allowsUpscaling: true)
            target.anchor = anchor
            #expect(failure { try ImageDecoders.builtIn.decode(file, DecodeRequest(target: target)) } == .limitExceeded)
        }
    }

    @Test func focus_isNearestToTheMiddle() throws {
        let whole = size(400, 100)
        for (x, expected) in [(0.0, 0), (0.1, 0), (0.5, 150), (0.6, 190), (0.95, 300), (1, 300)] {
            let place = CropAnchor.focus(x: x, y: 0.5).place(size(100, 100), in: whole)
            #expect(place?.x == expected && place?.y == 0, "\(x)")
        }
        for (x, expected) in [(-1e300, 0), (Double.nan, 0), (.infinity, 300), (7, 300)] {
            #expect(CropAnchor.focus(x: x, y: 0.5).place(size(100, 100), in: whole)?.x == expected)
        }
        let colors = try Pictures.make(400, 100) { x, _ in [UInt8(x / 2), 0, 0, 255] }
        let image = try decoded(PNGEncoder().encode(colors), 100, .focus(x: 0.6, y: 0))
        #expect(image.bitmap[0, 0] == colors[190, 0] && image.bitmap[99, 99] == colors[289, 99])
        #expect(try decoded(PNGEncoder().encode(colors), 100, .right).bitmap[99, 0] == colors[399, 0])
    }

    @Test func processor_cropsToAttention() throws {
        let picture = try picture(400, 100, disc: (300, 50), Self.discs[0])
        let part = try CropProcessor(.anchored(size(80, 80), .attention)).made(of: picture)
        let place = try place(size(80, 80), picture)
        #expect(part.size == size(80, 80) && part[0, 0] == picture[place.x, place.y] && place.x > 200)
        for anchor in [CropAnchor.focus(x: 1.1, y: 0), .focus(x: 0, y: -0.1), .focus(x: .nan, y: 0)] {
            #expect(throws: ImageLoaderError.self) { try CropProcessor(.anchored(size(1, 1), anchor)).validate() }
        }
    }
}
#endif
