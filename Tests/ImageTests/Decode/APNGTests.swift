import AlcedoTestSupport

#if os(Linux) && PNG
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

struct APNGTests {
    private let decoder = PNGDecoder()
    private let red: [UInt8] = [255, 0, 0, 255]
    private let blue: [UInt8] = [0, 0, 255, 255]
    private let clear: [UInt8] = [9, 9, 9, 0]

    private func stored(_ data: Data, _ request: DecodeRequest = DecodeRequest()) throws -> StoredImage {
        let header = try decoder.header(of: data, limits: request.limits)
        return try decoder.decodeStored(data, header, atLeast: nil, request)
    }

    private func animation(_ fixture: APNGFixture) throws -> any AnimationReading {
        try #require(try stored(fixture.data).animation)
    }

    /// All frames, each as its pixels in a row.
    private func frames(_ fixture: APNGFixture) throws -> [[SIMD4<UInt8>]] {
        let animation = try animation(fixture)
        var reader = try animation.makeFrames()
        return try animation.delays.map { _ in
            let bitmap = try reader.next()
            #expect(bitmap.size == animation.size)
            return (0..<bitmap.size.height).flatMap { y in (0..<bitmap.size.width).map { x in bitmap[x, y] } }
        }
    }

    @Test func delaysAndLoops_areRead() throws {
        var fixture = APNGFixture(frames: [
            .init(delay: (1, 4), pixels: red + red), .init(delay: (3, 0), pixels: blue + blue),
            .init(delay: (0, 7), pixels: blue + blue),
        ])
        var animation = try animation(fixture)
        #expect(animation.delays == [.milliseconds(250), .milliseconds(30), .zero])
        #expect(animation.loopCount == .forever)
        #expect(animation.file == fixture.data)
        #expect(try decoder.header(of: fixture.data, limits: DecodeLimits()).frameCount == 3)
        fixture.plays = 4
        animation = try self.animation(fixture)
        #expect(animation.loopCount == .times(4))
    }

    @Test(arguments: [0, 1, 2] as [UInt8])
    func disposal_isApplied(_ disposal: UInt8) throws {
        let fixture = APNGFixture(frames: [
            .init(pixels: red + red), .init(x: 1, width: 1, dispose: disposal, pixels: blue),
            .init(width: 1, pixels: blue),
        ])
        let (r, b): (SIMD4<UInt8>, SIMD4<UInt8>) = ([255, 0, 0, 255], [0, 0, 255, 255])
        let left: SIMD4<UInt8> = disposal == 0 ? b : disposal == 1 ? [0, 0, 0, 0] : r
        #expect(try frames(fixture) == [[r, r], [r, b], [b, left]])
    }

    @Test func firstFrame_isDisposedToTransparent() throws {
        let fixture = APNGFixture(frames: [
            .init(dispose: 2, pixels: red + red), .init(width: 1, blend: 1, pixels: clear),
        ])
        #expect(try frames(fixture)[1] == [[0, 0, 0, 0], [0, 0, 0, 0]])
    }

    @Test func blendOperation_isApplied() throws {
        for (blend, expected) in [(0, [0, 64, 0, 128]), (1, [127, 64, 0, 255])] as [(UInt8, SIMD4<UInt8>)] {
            let fixture = APNGFixture(frames: [
                .init(pixels: red + red), .init(width: 1, blend: blend, pixels: [0, 128, 0, 128]),
            ])
            #expect(try frames(fixture)[1][0] == expected)
        }
    }

    /// In the real numbers, within the rounding of color and alpha.
    @Test func blending_matchesSpecification() {
        for top in stride(from: UInt8(0), through: 255, by: 15) {
            for bottom in stride(from: UInt8(0), through: 255, by: 15) {
                let (above, below) = (Double(top) / 255, Double(bottom) / 255)
                let alpha = above + below * (1 - above)
                let result = AnimationCanvas.blend([200, 10, 0, top], over: [20, 250, 0, bottom])
                must(abs(Double(result[3]) - alpha * 255) <= 0.5001)
                guard alpha > 0 else { continue }
                let red = (200 * above + 20 * below * (1 - above)) / alpha
                must(abs(Double(result[0]) - red) <= 0.5001, "\(top) over \(bottom)")
            }
        }
    }

    @Test func defaultImageOutsideAnimation_isNotShown() throws {
        let fixture = APNGFixture(
            frames: [.init(x: 1, width: 1, pixels: blue), .init(pixels: red + red)], hidden: red + red)
        #expect(try frames(fixture)[0] == [[0, 0, 0, 0], [0, 0, 255, 255]])
        #expect(try stored(fixture.data).bitmap[1, 0] == [0, 0, 255, 255])
        #expect(try stored(fixture.data).isOpaque == false)
    }

