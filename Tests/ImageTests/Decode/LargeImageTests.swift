import AlcedoTestSupport

#if os(Linux) && JPEG && PNG && WebP
import Foundation
import Testing

import Alcedo
@testable import TestFixtures

/// Images of more pixels than fit into memory by default.
struct LargeImageTests {
    private let small = DecodeRequest(target: DecodeTarget(PixelSize(width: 400, height: 300)))

    /// As the phones of 108 and 200 megapixels make them.
    @Test(arguments: [PixelSize(width: 12_000, height: 9_000), PixelSize(width: 16_320, height: 12_240)])
    func largePhoto_hasAThumbnail_andIsRefusedAsAWhole(_ size: PixelSize) throws {
        let file = JPEGFixture.plain(size.width, size.height)
        let image = try ImageDecoders.builtIn.decode(file, small)
        #expect(image.size == PixelSize(width: 400, height: 300) && image.originalSize == size)
        #expect(image.bitmap[399, 299] == [128, 128, 128, 255])
        let bytes = size.width * size.height * 4
        #expect(throws: ImageLoaderError.limitExceeded(.bitmapBytes, value: bytes, allowed: 1 << 28)) {
            try ImageDecoders.builtIn.decode(file)
        }
        let header = try ImageDecoders.builtIn.header(of: file)
        #expect(header.size == size)
        #expect(try JPEGDecoder().cost(header, byteCount: 0, small).workingBytes < 20 << 20)
        // A target that needs all pixels: they are scaled while they are decoded.
        let large = DecodeRequest(target: DecodeTarget(PixelSize(width: 8_000, height: 8_000)))
        let working = try JPEGDecoder().cost(header, byteCount: 0, large).workingBytes
        #expect(working == 8_000 * 6_000 * 4)
    }

    @Test func coefficientsOfLargePhoto_count() throws {
        let size = PixelSize(width: 16_320, height: 12_240)
        // Progressive, with colors at full size: 6 bytes per pixel.
        let frame = JPEGFixture.segment(
            0xC2, [8, 0x2F, 0xD0, 0x3F, 0xC0, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0])
        let tables = JPEGFixture.segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        let scan = JPEGFixture.segment(0xDA, [3, 1, 0, 2, 0, 3, 0, 0, 0, 0])
        let file = Data([0xFF, 0xD8] + tables + frame + scan + [0, 0, 0xFF, 0xD9])
        let bytes = size.width * size.height * 6
        #expect(throws: ImageLoaderError.limitExceeded(.bitmapBytes, value: bytes, allowed: 1 << 29)) {
            try ImageDecoders.builtIn.decode(file, small)
        }
    }

    @Test func longSides_areRead() throws {
        for (width, height) in [(65_500, 9), (9, 65_500)] {
            let image = try ImageDecoders.builtIn.decode(JPEGFixture.plain(width, height))
            #expect(image.size == PixelSize(width: width, height: height))
            let scaled = try ImageDecoders.builtIn.decode(JPEGFixture.plain(width, height), small)
            #expect(max(scaled.size.width, scaled.size.height) <= 400)
            let png = try PNGEncoder().encode(Pictures.plain(width, height))
            #expect(try ImageDecoders.builtIn.decode(png).size == image.size)
        }
    }

    /// Rows are scaled as they are decoded; formats that need all pixels at once are refused.
    @Test func largePNG_hasAThumbnail_unlessInterlaced() throws {
        var small = small
        small.limits.bitmapBytes = 300 * 300 * 4
        let file = try PNGEncoder().encode(PhotoFixture.make(600, 600))
        #expect(try ImageDecoders.builtIn.decode(file, small).size == PixelSize(width: 300, height: 300))
        let header = try ImageDecoders.builtIn.header(of: file)
        #expect(try PNGDecoder().cost(header, byteCount: 0, small).workingBytes == 300 * 300 * 4)
        let whole = DecodeRequest(limits: small.limits)
        for (file, request) in [(file, whole), (PNGFixture.interlaced(600, 600).data, small)] {
            let error = ImageLoaderError.limitExceeded(.bitmapBytes, value: 1_440_000, allowed: 360_000)
            #expect(throws: error) { try ImageDecoders.builtIn.decode(file, request) }
        }
    }

    #if canImport(Glibc)
    /// In a process of its own, which does nothing else.
    @Test(.disabled(if: Sanitizer.ownsMemory, "the memory is the sanitizer's"))
    func thumbnails_costLittleMemory() async {
        await #expect(processExitsWith: .success) {
            let small = DecodeRequest(target: DecodeTarget(PixelSize(width: 400, height: 300)))
            let file = JPEGFixture.plain(12_000, 9_000)
            _ = try ImageDecoders.builtIn.decode(file, small)
            let peak = try Heap.peak { _ = try ImageDecoders.builtIn.decode(file, small) }
            #expect(peak < 24 << 20, "\(peak)")
        }
    }
    #endif
}
#endif
