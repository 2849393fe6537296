import AlcedoTestSupport

#if os(Linux) && JPEG && PNG && WebP
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Files with flipped, lost and doubled bytes, in random pieces: previews of the size that the head tells, or an error,
/// and nothing else.
@Suite(.ownThreads) struct PreviewFuzzTests {
    private static let limits: DecodeLimits = {
        var limits = DecodeLimits()
        limits.pixels = 1 << 16
        return limits
    }()

    @Test func damageInAnyPieces_isImageOrError() throws {
        let files = try PreviewFixture.files.get().map { [UInt8]($0.file) }
        var random = SeededRandom(seed: Fuzz.seed)
        for step in 0..<Fuzz.steps / 50 {
            var bytes = files[step % files.count]
            for _ in 0..<Int.random(in: 0...5, using: &random) { Self.damage(&bytes, &random) }
            let pieces = PreviewFixture.pieces(Data(bytes), count: Int.random(in: 1...20, using: &random), &random)
            read(pieces, target: Int.random(in: 0...20, using: &random), "seed \(Fuzz.seed), step \(step)")
        }
    }

    private static func damage(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: bytes.remove(at: place)
        case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
        case 2: bytes[place] = [0, 0xFF, 0x7F, 0x80].randomElement(using: &random) ?? 0
        case 3: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 24)], at: place)
        default: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
    }

    /// As a maker of previews does: the head is looked for in what there is, and then all is fed.
    private func read(_ pieces: [Data], target: Int, _ comment: @autoclosure () -> String) {
        do throws(ImageLoaderError) {
            var fixture = try PreviewFixture(Data(pieces.joined()))
            fixture.request.limits = Self.limits
            if target > 0 { fixture.request.target = DecodeTarget(PixelSize(width: target, height: target)) }
            var head = Data()
            var found: (header: ImageHeader, reader: any PreviewReading)?
            for piece in pieces {
                head += piece
                if let (_, reader) = found {
                    try reader.append(piece)
                } else {
                    found = try begin(fixture, head)
                    try found?.reader.append(head)
                }
                guard let (header, reader) = found, let part = try reader.preview(DecodeCancellation()) else {
                    continue
                }
                var fitting = PictureFitting(header, fixture.request)
                let picture = try fitting.apply(to: part.bitmap, reducedBy: part.reduction)
                must(picture.size == fitting.size && (0...1).contains(part.coverage), comment())
            }
        } catch {
            must(error != .cancelled, comment())
        }
    }

    private func begin(
        _ fixture: PreviewFixture, _ head: Data
    ) throws(ImageLoaderError) -> (header: ImageHeader, reader: any PreviewReading)? {
        do throws(ImageLoaderError) {
            return try fixture.reader(head)
        } catch .corruptImage {
            return nil
        } catch {
            throw error
        }
    }
}
#endif
