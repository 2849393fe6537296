import AlcedoTestSupport

#if os(Linux) && JPEG && PNG
import Foundation
import Testing

import Alcedo
@testable import TestFixtures

/// JPEG and PNG files with flipped, lost and doubled bytes: an image or an error, and nothing else.
@Suite(.ownThreads) struct DamagedFileFuzzTests {
    @Test(arguments: [true, false])
    func damage_isImageOrError(_ sealsChunks: Bool) throws {
        var limits = DecodeLimits()
        limits.pixels = 1 << 20
        let decoders = ImageDecoders([JPEGDecoder(), PNGDecoder()])
        var random = SeededRandom(seed: Fuzz.seed)
        let files = try sealsChunks ? Self.pngs() : Self.jpegs() + Self.pngs()
        for step in 0..<Fuzz.steps / 25 {
            var bytes = [UInt8](files[step % files.count])
            Self.damage(&bytes, &random)
            // Behind a checksum that is wrong, little is read.
            if sealsChunks { PNGFixture.seal(&bytes) }
            let comment = "ALCEDO_FUZZ_SEED=\(Fuzz.seed), step \(step)"
            var request = DecodeRequest(limits: limits)
            request.damaged = step % 2 == 0 ? .refuse : .showWhatIsThere
            switch Result(catching: { () throws(ImageLoaderError) in try decoders.decode(Data(bytes), request) })
            {
            case .success(let image):
                must(image.isComplete || request.damaged == .showWhatIsThere, comment)
                must(image.size.width * image.size.height <= limits.pixels, comment)
                must(image.bitmap.byteCount == image.size.width * image.size.height * 4, comment)
            case .failure(let error):
                must(error != .cancelled, comment)
            }
        }
    }

    private static func jpegs() throws -> [Data] {
        let exif = EXIFFixture(orientation: 6).bytes
        return [
            try JPEGFixture.adding(exif: exif, to: JPEGEncoder().encode(Pictures.noise(24, 17, seed: 11))),
            JPEGFixture.adding(exif: exif, to: JPEGFixture(blocksPerSide: 4, scans: 6).data),
        ]
    }

    private static func pngs() throws -> [Data] {
        let exif = EXIFFixture(orientation: 6).bytes
        let palette: [(String, [UInt8])] = [("PLTE", [1, 2, 3, 4, 5, 6]), ("tRNS", [9]), ("eXIf", exif)]
        let frames = try (0..<3).map {
            AnimationFrame(try Pictures.noise(7, 5, seed: $0), delay: .milliseconds(40))
        }
        return [
            try PNGEncoder().encode(Pictures.noise(24, 17, seed: 11)),
            PNGFixture(
                width: 3, height: 2, depth: 1, colorType: 3, interlaced: true, rows: [0, 64, 0, 128, 0, 64, 0, 160],
                chunksBeforePixels: palette
            ).data,
            try PNGEncoder().encode(frames),
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
