#if BMP
import AlcedoTestSupport
import Foundation
import Testing

import Alcedo
@testable import TestFixtures

/// Random damage of bitmaps and icons.
@Suite(.ownThreads) struct BMPFuzzTests {
    private static var bitmaps: [Data] {
        var indexed = BMPFixture.of([[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [0, 15, 0, 15, 0]], bits: 4)
        indexed.palette = BMPFixture.colors(4)
        var runs = BMPFixture(width: 6, height: 3, bits: 8, compression: 1, palette: BMPFixture.colors(4))
        (runs.paletteCount, runs.pixels) = (
            16, [6, 1, 0, 0, 2, 3, 0, 2, 1, 0, 2, 4, 0, 0, 0, 5, 1, 2, 3, 4, 5, 0, 0, 1]
        )
        var deep = BMPFixture.of([[0x8010_2030, 0xFFFF_FFFF], [1, 0x7F00_0000]], bits: 32)
        (deep.headerLength, deep.compression) = (124, 3)
        deep.masks = [0x3FF, 0xF_FC00, 0x3FF0_0000, 0xC000_0000]
        return [indexed, runs, deep, .of([[1, 2, 3]], bits: 24, topDown: true)].map(\.data)
    }

    private static var icons: [Data] {
        var masked = BMPFixture.of([[1, 2, 3], [3, 2, 1], [0, 1, 2]], bits: 4)
        (masked.palette, masked.paletteCount) = (BMPFixture.colors(2), 4)
        let pictures = [
            masked.icon(mask: [[0, 1, 0], [1, 0, 1], [0, 0, 0]]), ICOFixture.plain(5, bits: 24, [1, 2, 3]),
            ICOFixture.plain(5, bits: 32, [4, 5, 6]), Array(PNGFixture.unfiltered(4, 4).data),
        ]
        return [ICOFixture(pictures: pictures).data, ICOFixture(isCursor: true, pictures: [pictures[0]]).data]
    }

    @Test func mutatedBitmaps_areBitmapsOrErrors() throws { try run(BMPDecoder(), Self.bitmaps) }

    @Test func mutatedIcons_areIconsOrErrors() throws { try run(ICODecoder(), Self.icons) }

    private func run(_ decoder: some StoredImageDecoding, _ files: [Data]) throws {
        var random = SeededRandom(seed: Fuzz.seed)
        for step in 0..<Fuzz.steps / 2 {
            var bytes = [UInt8](files[step % files.count])
            for _ in 0...random.next() % 4 {
                let place = Int(random.next() % UInt64(bytes.count))
                let value = UInt8(truncatingIfNeeded: random.next())
                switch random.next() % 8 {
                case 0 where bytes.count > 1: bytes.remove(at: place)
                case 1: bytes.insert(value, at: place)
                case 2: bytes[place] = value
                case 3: bytes.removeLast(min(bytes.count - 1, Int(value) / 8))
                default: bytes[place] ^= 1 << (value & 7)
                }
            }
            try verify(decoder, Data(bytes), "ALCEDO_FUZZ_SEED=\(Fuzz.seed), step \(step)")
        }
    }

    private func verify(_ decoder: some StoredImageDecoding, _ file: Data, _ name: String) throws {
        var limits = DecodeLimits()
        limits.pixels = 1 << 14
        for (damaged, side) in [(DecodeRequest.Damaged.refuse, nil), (.showWhatIsThere, nil), (.refuse, 3)] {
            var request = DecodeRequest(
                limits: limits, target: side.map { DecodeTarget(PixelSize(width: $0, height: $0)) })
            request.damaged = damaged
            do throws(ImageLoaderError) {
                let image = try decoder.decode(file, request)
                let header = try decoder.header(of: file, limits: limits)
                #expect(image.originalSize == header.size, "\(name)")
                #expect(side != nil || image.size == header.size, "\(name)")
                #expect(image.isComplete || damaged == .showWhatIsThere, "\(name)")
                check(image, opaque: image.isOpaque || header.hasAlpha == false && image.isComplete, name)
            } catch {
                switch error {
                case .corruptImage, .unsupportedImage, .limitExceeded: break
                default: Issue.record("\(error), \(name)")
                }
            }
        }
    }

    private func check(_ image: DecodedImage, opaque: Bool, _ name: String) {
        for y in 0..<image.size.height {
            for x in 0..<image.size.width {
                let pixel = image.bitmap[x, y]
                guard pixel.max() == pixel.w, pixel.w == 255 || !opaque else {
                    Issue.record("\(pixel) at (\(x), \(y)), \(name)")
                    return
                }
            }
        }
    }
}
#endif