    @Test func firstFrameAlone_isStillImage() throws {
        var request = DecodeRequest()
        request.frames = .first
        request.limits.frames = 1
        let fixture = APNGFixture(frames: [.init(pixels: red + red), .init(pixels: blue + blue)])
        let picture = try stored(fixture.data, request)
        #expect(picture.animation == nil)
        #expect(picture.bitmap[0, 0] == [255, 0, 0, 255])
        request.frames = .all
        #expect(throws: ImageLoaderError.limitExceeded(.frames, value: 2, allowed: 1)) {
            try stored(fixture.data, request)
        }
        request.limits = DecodeLimits()
        request.limits.animationPixels = 1
        #expect(throws: ImageLoaderError.limitExceeded(.animationPixels, value: 2, allowed: 1)) {
            try stored(fixture.data, request)
        }
    }

    /// Each one is the still picture, and nothing else.
    @Test func malformedAnimation_isStillImage() throws {
        let good = APNGFixture(frames: [.init(pixels: red + red), .init(pixels: blue + blue)])
        var wrong: [APNGFixture] = []
        for claim in [0, 1, 3, 10_000, 10_001, 0x7FFF_FFFF] {
            wrong.append(APNGFixture(frames: good.frames, claimed: claim))
        }
        for place in 0...3 { wrong.append(APNGFixture(frames: good.frames, skipsAt: place)) }
        let outside: [APNGFixture.Frame] = [
            .init(x: 1, pixels: blue + blue), .init(y: 1, pixels: blue + blue), .init(width: 0, pixels: []),
            .init(x: 0xFFFF_FFFF, pixels: blue + blue), .init(width: 0xFFFF_FFFF, pixels: []),
            .init(dispose: 3, pixels: blue + blue), .init(blend: 2, pixels: blue + blue),
        ]
        for frame in outside { wrong.append(APNGFixture(frames: [good.frames[0], frame])) }
        wrong.append(APNGFixture(frames: [.init(width: 1, pixels: red), good.frames[1]]))
        for fixture in wrong {
            let result = Result { () throws(ImageLoaderError) in
                let header = try decoder.header(of: fixture.data, limits: DecodeLimits())
                #expect(header.frameCount == 1)
                return try decoder.decodeStored(fixture.data, header, atLeast: nil, DecodeRequest())
            }
            guard case .success(let picture) = result else {
                // A still picture that is smaller than its head says is none either.
                #expect(fixture.frames[0].width == 1)
                continue
            }
            #expect(picture.animation == nil)
            #expect(picture.bitmap[0, 0] == [255, 0, 0, 255])
        }
    }

    /// All frames are there, and none less.
    @Test func missingEnd_isAccepted() throws {
        let fixture = APNGFixture(frames: [
            .init(pixels: red + red), .init(pixels: blue + blue), .init(x: 1, width: 1, pixels: red),
        ])
        let (file, whole) = (fixture.data, try frames(fixture))
        var first = DecodeRequest()
        first.frames = .first
        // The last frame's pixels are in two chunks, of which the first isn't enough.
        let part = try #require(file.lastRange(of: Data("fdAT".utf8))?.lowerBound) - 4
        for count in (part - 60)..<file.count {
            let cut = Data(file.prefix(count))
            guard count >= file.count - 12 else {
                for request in [DecodeRequest(), first] {
                    #expect(failure { try decoder.decode(cut, request) } == .corruptImage, "\(count) of \(file.count)")
                }
                continue
            }
            #expect(try decoder.header(of: cut, limits: DecodeLimits()).frameCount == 3)
            #expect(try stored(cut, first).bitmap == stored(file).bitmap)
            let animation = try #require(try stored(cut).animation)
            var reader = try animation.makeFrames()
            for frame in whole {
                let bitmap = try reader.next()
                #expect([bitmap[0, 0], bitmap[1, 0]] == frame)
            }
        }
    }

    /// A wrong checksum of a frame's data makes the animation a still picture, and the head says so.
    @Test func header_countsDecodedFrames() throws {
        let good = APNGFixture(frames: [.init(pixels: red + red), .init(pixels: blue + blue)]).data
        #expect(try ImageDecoders.builtIn.header(of: good).frameCount == 2)
        var damaged = good
        let place = try #require(good.lastRange(of: Data("fdAT".utf8))?.upperBound) + 5
        damaged[place] ^= 1
        #expect(try ImageDecoders.builtIn.header(of: damaged).frameCount == 1)
        #expect(try ImageDecoders.builtIn.decode(damaged).animation == nil)
        // One frame is no animation.
        let single = APNGFixture(frames: [.init(pixels: red + red)]).data
        #expect(try ImageDecoders.builtIn.header(of: single).frameCount == 1)
    }

    /// However many there are: more frames than the limit are counted, and not kept.
    @Test func frameLimit_applies_whenAllFramesAreRequested() throws {
        let frames = [APNGFixture.Frame(pixels: red + red)] + (0..<6).map { _ in .init(pixels: blue + blue) }
        var request = DecodeRequest()
        request.limits.frames = 3
        #expect(throws: ImageLoaderError.limitExceeded(.frames, value: 7, allowed: 3)) {
            try stored(APNGFixture(frames: frames).data, request)
        }
        #expect(try decoder.header(of: APNGFixture(frames: frames).data, limits: request.limits).frameCount == 7)
        // One that is not well-formed is a still picture, whatever it says to have.
        #expect(try stored(APNGFixture(frames: frames, claimed: 8).data, request).animation == nil)
        request.frames = .first
        #expect(try stored(APNGFixture(frames: frames).data, request).bitmap[0, 0] == [255, 0, 0, 255])
    }

    @Test func damageAnywhere_isErrorOrImage() throws {
        let data = APNGFixture(frames: [
            .init(pixels: red + red), .init(x: 1, width: 1, dispose: 2, blend: 1, pixels: blue),
            .init(pixels: blue + red),
        ]).data
        for place in data.indices {
            for flip in [1, 0x80, 0xFF] as [UInt8] {
                var damaged = data
                damaged[place] ^= flip
                APNGFuzzTests.play(damaged)
            }
            APNGFuzzTests.play(data.prefix(place))
        }
    }
}

