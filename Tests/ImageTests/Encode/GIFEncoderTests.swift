import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

#if GIF
struct GIFEncoderTests {
    @Test(arguments: [(1, 1), (1, 300), (300, 1), (61, 47), (2, 2)])
    func upTo256Colors_areExact(_ width: Int, _ height: Int) throws {
        for colors in [1, 2, 3, 4, 5, 16, 17, 255, 256] {
            let bitmap = try Pictures.make(width, height) { x, y in
                let color = (y * width + x) * 7 % colors
                return [UInt8(color), UInt8(255 - color), UInt8(color * 3 % 256), 255]
            }
            let file = try GIFEncoder().encode(bitmap)
            #expect(ImageFormat(sniffing: file) == .gif)
            let image = try GIFDecoder().decode(file, limits: DecodeLimits())
            #expect(image.bitmap == bitmap, "\(colors) colors")
            #expect(image.isOpaque)
            #expect(image.animation == nil)
        }
    }

    @Test(arguments: [1, 3, 200, 255])
    func transparency_usesOnePaletteEntry(_ colors: Int) throws {
        let bitmap = try Pictures.make(40, 30) { x, y in
            let color = (y * 40 + x) % (colors + 1)
            return color == colors ? [0, 0, 0, 0] : [UInt8(color), 90, UInt8(255 - color), 255]
        }
        let image = try GIFDecoder().decode(GIFEncoder().encode(bitmap), limits: DecodeLimits())
        #expect(image.bitmap == bitmap)
        #expect(!image.isOpaque)
    }

    @Test func transparentImage_isWritten() throws {
        let bitmap = try Pictures.plain(5, 4, [0, 0, 0, 0])
        #expect(try AnimationFixture.frames(of: GIFEncoder().encode(bitmap)) == [bitmap])
    }

    @Test func halfAlpha_isThreshold_andColorsAreStraight() throws {
        let bitmap = try Pictures.make(2, 1) { x, _ in x == 0 ? [64, 32, 0, 128] : [64, 32, 0, 127] }
        let decoded = try AnimationFixture.frames(of: GIFEncoder().encode(bitmap))[0]
        #expect(decoded[0, 0] == [128, 64, 0, 255])
        #expect(decoded[1, 0] == [0, 0, 0, 0])
    }

    /// Pillow 13's median cut comes to 51.7 dB with this picture, and its octree to 37.7.
    @Test func photosColors_areFewButGood() throws {
        let photo = try PhotoFixture.make(240, 180)
        let plain = try AnimationFixture.frames(of: GIFEncoder(dithers: false).encode(photo))[0]
        #expect(PhotoFixture.likeness(photo, plain) > 51.7)
        let dithered = try AnimationFixture.frames(of: GIFEncoder().encode(photo))[0]
        #expect(PhotoFixture.likeness(photo, dithered) > 33)
        // What dithering is for: the mean of many pixels is that of the picture.
        #expect(PhotoFixture.likeness(try photo.small, try dithered.small) > 47)
        #expect(
            PhotoFixture.likeness(try photo.small, try dithered.small)
                > PhotoFixture.likeness(try photo.small, try plain.small))
    }

    @Test func photoWithHoles_isWritten() throws {
        let photo = try PhotoFixture.make(60, 50)
        let bitmap = try Pictures.make(60, 50) { x, y in (x / 7 + y / 5) % 3 == 0 ? [0, 0, 0, 0] : photo[x, y] }
        let decoded = try AnimationFixture.frames(of: GIFEncoder().encode(bitmap))[0]
        for y in 0..<50 {
            for x in 0..<60 { must(decoded[x, y].w == bitmap[x, y].w, "(\(x), \(y))") }
        }
        #expect(PhotoFixture.likeness(bitmap, decoded) > 33)
    }

    @Test(arguments: [true, false])
    func onlyChanges_areWritten(_ isOpaque: Bool) throws {
        let frames = try AnimationFixture.square(64, 48, count: 12, isOpaque: isOpaque)
        let file = try GIFEncoder().encode(AnimationFixture.timed(frames))
        #expect(try AnimationFixture.frames(of: file) == frames)
        let blocks = try GIFBlocks(scanning: file.span, limits: DecodeLimits())
        #expect(blocks.frames.count == 12)
        // The places where the square was and where it is.
        #expect(blocks.frames.dropFirst().allSatisfy { Int($0.width) * Int($0.height) <= 64 * 7 })
        #expect(blocks.frames.contains { $0.disposal == .clear } == !isOpaque)
    }

    /// Frames without other colors use the palette of the first frame.
    @Test func sharedPalette_isWrittenOnce() throws {
        let one = try Pictures.make(200, 1) { x, _ in [UInt8(x), 0, 0, 255] }
        let other = try Pictures.make(200, 1) { x, _ in [UInt8(199 - x), 0, 0, 255] }
        let third = try Pictures.make(200, 1) { x, _ in [UInt8(x), 1, 0, 255] }
        let file = try GIFEncoder().encode(AnimationFixture.timed([one, other, third]))
        #expect(try AnimationFixture.frames(of: file) == [one, other, third])
        let blocks = try GIFBlocks(scanning: file.span, limits: DecodeLimits())
        #expect(blocks.frames[0].paletteOffset == blocks.frames[1].paletteOffset)
        #expect(blocks.frames[0].paletteOffset != blocks.frames[2].paletteOffset)
    }

    /// 256 colors in the pixels that change, and one between them that does not: no index is left for it.
    @Test func fullPalette_rewritesUnchangedPixels() throws {
        let frames = try (0..<3).map { number in
            try Pictures.make(257, 2) { x, _ in
                x == 100 ? [0, 0, 7, 255] : [UInt8(((x < 100 ? x : x - 1) + number) % 256), 0, 7, 255]
            }
        }
        #expect(try AnimationFixture.frames(of: GIFEncoder().encode(AnimationFixture.timed(frames))) == frames)
    }

    @Test func sides_areThoseOfFormat() throws {
        var limits = DecodeLimits()
        limits.side = 70_000
        let longest = try BitmapBuilder(size: PixelSize(width: 65_535, height: 1), limits: limits).freeze()
        let file = try GIFEncoder().encode(longest)
        #expect(try GIFDecoder().decode(file, limits: limits).bitmap == longest)
        let tooLong = try BitmapBuilder(size: PixelSize(width: 1, height: 65_536), limits: limits).freeze()
        let error = ImageLoaderError.encodingFailed(.gif, reason: "1 × 65536 pixels, of at most 65535 either way")
        #expect(throws: error) { try GIFEncoder().encode(tooLong) }
    }
}

