import AlcedoTestSupport

#if os(Linux) && JPEG && PNG
import Foundation
import Testing

@testable import Alcedo

/// Files with flipped, lost and doubled bytes: an image or an error, and nothing else.
struct DamagedFileTests {
    @Test(arguments: 0..<4)
    func damageIsAnImageOrAnError(_ seed: Int) throws {
        var limits = DecodeLimits()
        limits.pixels = 1 << 20
        let decoders = ImageDecoders([JPEGDecoder(), PNGDecoder()])
        var random = SeededRandom(seed: UInt64(seed))
        let files = try Self.files()
        for round in 0..<1_000 {
            var bytes = [UInt8](files[round % files.count])
            Self.damage(&bytes, &random)
            switch Result(catching: { () throws(ImageLoaderError) in
                try decoders.decode(Data(bytes), DecodeRequest(limits: limits))
            })
            {
            case .success(let image):
                #expect(image.size.width * image.size.height <= limits.pixels)
                #expect(image.bitmap.byteCount == image.size.width * image.size.height * 4)
            case .failure(let error):
                #expect(error != .cancelled)
            }
        }
    }

    private static func files() throws -> [Data] {
        let exif = EXIFFixture(orientation: 6).bytes
        let picture = try Pictures.noise(24, 17, seed: 11)
        let palette: [(String, [UInt8])] = [("PLTE", [1, 2, 3, 4, 5, 6]), ("tRNS", [9]), ("eXIf", exif)]
        return [
            try JPEGFixture.adding(exif: exif, to: JPEGEncoder().encode(picture)),
            JPEGFixture.adding(exif: exif, to: JPEGFixture(blocksPerSide: 4, scans: 6).data),
            try PNGEncoder().encode(picture),
            PNGFixture(
                width: 3, height: 2, depth: 1, colorType: 3, interlaced: true, rows: [0, 64, 0, 128, 0, 64, 0, 160],
                chunksBeforePixels: palette
            ).data,
        ]
    }

    private static func damage(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: bytes.remove(at: place)
            case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
            case 2: bytes[place] = [0, 0xFF, 0x7F, 0x80].randomElement(using: &random) ?? 0
            default: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
        }
    }
}
#endif