/// Animations with a few bytes changed, whole chunks moved, and checksums that are right all the same.
struct APNGFuzzTests {
    @Test func compositionFuzz() {
        var random = SeededRandom(seed: Fuzz.seed)
        for _ in 0..<max(100, Fuzz.steps / 100) {
            var fixture = APNGFixture(
                width: Int.random(in: 1...4, using: &random), height: Int.random(in: 1...3, using: &random),
                plays: Int.random(in: 0...3, using: &random), frames: [])
            for index in 0..<Int.random(in: 1...4, using: &random) {
                let isWhole = index == 0 && Bool.random(using: &random)
                fixture.frames.append(Self.frame(isWhole, fixture, &random))
            }
            if Bool.random(using: &random) {
                fixture.hidden = Self.pixels(fixture.width * fixture.height, &random)
            }
            var data = fixture.data
            if Int.random(in: 0..<4, using: &random) == 0 {
                data[Int.random(in: 0..<data.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            Self.play(data)
        }
    }

    /// A decode and all frames: whatever comes of it, it is of the right size and nothing traps.
    static func play(_ data: Data) {
        var limits = DecodeLimits()
        limits.pixels = 1 << 16
        let decoder = PNGDecoder()
        let result = Result { () throws(ImageLoaderError) in
            let header = try decoder.header(of: data, limits: limits)
            let picture = try decoder.decodeStored(data, header, atLeast: nil, DecodeRequest(limits: limits))
            must(picture.bitmap.size == header.size)
            guard let animation = picture.animation else { return }
            must(animation.delays.count == header.frameCount)
            var frames = try animation.makeFrames()
            for index in animation.delays.indices {
                let frame = try frames.next()
                must(frame.size == header.size && (index > 0 || frame == picture.bitmap), "seed \(Fuzz.seed)")
            }
        }
        if case .failure(.cancelled) = result { must(false, "cancelled by nobody") }
    }

    private static func frame(
        _ isWhole: Bool, _ fixture: APNGFixture, _ random: inout SeededRandom
    ) -> APNGFixture.Frame {
        let width = isWhole ? fixture.width : Int.random(in: 1...fixture.width, using: &random)
        let height = isWhole ? fixture.height : Int.random(in: 1...fixture.height, using: &random)
        // Now and then beyond the edge.
        let slack = Int.random(in: 0..<8, using: &random) == 0 ? 1 : 0
        return APNGFixture.Frame(
            x: isWhole ? 0 : Int.random(in: 0...fixture.width - width + slack, using: &random),
            y: isWhole ? 0 : Int.random(in: 0...fixture.height - height + slack, using: &random), width: width,
            height: height, delay: (Int.random(in: 0...65_535, using: &random), Int.random(in: 0...3, using: &random)),
            dispose: UInt8.random(in: 0...2, using: &random), blend: UInt8.random(in: 0...1, using: &random),
            pixels: pixels(width * height, &random))
    }

    private static func pixels(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
        (0..<count * 4).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
}
#endif
