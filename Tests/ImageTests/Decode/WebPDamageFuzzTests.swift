import AlcedoTestSupport

#if os(Linux) && WebP
import Foundation
import Testing

import Alcedo
@testable import TestFixtures

/// Broken files: an image of the size that the head tells, or an error, and nothing else.
@Suite(.ownThreads) struct WebPDamageFuzzTests {
    private let decoder = WebPDecoder()
    private let limits: DecodeLimits = {
        var limits = DecodeLimits()
        limits.pixels = 1 << 16
        return limits
    }()

    /// One of each kind, all small.
    private static let files = Result { () throws -> [Data] in
        let (noise, photo) = (try Pictures.noise(11, 7, seed: 1), try Pictures.gradient(20, 18))
        let exif = EXIFFixture(orientation: 6).bytes
        let clear = WebPFixture.picture(try WebPEncoder().encode(noise))
        let solid = WebPFixture.picture(try WebPEncoder(.lossless).encode(photo))
        let frame = WebPFixture.Frame(width: 11, height: 7, picture: clear)
        return [
            try WebPEncoder().encode(photo), try WebPEncoder(.lossless).encode(noise),
            WebPFixture.file(
                WebPFixture.head(11, 7, [.alpha, .exif, .profile]), WebPFixture.chunk("ICCP", [1, 2, 3]), clear,
                WebPFixture.chunk("EXIF", exif)),
            WebPFixture.file(WebPFixture.head(20, 18, .exif), solid, WebPFixture.chunk("EXIF", exif)),
            WebPFixture.animation(
                20, 18,
                [
                    WebPFixture.Frame(width: 20, height: 18, isCleared: true, picture: solid), frame,
                    WebPFixture.Frame(x: 8, y: 10, width: 11, height: 7, blends: false, picture: clear),
                ]),
        ]
    }

    @Test func everyPrefix_isAnError() throws {
        var stored = DecodeRequest(limits: limits)
        stored.appliesOrientation = false
        for file in try Self.files.get() {
            let whole = try decoder.decode(file, stored)
            for count in 0..<file.count {
                let result = Result { () throws(ImageLoaderError) in try decoder.decode(file.prefix(count), stored) }
                if case .success(let picture) = result {
                    // Only bytes after the pixels of a still picture are missing.
                    #expect(picture.bitmap == whole.bitmap && whole.animation == nil, "\(count) of \(file.count)")
                } else {
                    #expect(
                        [.corruptImage, .notAnImage, .emptyBody].contains(failure { try result.get() }),
                        "the first \(count) of \(file.count) bytes")
                }
                // The same, with a length that does not give it away.
                guard count >= 12 else { continue }
                var shorter = Data(file.prefix(count))
                shorter.replaceSubrange(4..<8, with: WebPFixture.long(count - 8))
                decode(shorter, "cut at \(count)")
            }
        }
    }

    /// All pixels are there; only an orientation was to follow them.
    @Test func missingMetadata_areAccepted() throws {
        let picture = WebPFixture.picture(try WebPEncoder().encode(Pictures.gradient(20, 18)))
        let exif = WebPFixture.chunk("EXIF", EXIFFixture(orientation: 3).bytes)
        let file = WebPFixture.file(WebPFixture.head(20, 18, .exif), picture, exif)
        let whole = try decoder.decode(file, limits: limits).bitmap.upright(from: .down, limits: limits)
        for count in file.count - exif.count..<file.count {
            #expect(try decoder.decode(file.prefix(count), limits: limits).bitmap == whole)
        }
    }

    @Test func damageAtEveryByteIsImageOrError() throws {
        for file in try Self.files.get() {
            for place in file.indices {
                for mask in [1, 0x10, 0x80, 0xFF] as [UInt8] {
                    var damaged = file
                    damaged[place] ^= mask
                    decode(damaged, "byte \(place) ^ \(mask)")
                }
            }
        }
    }

    @Test func randomDamageIsImageOrError() throws {
        let files = try Self.files.get()
        var random = SeededRandom(seed: Fuzz.seed)
        for step in 0..<Fuzz.steps / 25 {
            var bytes = [UInt8](files[step % files.count])
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 8..<bytes.count, using: &random)
                switch Int.random(in: 0..<8, using: &random) {
                case 0: bytes.remove(at: place)
                case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                case 2: bytes[place] = [0, 0xFF, 0x7F, 0x80].randomElement(using: &random) ?? 0
                case 3: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 24)], at: place)
                default: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                }
            }
            if Bool.random(using: &random) { bytes.replaceSubrange(4..<8, with: WebPFixture.long(bytes.count - 8)) }
            decode(Data(bytes), "ALCEDO_FUZZ_SEED=\(Fuzz.seed), step \(step)")
        }
    }

    private func decode(_ data: Data, _ comment: @autoclosure () -> String) {
        do {
            let header = try decoder.header(of: data, limits: limits)
            let picture = try decoder.decodeStored(data, header, atLeast: nil, DecodeRequest(limits: limits))
            must(picture.bitmap.size == header.size, comment())
            guard let animation = picture.animation else { return }
            var reader = try animation.makeFrames()
            for _ in animation.delays { must(try reader.next().size == header.size, comment()) }
        } catch {
            must(error != .cancelled, comment())
        }
    }
}
#endif
