import AlcedoTestSupport

#if os(Linux) && JPEG && PNG && WebP && GIF
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// What is shown of damaged images if that is asked for.
struct DamagedImageTests {
    private static let request = {
        var request = DecodeRequest()
        request.damaged = .showWhatIsThere
        return request
    }()

    private func decode(_ data: Data, _ request: DecodeRequest = request) throws(ImageLoaderError) -> DecodedImage {
        try ImageDecoders.builtIn.decode(data, request)
    }

    /// The rows from the top that equal those of the whole image, and the rows from the bottom that are transparent.
    private func rows(_ part: Bitmap, _ whole: Bitmap) -> (equal: Int, empty: Int) {
        let (columns, rows) = (0..<part.size.width, 0..<part.size.height)
        let equal = rows.prefix { y in columns.allSatisfy { part[$0, y] == whole[$0, y] } }.count
        let empty = rows.reversed().prefix { y in columns.allSatisfy { part[$0, y] == .zero } }.count
        return (equal, empty)
    }

    private static let stills = Result { () throws -> [(name: String, file: Data)] in
        let photo = try PhotoFixture.make(120, 200)
        var progressive = JPEGEncoder()
        progressive.isProgressive = true
        return [
            ("JPEG", try JPEGEncoder().encode(photo)), ("progressive", try progressive.encode(photo)),
            ("PNG", try PNGEncoder().encode(photo)), ("interlaced", PNGFixture.interlaced(40, 60).data),
            ("WebP", try WebPEncoder().encode(photo)), ("lossless", try WebPEncoder(.lossless).encode(photo)),
        ]
    }

    // MARK: Still images

    @Test func truncatedStill_showsItsRows() throws {
        for (name, file) in try Self.stills.get() {
            let whole = try decode(file)
            #expect(whole.isComplete)
            var shown = 0
            for count in stride(from: 0, through: file.count, by: max(1, file.count / 50)) {
                guard case .success(let part) = Result(catching: { try decode(file.prefix(count)) }) else {
                    #expect(shown == 0, "\(name): nothing of \(count) bytes, and something of fewer")
                    continue
                }
                if part.isComplete {
                    #expect(part.bitmap == whole.bitmap)
                    continue
                }
                #expect(failure { try ImageDecoders.builtIn.decode(file.prefix(count)) } == .corruptImage)
                #expect(part.size == whole.size && part.format == whole.format)
                let (equal, empty) = rows(part.bitmap, whole.bitmap)
                #expect(part.isOpaque == (empty == 0), "\(name), \(count) bytes")
                #expect(part.size.height - empty >= shown, "\(name), \(count) bytes")
                shown = part.size.height - empty
                let isRefined = name == "progressive" || name == "interlaced"
                #expect(equal >= shown - 16 || isRefined, "\(name), \(count) bytes")
            }
            #expect(shown > 0, "\(name)")
        }
    }

    /// An undecodable byte ends what is shown; the bytes after it don't matter.
    @Test func damageInTheMiddle_endsWhatIsShown() throws {
        let photo = try PhotoFixture.make(120, 200)
        var png = try PNGEncoder().encode(photo)
        png[png.count - 20] ^= 1
        var progressive = JPEGEncoder()
        progressive.isProgressive = true
        for file in [
            png, try JPEGEncoder().encode(photo).holed, try progressive.encode(photo).holed,
            try WebPEncoder().encode(photo).dropLast(900),
        ] {
            let part = try decode(file)
            #expect(!part.isComplete && part.size == photo.size)
            #expect(part.bitmap[60, 60].w == 255)
        }
    }

    @Test func nothingToShow_isTheSameError() throws {
        for (name, file) in try Self.stills.get() {
            for count in [0, 1, 40, 60] {
                let refused = Result(catching: { () throws(ImageLoaderError) in
                    try ImageDecoders.builtIn.decode(file.prefix(count))
                })
                let shown = Result(catching: { () throws(ImageLoaderError) in try decode(file.prefix(count)) })
                guard case .failure(let error) = refused, case .failure(let other) = shown else {
                    Issue.record("\(name): \(count) bytes are an image")
                    continue
                }
                #expect(error == other)
            }
        }
    }

    /// Scaled, turned and with its profile, as the whole image would be.
    @Test func part_isFittedLikeTheWhole() throws {
        let exif = EXIFFixture(orientation: 6).bytes
        let profile = Array("ICC_PROFILE\0".utf8) + [1, 1] + [UInt8](repeating: 7, count: 140)
        let plain = try JPEGEncoder(quality: 95).encode(PhotoFixture.make(120, 200))
        let turned = JPEGFixture.adding(exif: exif, to: plain)
        let file = Data(turned.prefix(2) + JPEGFixture.segment(0xE2, profile) + turned.dropFirst(2))
        var request = Self.request
        request.target = DecodeTarget(PixelSize(width: 50, height: 15), mode: .fill)
        let (whole, part) = (try decode(file, request), try decode(file.prefix(file.count * 2 / 3), request))
        #expect(!part.isComplete && part.size == whole.size && part.originalSize == PixelSize(width: 200, height: 120))
        #expect(part.profile?.count == 140)
        // The first rows are on the right.
        #expect(part.bitmap[0, 8] == .zero && part.bitmap[part.size.width - 1, 8].w == 255)
        #expect(!part.withScale(2).isComplete && !part.processed(part.bitmap).isComplete)
        #expect(part.withScale(2).withScale(1).isComplete == false && whole.withScale(2).isComplete)
        #expect(DecodedImage.Weak(part) == nil && DecodedImage.Weak(whole) != nil)
    }

