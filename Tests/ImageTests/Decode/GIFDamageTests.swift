import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

#if GIF
/// GIFs that break the rules, and that ask for too much.
struct GIFDamageTests {
    private let decoder = GIFDecoder()
    private let limits = DecodeLimits()

    /// But where it ends behind an image: a GIF doesn't say how many there are, and only the trailer is missing.
    @Test(arguments: [GIFFixture.still(9, 7), GIFFixture.animation(5)])
    func everyPrefix_isAnError(_ fixture: GIFFixture) throws {
        let file = fixture.data
        let head = file.count - 1 - fixture.images.map(\.bytes.count).reduce(0, +)
        let whole = (1...fixture.images.count).reduce(into: [Int: Int]()) { ends, count in
            ends[head + fixture.images.prefix(count).map(\.bytes.count).reduce(0, +)] = count
        }
        var first = DecodeRequest()
        first.frames = .first
        for count in 0..<file.count {
            for request in [DecodeRequest(), first] {
                // Without the bytes after the codes of its pixels, an image is complete too.
                if whole[count] == nil, let end = [count + 1, count + 2].first(where: { whole[$0] != nil }),
                    let picture = try? decoder.decode(file.prefix(count), request)
                {
                    #expect(try picture.bitmap == decoder.decode(file.prefix(end), request).bitmap)
                    #expect(picture.animation?.frameCount ?? 1 == (request.frames == .first ? 1 : whole[end]))
                    continue
                }
                if let frames = whole[count] {
                    let picture = try decoder.decode(file.prefix(count), request)
                    #expect(picture.animation?.frameCount ?? 1 == (request.frames == .first ? 1 : frames))
                    #expect(try decoder.header(of: file.prefix(count), limits: limits).frameCount == frames)
                    continue
                }
                #expect(
                    [.corruptImage, .notAnImage, .emptyBody].contains(
                        failure {
                            try decoder.decode(file.prefix(count), request)
                        }), "the first \(count) of \(file.count) bytes")
            }
        }
    }

    @Test func missingTrailer_isAccepted() async throws {
        for fixture in [GIFFixture.still(9, 7), .animation(5)] {
            let whole = try decoder.decode(fixture.data, limits: limits)
            // A comment may stand where the trailer does.
            for end: [UInt8] in [[], [0x21, 0xFE, 2, 65, 66, 0]] {
                var cut = fixture
                cut.end = end
                let picture = try decoder.decode(cut.data, limits: limits)
                #expect(picture.bitmap == whole.bitmap)
                #expect(picture.animation?.frameCount == whole.animation?.frameCount)
                for index in 0..<(whole.animation?.frameCount ?? 0) {
                    #expect(try await picture.animation?.frame(at: index) == whole.animation?.frame(at: index))
                }
            }
        }
    }

    /// All pixels are there, and not one less.
    @Test func missingEndOfData_isAccepted() async throws {
        let first = GIFFixture.still(3, 1)
        var second = first
        second.images.append(.pattern(3, 1, from: 1))
        for (fixture, isAnimated) in [(first, false), (second, true)] {
            var fixture = fixture
            fixture.end = []
            // A clear code, three indices, and an end code of which the last byte holds only bits.
            fixture.images[fixture.images.count - 1].codes = [4, 2, 1, 0, 5]
            let file = fixture.data
            let whole = try decoder.decode(file, limits: limits)
            let cut = try decoder.decode(file.dropLast(), limits: limits)
            #expect(cut.bitmap == whole.bitmap && cut.animation?.frameCount == whole.animation?.frameCount)
            if isAnimated { #expect(try await cut.animation?.frame(at: 1) == whole.animation?.frame(at: 1)) }
            #expect(throws: ImageLoaderError.corruptImage(.gif, reason: "ends within the pixels of an image")) {
                try decoder.decode(file.dropLast(2), limits: limits)
            }
            var tight = limits
            tight.frames = 1
            if isAnimated { #expect(failure { try decoder.decode(file.dropLast(), limits: tight) } == .limitExceeded) }
        }
    }

    @Test func trailingBytes_areIgnored() throws {
        let picture = try decoder.decode(GIFFixture.still(3, 2).data, limits: limits).bitmap
        for end: [UInt8] in [[0x3B, 0x2C, 1, 2], [0x3B] + Array(GIFFixture.animation().data), [0, 0x2C, 9]] {
            var file = GIFFixture.still(3, 2)
            file.end = end
            let image = try decoder.decode(file.data, limits: limits)
            #expect(image.bitmap == picture && image.animation == nil)
        }
    }

    /// What is wrong with a file, and what is said of it.
    @Test(arguments: Fault.all)
    func errors_nameTheDefect(_ fault: Fault) {
        var file = GIFFixture.still(3, 2)
        fault.damage(&file)
        #expect(throws: ImageLoaderError.corruptImage(.gif, reason: fault.reason)) {
            try decoder.decode(file.data, limits: limits)
        }
    }

    struct Fault: Sendable {
        let reason: String
        let damage: @Sendable (inout GIFFixture) -> Void

        init(_ reason: String, _ damage: @escaping @Sendable (inout GIFFixture) -> Void) {
            (self.reason, self.damage) = (reason, damage)
        }

        static let all = [
            Fault("an image without a palette") { $0.palette = nil },
            Fault("no image") { $0.images = [] },
            Fault("ends before an image") { ($0.images, $0.end) = ([], []) },
            Fault("ends before an image") { $0.end = [0x21, 0xF9, 4, 0, 0, 0, 0, 0] },
            Fault("a block of an unknown kind before the first image") { ($0.images, $0.end) = ([], [0, 0x2C]) },
            Fault("an image of 0 × 2 pixels") { $0.images[0].width = 0 },
            Fault("an image of 3 × 0 pixels") { $0.images[0].height = 0 },
            Fault("9 bits for an index") { $0.images[0].indexBits = 9 },
            Fault("255 bits for an index") { ($0.images[0].indexBits, $0.images[0].codes) = (255, []) },
            Fault("21 pixels of an image are missing") { $0.images[0].height = 9 },
            Fault("6 pixels of an image are missing") { $0.images[0].codes = [] },
            Fault("6 pixels of an image are missing") { $0.images[0].codes = [4, 4, 5] },
            Fault("4 pixels of an image are missing") { $0.images[0].codes = [4, 1, 1, 5] },
            Fault("a code that is not defined") { $0.images[0].codes = [4, 6] },
            Fault("a code that is not defined") { $0.images[0].codes = [4, 1, 7] },
            Fault("0 × 5 pixels") { ($0.width, $0.height, $0.images) = (0, 5, []) },
        ]
    }

    @Test func damageAtEveryByte_isErrorOrImageOfClaimedSize() throws {
        var limits = DecodeLimits()
        limits.pixels = 1 << 16
        for file in [GIFFixture.still(5, 4).data, GIFFixture.animation(4).data] {
            for place in file.indices {
                for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF, file[place] ^ 1, file[place] ^ 0x40] {
                    var damaged = file
                    damaged[place] = value
                    try Self.verify(damaged, limits)
                }
            }
        }
    }

    @Test func limits_areChecked_beforeAllocating() throws {
        var file = GIFFixture.still(3, 2)
        (file.width, file.height) = (30_000, 30_000)
        #expect(throws: ImageLoaderError.limitExceeded(.imagePixels, value: 900_000_000, allowed: 1 << 28)) {
            try decoder.header(of: file.data, limits: limits)
        }
        (file.width, file.height) = (65_535, 1)
        var short = limits
        short.side = 65_534
        #expect(throws: ImageLoaderError.limitExceeded(.imageSide, value: 65_535, allowed: 65_534)) {
            try decoder.header(of: file.data, limits: short)
        }
        #expect(try decoder.header(of: file.data, limits: limits).size.width == 65_535)
        // An image of its own size on a small canvas.
        file = .still(3, 2)
        (file.images[0].width, file.images[0].height) = (20_000, 20_000)
        #expect(throws: ImageLoaderError.limitExceeded(.imagePixels, value: 400_000_000, allowed: 1 << 28)) {
            try decoder.header(of: file.data, limits: limits)
        }
    }

    @Test func animationLimits_apply() throws {
        var limits = limits
        limits.frames = 3
        #expect(throws: ImageLoaderError.limitExceeded(.frames, value: 4, allowed: 3)) {
            try decoder.header(of: GIFFixture.animation(9).data, limits: limits)
        }
        limits.frames = 9
        limits.animationPixels = 29
        #expect(throws: ImageLoaderError.limitExceeded(.animationPixels, value: 30, allowed: 29)) {
            try decoder.header(of: GIFFixture.animation(9).data, limits: limits)
        }
        _ = try decoder.header(of: GIFFixture.still(6, 5).data, limits: limits)
        // One image that is larger than the canvas.
        limits.animationPixels = 30
        var file = GIFFixture.animation(2)
        file.images[1] = .pattern(31, 1)
        #expect(throws: ImageLoaderError.limitExceeded(.animationPixels, value: 31, allowed: 30)) {
            try decoder.header(of: file.data, limits: limits)
        }
    }

    /// An image or an error; frames of the size that the head tells, or errors.
    static func verify(_ data: Data, _ limits: DecodeLimits) throws {
        guard
            case .success(let blocks) = Result(catching: { () throws(ImageLoaderError) in
                try GIFBlocks(scanning: data.span, limits: limits)
            })
        else { return }
        var frames = GIFFrames(GIFAnimation(data: data, blocks: blocks, limits: limits), DecodeCancellation())
        for _ in 0...blocks.frames.count {
            let result = Result { () throws(ImageLoaderError) in try frames.next().size }
            guard case .success(let size) = result else { return }
            must(size == blocks.size, "a frame of another size")
        }
        Issue.record("more frames than there are")
    }

    static func frames(of data: Data) throws(ImageLoaderError) -> [Bitmap] {
        let blocks = try GIFBlocks(scanning: data.span, limits: DecodeLimits())
        if let damage = blocks.damage { throw .corruptImage(.gif, reason: damage) }
        var frames = GIFFrames(GIFAnimation(data: data, blocks: blocks, limits: DecodeLimits()), DecodeCancellation())
        var bitmaps: [Bitmap] = []
        for _ in blocks.frames { bitmaps.append(try frames.next()) }
        guard !bitmaps.isEmpty else { throw .corruptImage(.gif, reason: "no image") }
        return bitmaps
    }
}
#endif