extension Bitmap {
    /// An eighth of the size.
    fileprivate var small: Bitmap {
        get throws { try scaled(to: PixelSize(width: size.width / 8, height: size.height / 8), limits: DecodeLimits()) }
    }
}

struct GIFEncoderFuzzTests {
    /// All indices, many clear codes, the widest codes.
    @Test func noise_isPackedAndUnpacked() throws {
        var random = SeededRandom(seed: Fuzz.seed)
        for bits in 2...8 {
            for count in [0, 1, 2, 255, 256, 257, 30_000] {
                let indices = (0..<count).map { _ in UInt8.random(in: 0...UInt8((1 << bits) - 1), using: &random) }
                #expect(try Self.unpacked(indices, bits) == indices, "\(bits) bits, \(count) indices")
            }
        }
    }

    @Test func runs_arePackedSmall() throws {
        let indices = [UInt8](repeating: 3, count: 100_000)
        var packer = GIFPacker(indexBits: 2)
        packer.pack(indices)
        #expect(packer.bytes.count < 1_000)
        #expect(try Self.unpacked(indices, 2) == indices)
    }

    private static func unpacked(_ indices: [UInt8], _ bits: Int) throws -> [UInt8] {
        var packer = GIFPacker(indexBits: bits)
        packer.pack(indices)
        var file: ContiguousArray = [UInt8(bits)]
        for start in stride(from: 0, to: packer.bytes.count, by: 255) {
            let block = packer.bytes[start..<min(start + 255, packer.bytes.count)]
            file += [UInt8(block.count)]
            file += block
        }
        file.append(0)
        var unpacker = GIFUnpacker()
        unpacker.start(file.span, at: 0)
        var output: [UInt8] = []
        while output.count < indices.count {
            try unpacker.advance(file.span.bytes, wanted: indices.count - output.count)
            unpacker.withFresh { output += $0 }
        }
        return Array(output.prefix(indices.count))
    }

    @Test func randomAnimationsOfFewColors_areExact() throws {
        var random = SeededRandom(seed: Fuzz.seed)
        for step in 0..<max(1, Fuzz.steps / 500) {
            let frames = try AnimationFixture.random(&random, colors: step % 2 == 0 ? 5 : 255)
            let file = try GIFEncoder().encode(AnimationFixture.timed(frames))
            must(
                try AnimationFixture.frames(of: file) == frames, "ALCEDO_FUZZ_SEED=\(Fuzz.seed), step \(step)")
        }
    }

    /// Any pixels at all become frames of the same size that are seen where they were.
    @Test func randomPixels_areFrames() throws {
        var random = SeededRandom(seed: Fuzz.seed)
        for step in 0..<max(1, Fuzz.steps / 10_000) {
            let (width, height) = (Int.random(in: 1...60, using: &random), Int.random(in: 1...60, using: &random))
            let frames = try (0..<3).map { try Pictures.noise(width, height, seed: UInt64(step * 3 + $0)) }
            let file = try GIFEncoder(dithers: step % 2 == 0).encode(AnimationFixture.timed(frames))
            let decoded = try AnimationFixture.frames(of: file)
            #expect(decoded.count == 3)
            for (one, other) in zip(frames, decoded) {
                must(one.size == other.size, "step \(step)")
                for place in 0..<width * height {
                    let (x, y) = (place % width, place / width)
                    must(other[x, y].w == (one[x, y].w < 128 ? 0 : 255), "step \(step), (\(x), \(y))")
                }
            }
        }
    }
}
#endif
