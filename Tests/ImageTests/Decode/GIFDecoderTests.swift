import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

#if GIF
struct GIFDecoderTests {
    private let decoder = GIFDecoder()
    private let limits = DecodeLimits()

    private func decode(_ file: GIFFixture) throws(ImageLoaderError) -> DecodedImage {
        try decoder.decode(file.data, limits: limits)
    }

    @Test func decodesStill() throws {
        let image = try decode(.still(3, 2))
        #expect(image.format == .gif && image.isOpaque && image.animation == nil)
        #expect(image.size == PixelSize(width: 3, height: 2))
        #expect(image.bitmap[0, 0] == [255, 0, 0, 255])
        #expect(image.bitmap[1, 0] == [0, 255, 0, 255])
        #expect(image.bitmap[0, 1] == [0, 0, 255, 255])
        #expect(image.bitmap[1, 1] == [9, 9, 9, 255])
    }

    @Test func header_isRead() throws {
        let still = try decoder.header(of: GIFFixture.still(3, 2).data, limits: limits)
        #expect(still.size == PixelSize(width: 3, height: 2))
        #expect(still.frameCount == 1 && still.hasAlpha == false && still.bitsPerSample == 8)
        let animation = try decoder.header(of: GIFFixture.animation(7).data, limits: limits)
        #expect(animation.frameCount == 7 && animation.hasAlpha == true)
        let cut = try decoder.header(of: GIFFixture.animation(7).data.dropLast(9), limits: limits)
        #expect(cut.frameCount == nil && cut.size == PixelSize(width: 6, height: 5))
    }

    /// The tables of codes grow, fill and are cleared, or are not.
    @Test(arguments: [true, false], [1, 2, 8])
    func everyLengthOfDataUnpacks(_ clears: Bool, _ colors: Int) throws {
        var random = SeededRandom(seed: 5)
        for (width, height) in [(1, 1), (1, 700), (700, 1), (113, 97), (301, 200)] {
            let indices = (0..<width * height).map { _ in UInt8(random.next() % UInt64(colors == 8 ? 256 : colors)) }
            var image = GIFFixture.Image(width: width, height: height, indices: indices)
            image.palette = (0..<256).map { [UInt8($0), UInt8(255 - $0), 7] }
            image.indexBits = 8
            image.clearsFullTable = clears
            let bitmap = try decode(GIFFixture(width: width, height: height, palette: nil, images: [image])).bitmap
            let expected = try Pictures.make(width, height) { x, y in
                let index = indices[y * width + x]
                return [index, 255 - index, 7, 255]
            }
            #expect(bitmap == expected, "\(width) × \(height)")
        }
    }

    /// Fewer than the standard allows, as in browsers: the first code then has as many bits as there are, plus one.
    @Test(arguments: [0, 1, 2])
    func fewBitsForAnIndex_areRead(_ bits: Int) throws {
        for (width, height) in [(1, 1), (2, 1), (3, 1), (7, 5), (90, 70)] {
            let indices = (0..<width * height).map { UInt8($0 * 7 % 5 % (1 << bits)) }
            var image = GIFFixture.Image(width: width, height: height, indices: indices)
            image.indexBits = bits
            let picture = try decode(GIFFixture(width: width, height: height, images: [image])).bitmap
            image.indexBits = 2
            #expect(try picture == decode(GIFFixture(width: width, height: height, images: [image])).bitmap)
        }
    }

    /// One color makes the longest strings, each made of the one that is being written.
    @Test func longStringsUnpack() throws {
        for clears in [true, false] {
            var image = GIFFixture.Image(width: 1_000, height: 700, indices: Array(repeating: 2, count: 700_000))
            image.clearsFullTable = clears
            let file = GIFFixture(width: 1_000, height: 700, images: [image])
            #expect(file.data.count < 2_500)
            #expect(try decode(file).bitmap == Pictures.plain(1_000, 700, [0, 0, 255, 255]))
        }
    }

