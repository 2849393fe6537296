import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct AnimatedImageTests {
    private func animated(
        _ animation: PlainAnimation, bufferFrames: Int = 3, target: DecodeTarget? = nil
    ) -> AnimatedImage {
        var limits = DecodeLimits()
        limits.animationBufferBytes = bufferFrames * 16
        let header = ImageHeader(format: .gif, size: animation.size)
        return AnimatedImage(animation, PictureFitting(header, DecodeRequest(limits: limits, target: target)))
    }

    @Test func frames_areOrdered_andDecodedOnce() async throws {
        let animation = PlainAnimation(count: 20)
        let image = animated(animation)
        for index in 0..<20 { #expect(try await image.frame(at: index)[0, 0].x == UInt8(index)) }
        await animation.made.wait { $0.count >= 20 }
        #expect(Array(animation.made.values.prefix(20)) == Array(0..<20))
    }

    @Test func thousandFrames_bufferAtMostTheRoom() async throws {
        let animation = PlainAnimation(count: 1_000)
        let image = animated(animation, bufferFrames: 5)
        for index in 0..<1_000 {
            _ = try await image.frame(at: index)
            #expect(image.bufferedFrameCount <= 5)
        }
        #expect(image.byteCount < 5 * 16 + 1_000 * 33)
    }

    @Test func nextFrames_areDecodedAhead() async throws {
        let animation = PlainAnimation(count: 20)
        let image = animated(animation, bufferFrames: 4)
        _ = try await image.frame(at: 0)
        await animation.made.wait { $0 == [0, 1, 2] }
    }

    /// The one that is being made counts, unless all are kept.
    @Test func bufferHolds() {
        let rooms = [1, 2, 3, 19, 20, 99].map { AnimatedImage.room(for: 20, held: $0) }
        #expect(rooms == [1, 1, 2, 18, 20, 20])
        var animation = PlainAnimation(count: 20)
        #expect(animated(animation, bufferFrames: 5).byteCount == 5 * 16 + 20 * 32)
        animation.file = Data(count: 7)
        #expect(animated(animation, bufferFrames: 0).byteCount == 7 + 2 * 16 + 20 * 32)
    }

    @Test func seekingBack_restarts() async throws {
        let animation = PlainAnimation(count: 9)
        let image = animated(animation, bufferFrames: 1)
        #expect(try await image.frame(at: 4)[0, 0].x == 4)
        #expect(try await image.frame(at: 2)[0, 0].x == 2)
        #expect(try await image.frame(at: 2)[1, 1].x == 2)
        #expect(animation.made.values == [0, 1, 2, 3, 4, 0, 1, 2])
    }

    @Test func severalCallers_shareDecoding() async throws {
        let animation = PlainAnimation(count: 4)
        let image = animated(animation, bufferFrames: 4)
        let tasks = (0..<40).map { number in
            Task { try await image.frame(at: number % 4)[0, 0].x == UInt8(number % 4) }
        }
        for task in tasks { #expect(try await task.value) }
        #expect(animation.made.values == [0, 1, 2, 3])
    }

    @Test func cancelledCaller_returnsAtOnce_andOthersGetTheirFrame() async throws {
        let gate = ThreadGate()
        let image = animated(PlainAnimation(count: 4, gate: gate))
        let first = Task { try await image.frame(at: 0) }
        await gate.arrivals(1)
        let second = Task { try await image.frame(at: 0) }
        first.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await first.value }
        gate.open()
        _ = try await second.value
        let third = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await image.frame(at: 0)
        }
        await #expect(throws: ImageLoaderError.cancelled) { try await third.value }
    }

    /// The frame being decoded and the canvas are in memory until the decoder returns.
    @Test func restWithoutFrames_duringADecode_releasesTheDecoderAfterIt() async throws {
        let gate = ThreadGate()
        let animation = PlainAnimation(count: 5, gate: gate)
        let budget = FrameBudget(bytes: 1_000)
        let image = animated(animation).buffered(in: budget)
        let frame = Task { try await image.frame(at: 0) }
        await gate.arrivals(1)
        image.rest(keepingFrames: false)
        // The turn that began the decode may not have ended yet.
        while budget.reservedBytes != 2 * 16, !Task.isCancelled { await Task.yield() }
        gate.open()
        _ = try await frame.value
        // After the turn that delivered the frame.
        #expect(image.bufferedFrameCount == 0)
        #expect(animation.released.values == [1] && budget.reservedBytes == 0)
        #expect(try await image.frame(at: 1)[0, 0].x == 1)
        #expect(budget.reservedBytes > 0)
    }

    /// Nothing is decoded, or all frames, or two and the canvas.
    @Test func restWithFrames_reservesWhatIsInMemory() async throws {
        let budget = FrameBudget(bytes: 1_000)
        let unseen = animated(PlainAnimation(count: 5)).buffered(in: budget)
        unseen.rest(keepingFrames: true)
        #expect(budget.reservedBytes == 0)
        let whole = animated(PlainAnimation(count: 4)).buffered(in: budget)
        _ = try await whole.frame(at: 0)
        await whole.rest(withFrames: 4)
        #expect(budget.reservedBytes == 4 * 16)
        // Two frames besides the one being decoded and the canvas.
        let tight = FrameBudget(bytes: 4 * 16)
        let part = animated(PlainAnimation(count: 9)).buffered(in: tight)
        _ = try await part.frame(at: 0)
        await part.rest(withFrames: 2)
        #expect(tight.reservedBytes == 3 * 16)
        // It has nothing to spare.
        let other = tight.share(frameBytes: 16, frameCount: 9)
        for _ in 0..<2 { #expect(other.room() == 1) }
        #expect(part.bufferedFrameCount == 2)
        #expect(whole.bufferedFrameCount == 4)
    }

    /// The frames on the way to one that is awaited are buffered even then.
    @Test func restWithFrames_duringADecode_reservesTheFramesThatFollow() async throws {
        let gate = ThreadGate()
        let budget = FrameBudget(bytes: 1_000)
        let image = animated(PlainAnimation(count: 10, gate: gate)).buffered(in: budget)
        let frame = Task { try await image.frame(at: 5) }
        await gate.arrivals(1)
        image.rest(keepingFrames: true)
        #expect(budget.reservedBytes == 10 * 16)
        gate.open()
        _ = try await frame.value
        // After the turn that delivered the frame. The canvas stays.
        #expect(image.bufferedFrameCount == 6)
        #expect(budget.reservedBytes == 7 * 16)
        #expect(try await image.frame(at: 5)[0, 0].x == 5)
    }

    @Test func unreadableFrame_isItsOwnError() async throws {
        let image = animated(PlainAnimation(count: 6, broken: 3))
        let error = ImageLoaderError.corruptImage(.gif, reason: "broken")
        _ = try await image.frame(at: 2)
        for index in [3, 5, 4] {
            await #expect(throws: error) { try await image.frame(at: index) }
        }
        #expect(try await image.frame(at: 0)[0, 0].x == 0)
    }

    @Test func framesAreFitted() async throws {
        let target = DecodeTarget(PixelSize(width: 1, height: 1))
        let image = animated(PlainAnimation(count: 3), target: target)
        #expect(image.size == PixelSize(width: 1, height: 1))
        #expect(try await image.frame(at: 1).size == image.size)
    }

    @Test func shortDelays_matchBrowsers() {
        let delays: [Duration] = [.zero, .milliseconds(10), .milliseconds(11), .milliseconds(20), .seconds(2)]
        let image = animated(PlainAnimation(delays: delays))
        #expect(image.rawDelays == delays)
        #expect(
            image.delays == [
                .milliseconds(100), .milliseconds(100), .milliseconds(11), .milliseconds(20), .seconds(2),
            ])
        #expect(image.duration == .milliseconds(2_231))
    }

    @Test func time_selectsFrame() {
        let delays: [Duration] = [.milliseconds(100), .milliseconds(200), .milliseconds(50)]
        let endless = animated(PlainAnimation(delays: delays))
        let twice = animated(PlainAnimation(delays: delays, loopCount: .times(2)))
        let places = [(-5, 0), (0, 0), (99, 0), (100, 1), (299, 1), (300, 2), (349, 2), (350, 0), (450, 1), (699, 2)]
        for (time, index) in places {
            #expect(endless.frameIndex(at: .milliseconds(time)) == index, "\(time) ms")
            #expect(twice.frameIndex(at: .milliseconds(time)) == index, "\(time) ms")
        }
        #expect(endless.frameIndex(at: .milliseconds(700)) == 0)
        #expect(twice.frameIndex(at: .milliseconds(700)) == 2)
        #expect(twice.frameIndex(at: .seconds(900)) == 2)
        let often = animated(PlainAnimation(delays: delays, loopCount: .times(.max)))
        #expect(often.frameIndex(at: .milliseconds(450)) == 1)
        #expect(often.frameIndex(at: .seconds(Int64.max)) < 3)
    }

    /// The values of the file: how often again, and 0 for ever.
    @Test(
        arguments: [(nil, .times(1)), (0, .forever), (1, .times(2)), (65_535, .times(65_536))] as [(Int?, LoopCount)])
    func loopsAreCounted(_ value: Int?, _ count: LoopCount) throws {
        var file = GIFFixture.animation()
        file.loop = value
        let animation = try #require(ImageDecoders.builtIn.decode(file.data).animation)
        #expect(animation.loopCount == count)
        #expect(animation.rawDelays == [.zero, .milliseconds(10), .milliseconds(20), .milliseconds(30)])
    }
}

extension AnimatedImage {
    fileprivate var bufferedFrameCount: Int { maker.bufferedCount }

    /// Stands still when so many frames are buffered.
    fileprivate func rest(withFrames count: Int) async {
        while bufferedFrameCount < count, !Task.isCancelled { await Task.yield() }
        rest(keepingFrames: true)
        #expect(bufferedFrameCount == count)
    }
}