    @Test func cancelledDecode_isNoPart() throws {
        for (name, file) in try Self.stills.get() {
            var request = Self.request
            request.cancellation = DecodeCancellation()
            request.cancellation.cancel()
            let decoder = try #require(ImageDecoders.builtIn.decoder(for: file) as? any StoredImageDecoding)
            let header = try decoder.header(of: file, limits: request.limits)
            let cut = file.prefix(file.count / 2)
            #expect(throws: ImageLoaderError.cancelled, "\(name)") {
                try decoder.wholeOrPart(of: cut, header, atLeast: nil, request)
            }
        }
    }

    // MARK: Animations

    /// The frames of an image, or the image if there is only one.
    private func frames(_ image: DecodedImage) async throws -> [Bitmap] {
        guard let animation = image.animation else { return [image.bitmap] }
        var frames: [Bitmap] = []
        for index in 0..<animation.frameCount { frames.append(try await animation.frame(at: index)) }
        return frames
    }

    private static let animations = Result { () throws -> [Data] in
        let frames = try (0..<4).map { AnimationFrame(try Pictures.noise(9, 7, seed: $0), delay: .milliseconds(40)) }
        let pictures = try (0..<4).map { WebPFixture.picture(try WebPEncoder().encode(Pictures.noise(8, 6, seed: $0))) }
        return [
            GIFFixture.animation(5).data, try PNGEncoder().encode(frames),
            WebPFixture.animation(8, 6, pictures.map { WebPFixture.Frame(width: 8, height: 6, picture: $0) }),
        ]
    }

    @Test func truncatedAnimation_showsFramesBefore() async throws {
        let step = Fuzz.isLong ? 1 : 2
        for (number, file) in try Self.animations.get().enumerated() {
            let whole = try await frames(try decode(file))
            var counts: Set<Int> = []
            for count in stride(from: number % step, to: file.count, by: step) {
                guard case .success(let part) = Result(catching: { try decode(file.prefix(count)) }) else { continue }
                let shown = try await frames(part)
                // A GIF that ends between two images is complete.
                if part.isComplete, part.format != .gif { #expect(shown.count == whole.count) }
                // The first image of a GIF may be shown in part.
                guard part.bitmap == whole[0] else {
                    #expect(part.format != .webp && shown.count == 1 && counts.isEmpty && !part.isComplete)
                    continue
                }
                counts.insert(shown.count)
                #expect(shown == Array(whole.prefix(shown.count)), "\(count) of \(file.count)")
            }
            // A WebP with its last frame is whole.
            #expect(counts.isSuperset(of: Set(1..<whole.count)))
        }
    }

    @Test func damagedFrame_endsAnimation() async throws {
        var gif = GIFFixture.animation(5)
        gif.images[3].indexBits = 9
        let part = try decode(gif.data)
        #expect(!part.isComplete && part.animation?.frameCount == 3)
        var png = try Self.animations.get()[1]
        let third = try #require(png.lastRange(of: Data("fdAT".utf8))?.lowerBound)
        png[third + 8] ^= 1
        // Without the request it is a still image, as in viewers that don't know animations.
        #expect(try ImageDecoders.builtIn.decode(png).animation == nil)
        let shown = try decode(png)
        #expect(!shown.isComplete && shown.animation?.frameCount == 3)
    }

    @Test func firstImageOfGIF_isShownInPart() throws {
        var file = GIFFixture.still(4, 4)
        let whole = try decode(file.data).bitmap
        file.images[0].codes = [4, 0, 1]
        for data in [file.data, file.data.dropLast(), file.data.dropLast(2)] {
            let part = try decode(data)
            #expect(!part.isComplete && !part.isOpaque && part.animation == nil)
            #expect(part.bitmap[0, 0] == whole[0, 0] && part.bitmap[1, 0] == whole[1, 0])
            // The bits after the codes may be taken for some more.
            #expect(part.bitmap[0, 2] == .zero && part.bitmap[3, 3] == .zero)
        }
        file.images[0].codes = [4, 5]
        #expect(failure { try decode(file.data) } == .corruptImage)
    }

    // MARK: The setting

    @Test func setting_isPartOfTheScope_andReachesDecoders() async throws {
        var settings = DecodeSettings()
        #expect(settings.identity == 0 && settings.damaged == .refuse)
        settings.oversized = .scaledDown
        let other = settings.identity
        settings.damaged = .showWhatIsThere
        #expect(settings.identity != other)
        settings.oversized = .refused
        #expect(![0, other].contains(settings.identity))
        let file = try Self.stills.get()[0].file
        let cut = file.prefix(file.count / 2)
        #expect(try await DecodeGate(settings).decode(cut).isComplete == false)
        #expect(await failure { try await DecodeGate(DecodeSettings()).decode(cut) } == .corruptImage)
    }
}

extension Data {
    /// Without its last quarter, but with a JPEG's end.
    fileprivate var holed: Data { prefix(count * 3 / 4) + Data([0xFF, 0xD9]) }
}
#endif
