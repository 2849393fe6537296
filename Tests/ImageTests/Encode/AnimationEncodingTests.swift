import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

#if os(Linux) && PNG && GIF && WebP
/// What all encoders of animations have in common.
@Suite(.timeLimit(.minutes(1))) struct AnimationEncodingTests {
    /// All but lossy WebP give back the frames as they were.
    static let exact: [any AnimationEncoding] = [GIFEncoder(), PNGEncoder(), WebPEncoder(.lossless, effort: 0)]
    static let all = exact + [WebPEncoder(effort: 0)]

    // MARK: Pictures

    @Test(arguments: exact)
    func frames_roundTrip(_ encoder: any AnimationEncoding) throws {
        for (width, height) in [(1, 1), (1, 40), (70, 1), (33, 21)] {
            for isOpaque in [true, false] {
                let frames = try AnimationFixture.square(width, height, count: 7, isOpaque: isOpaque)
                let file = try encoder.encode(AnimationFixture.timed(frames))
                #expect(ImageFormat(sniffing: file) == encoder.format)
                #expect(try AnimationFixture.frames(of: file) == frames, "\(width) × \(height), \(isOpaque)")
            }
        }
    }

    @Test(arguments: exact)
    func identicalFrames_keepTheirCount(_ encoder: any AnimationEncoding) throws {
        let frames = try [Bitmap](repeating: Pictures.plain(9, 8), count: 4)
        let file = try encoder.encode(AnimationFixture.timed(frames))
        #expect(try AnimationFixture.frames(of: file) == frames)
        #expect(try ImageDecoders.builtIn.decoder(for: file).header(of: file, limits: DecodeLimits()).frameCount == 4)
    }

    /// All alphas, and what is seen comes and goes.
    @Test(arguments: [PNGEncoder(), WebPEncoder(.lossless, effort: 0)] as [any AnimationEncoding])
    func everyAlpha_roundTrips(_ encoder: any AnimationEncoding) throws {
        let empty = try Pictures.plain(31, 17, [0, 0, 0, 0])
        let frames = try [
            Pictures.noise(31, 17, seed: 1), empty, Pictures.plain(31, 17), Pictures.noise(31, 17, seed: 2), empty,
        ]
        let file = try encoder.encode(AnimationFixture.timed(frames))
        #expect(try AnimationFixture.frames(of: file) == frames)
        var random = SeededRandom(seed: Fuzz.seed)
        for _ in 0..<40 {
            let frames = try AnimationFixture.random(&random, colors: 300)
            let file = try encoder.encode(AnimationFixture.timed(frames))
            must(try AnimationFixture.frames(of: file) == frames)
        }
    }

    @Test(arguments: [PNGEncoder(), WebPEncoder(.lossless, effort: 0), WebPEncoder()] as [any AnimationEncoding])
    func onlyChanges_areWritten(_ encoder: any AnimationEncoding) throws {
        var frames = try [Pictures.noise(128, 128, seed: 1)]
        let still = try encoder.encode(AnimationFixture.timed(frames)).count
        for number in 1..<20 {
            frames.append(
                try Pictures.make(128, 128) { x, y in
                    x == 5 && y == 7 ? [UInt8(number), 9, 9, 255] : frames[0][x, y]
                })
        }
        #expect(try encoder.encode(AnimationFixture.timed(frames)).count < still + 20 * 250)
    }

    @Test func lossyWebP_isClose() throws {
        let frames = try (0..<3).map { number in
            let photo = try PhotoFixture.make(80, 60)
            return try Pictures.make(80, 60) { x, y in y / 20 == number ? [9, 9, 9, 255] : photo[x, y] }
        }
        let decoded = try AnimationFixture.frames(
            of: WebPEncoder(.lossy(quality: 90)).encode(AnimationFixture.timed(frames)))
        #expect(decoded.count == 3)
        for (one, other) in zip(frames, decoded) { #expect(PhotoFixture.likeness(one, other) > 30) }
    }

    // MARK: Time

    @Test(arguments: all, [.forever, .times(1), .times(2), .times(65_535)] as [LoopCount])
    func delaysAndLoops_roundTrip(_ encoder: any AnimationEncoding, _ loops: LoopCount) throws {
        let frames = try AnimationFixture.square(8, 8, count: 5, isOpaque: true)
        let delays: [Duration] = [.zero, .milliseconds(10), .milliseconds(20), .seconds(3), .seconds(600)]
        let file = try encoder.encode(zip(frames, delays).map { AnimationFrame($0, delay: $1) }, loopCount: loops)
        let animation = try #require(ImageDecoders.builtIn.decode(file).animation)
        #expect(animation.rawDelays == delays)
        #expect(animation.loopCount == loops)
    }

    /// The most plays and the longest delay of each format.
    static let ranges: [(any AnimationEncoding, Int, Duration)] = [
        (GIFEncoder(), 65_536, .milliseconds(655_350)), (PNGEncoder(), Int(Int32.max), .seconds(65_535)),
        (WebPEncoder(.lossless, effort: 0), 65_535, .milliseconds(16_777_215)),
    ]

    @Test(arguments: ranges)
    func valuesOutOfRange_areClamped(_ encoder: any AnimationEncoding, _ plays: Int, _ longest: Duration) throws {
        let frames = try AnimationFixture.square(8, 8, count: 6, isOpaque: true)
        func animation(_ delays: [Duration], _ times: Int) throws -> AnimatedImage {
            let timed = zip(frames, delays).map { AnimationFrame($0, delay: $1) }
            return try #require(ImageDecoders.builtIn.decode(encoder.encode(timed, loopCount: .times(times))).animation)
        }
        for times in [plays - 1, plays, plays + 1, 1 << 40, Int.max] {
            let loopCount = try animation([.zero, .zero], times).loopCount
            #expect(loopCount == .times(min(times, plays)))
        }
        // What is cut off isn't made up for by the next frames.
        let long = [.milliseconds(40), longest, longest + .seconds(45), .seconds(Int64.max), longest - .seconds(1)]
        #expect(
            try animation(long + [.milliseconds(40)], 2).rawDelays
                == [.milliseconds(40), longest, longest, longest, longest - .seconds(1), .milliseconds(40)])
        // Nor is the longest delay exceeded by rounding.
        let rounded = try animation([.microseconds(24_900), longest - .microseconds(1), longest], 2).rawDelays
        #expect(rounded.allSatisfy { $0 <= longest } && rounded[1] > longest - .milliseconds(11))
    }

    /// A second at 60 frames lasts one second in all of them, and no frame is one that browsers hold up.
    @Test(arguments: all)
    func roundedDelays_addUp(_ encoder: any AnimationEncoding) throws {
        let frames = try AnimationFixture.square(8, 8, count: 30, isOpaque: true)
        let file = try encoder.encode(frames.map { AnimationFrame($0, delay: .nanoseconds(33_333_333)) })
        let animation = try #require(ImageDecoders.builtIn.decode(file).animation)
        let total = animation.duration / .seconds(1)
        #expect(abs(total - 1) < 0.005)
        #expect(animation.rawDelays == animation.delays)
    }

    // MARK: Errors

    @Test(arguments: all)
    func unsupportedAnimation_isAnError(_ encoder: any AnimationEncoding) throws {
        let format = encoder.format
        let frame = try AnimationFrame(Pictures.plain(4, 3), delay: .milliseconds(50))
        #expect(throws: ImageLoaderError.encodingFailed(format, reason: "no frames")) { try encoder.encode([]) }
        #expect(throws: ImageLoaderError.encodingFailed(format, reason: "no frames")) {
            var writer = try encoder.makeWriter(size: PixelSize(width: 1, height: 1), loopCount: .forever)
            _ = try writer.finish()
        }
        let other = try AnimationFrame(Pictures.plain(3, 4), delay: .zero)
        #expect(throws: ImageLoaderError.encodingFailed(format, reason: "frame 2 is of 3 × 4 pixels, not 4 × 3")) {
            try encoder.encode([frame, other])
        }
        var writer = try encoder.makeWriter(size: frame.bitmap.size, loopCount: .forever)
        try writer.append(frame)
        #expect(throws: ImageLoaderError.self) { try writer.append(other) }
        // Nothing is left out silently.
        let refused = ImageLoaderError.encodingFailed(format, reason: "frame 2 is of 3 × 4 pixels, not 4 × 3")
        #expect(throws: refused) { try writer.append(frame) }
        #expect(throws: refused) { try writer.finish() }
        for delay in [Duration.nanoseconds(-1), .seconds(-5), .seconds(Int64.min)] {
            #expect(throws: ImageLoaderError.self) { try encoder.encode([AnimationFrame(frame.bitmap, delay: delay)]) }
        }
        for times in [0, -1, Int.min] {
            #expect(throws: ImageLoaderError.self) { try encoder.encode([frame], loopCount: .times(times)) }
        }
        for size in [PixelSize(width: 0, height: 1), PixelSize(width: 1, height: 1 << 40)] {
            #expect(throws: ImageLoaderError.self) { _ = try encoder.makeWriter(size: size, loopCount: .forever) }
        }
    }

    @Test(.ownThreads, arguments: all)
    func tooManyFrames_areError(_ encoder: any AnimationEncoding) throws {
        let frame = try AnimationFrame(Pictures.plain(1, 1), delay: .zero)
        let allowed = DecodeLimits().frames
        #expect(throws: ImageLoaderError.limitExceeded(.frames, value: allowed + 1, allowed: allowed)) {
            try encoder.encode(repeatElement(frame, count: allowed + 1))
        }
        let file = try encoder.encode(repeatElement(frame, count: allowed))
        #expect(
            try ImageDecoders.builtIn.decoder(for: file).header(of: file, limits: DecodeLimits()).frameCount == allowed)
    }

    // MARK: Animations that were read

    @Test(arguments: exact)
    func animation_isWrittenAgain(_ encoder: any AnimationEncoding) async throws {
        let source = GIFFixture.animation(4).data
        let animation = try #require(ImageDecoders.builtIn.decode(source).animation)
        let file = try await encoder.encode(animation)
        let written = try #require(ImageDecoders.builtIn.decode(file).animation)
        #expect(try AnimationFixture.frames(of: file) == AnimationFixture.frames(of: source))
        #expect(written.rawDelays == animation.delays)
        #expect(written.loopCount == animation.loopCount)
    }

    /// Whoever plays it has its frames made once all the same.
    @Test func writing_doesNotAffectPlayback() async throws {
        let plain = PlainAnimation(count: 6)
        var limits = DecodeLimits()
        limits.animationBufferBytes = 16
        let header = ImageHeader(format: .gif, size: plain.size)
        let animation = AnimatedImage(plain, PictureFitting(header, DecodeRequest(limits: limits)))
        _ = try await animation.frame(at: 4)
        _ = try await GIFEncoder().encode(animation)
        _ = try await animation.frame(at: 5)
        #expect(plain.made.values == [0, 1, 2, 3, 4] + [0, 1, 2, 3, 4, 5] + [5])
    }

    // MARK: Other delays and loop counts

    @Test(arguments: all)
    func delaysAndLoopCount_replaceThoseOfTheAnimation(_ encoder: any AnimationEncoding) async throws {
        let image = try ImageDecoders.builtIn.decode(GIFFixture.animation(4).data)
        let animation = try #require(image.animation)
        let delays = [40, 250, 1_000, 70].map { Duration.milliseconds($0) }
        let file = try await encoder.encode(animation, delays: delays, loopCount: .times(3))
        let read = try #require(ImageDecoders.builtIn.decode(file).animation)
        #expect(read.delays == delays && read.loopCount == .times(3))
        let looped = try await encoder.encode(animation, loopCount: .forever)
        let forever = try #require(ImageDecoders.builtIn.decode(looped).animation)
        #expect(forever.delays == animation.delays && forever.loopCount == .forever)
        let small = try await encoder.encode(animation, atMost: file.count, delays: delays, loopCount: .times(3))
        #expect(small == file)
    }

    @Test(arguments: all)
    func unsuitableDelays_areErrors(_ encoder: any AnimationEncoding) async throws {
        let animation = try #require(ImageDecoders.builtIn.decode(GIFFixture.animation(4).data).animation)
        for count in [0, 3, 5] {
            let error = ImageLoaderError.encodingFailed(encoder.format, reason: "\(count) delays for 4 frames")
            await #expect(throws: error) {
                try await encoder.encode(animation, delays: Array(repeating: .seconds(1), count: count))
            }
        }
        await #expect(throws: ImageLoaderError.self) {
            try await encoder.encode(animation, delays: Array(repeating: .seconds(-1), count: 4))
        }
        await #expect(throws: ImageLoaderError.self) { try await encoder.encode(animation, loopCount: .times(0)) }
    }

    @Test func unreadableFrame_isTheError() async throws {
        let plain = PlainAnimation(count: 6, broken: 3)
        let header = ImageHeader(format: .gif, size: plain.size)
        let animation = AnimatedImage(plain, PictureFitting(header, DecodeRequest(limits: DecodeLimits())))
        await #expect(throws: ImageLoaderError.corruptImage(.gif, reason: "broken")) {
            try await PNGEncoder().encode(animation)
        }
    }

    @Test func cancelledCaller_returnsAtOnce() async throws {
        let gate = ThreadGate()
        let plain = PlainAnimation(count: 6, gate: gate)
        let header = ImageHeader(format: .gif, size: plain.size)
        let animation = AnimatedImage(plain, PictureFitting(header, DecodeRequest(limits: DecodeLimits())))
        let task = Task { try await PNGEncoder().encode(animation) }
        await gate.arrivals(1)
        task.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await task.value }
        gate.open()
    }
}
#endif