    @Test func everyHeightInterlaces() throws {
        for height in 1...20 {
            var file = GIFFixture.still(5, height)
            let upright = try decode(file).bitmap
            file.images[0].isInterlaced = true
            #expect(try decode(file).bitmap == upright, "\(height) rows")
        }
    }

    @Test func codesNeedNoClearAndNoEnd() throws {
        var file = GIFFixture.still(2, 1)
        file.images[0].codes = [1, 2]
        #expect(try decode(file).bitmap[1, 0] == [0, 0, 255, 255])
    }

    @Test func transparentPixels_leaveCanvasUnchanged() throws {
        var file = GIFFixture.still(3, 1)
        file.palette = [[1, 2, 3], [4, 5, 6]]
        file.images[0].indices = [1, 2, 3]
        let image = try decode(file)
        #expect(image.bitmap[0, 0] == [4, 5, 6, 255])
        #expect(image.bitmap[1, 0] == [0, 0, 0, 0] && image.bitmap[2, 0] == [0, 0, 0, 0])
        #expect(!image.isOpaque)
    }

    @Test func canvasOfNoSizeHoldsFirstImage() throws {
        var file = GIFFixture.still(3, 2)
        (file.width, file.height) = (0, 0)
        #expect(try decode(file).size == PixelSize(width: 3, height: 2))
        file.images = []
        #expect(throws: ImageLoaderError.corruptImage(.gif, reason: "0 × 0 pixels")) { try decode(file) }
    }

    @Test func imagesAreClippedToCanvas() throws {
        var file = GIFFixture.still(4, 3)
        (file.width, file.height) = (3, 3)
        (file.images[0].left, file.images[0].top) = (1, 1)
        let bitmap = try decode(file).bitmap
        #expect(bitmap.size == PixelSize(width: 3, height: 3))
        #expect(bitmap[0, 0] == [0, 0, 0, 0])
        #expect(bitmap[1, 1] == [255, 0, 0, 255] && bitmap[2, 2] == [9, 9, 9, 255])
        (file.images[0].left, file.images[0].top) = (60_000, 60_000)
        #expect(try decode(file).bitmap == Pictures.plain(3, 3, [0, 0, 0, 0]))
    }

    @Test func imageIsScaled() throws {
        let target = DecodeTarget(PixelSize(width: 3, height: 3))
        let image = try decoder.decode(GIFFixture.animation().data, DecodeRequest(target: target))
        #expect(image.size == PixelSize(width: 3, height: 3) && image.originalSize == PixelSize(width: 6, height: 5))
        #expect(image.animation?.size == image.size)
    }

    @Test func readsSlice() throws {
        let data = (Data([1, 2, 3]) + GIFFixture.still(3, 2).data).dropFirst(3)
        #expect(try decoder.decode(data, limits: limits).bitmap == decode(.still(3, 2)).bitmap)
    }

    @Test func firstFrameIsReadAlone() throws {
        let whole = try decode(.animation())
        #expect(whole.animation?.frameCount == 4)
        var request = DecodeRequest()
        request.frames = .first
        let first = try decoder.decode(GIFFixture.animation().data, request)
        #expect(first.bitmap == whole.bitmap && first.animation == nil && first.isOpaque)
    }

    @Test func cancelledDecode_stops() {
        let request = DecodeRequest()
        request.cancellation.cancel()
        #expect(throws: ImageLoaderError.cancelled) { try decoder.decode(GIFFixture.still(3, 2).data, request) }
        #expect(throws: ImageLoaderError.cancelled) {
            let data = GIFFixture.still(3, 2).data
            let blocks = try GIFBlocks(scanning: data.span, limits: limits)
            var frames = GIFFrames(GIFAnimation(data: data, blocks: blocks, limits: limits), request.cancellation)
            return try frames.next()
        }
    }
}
#endif
