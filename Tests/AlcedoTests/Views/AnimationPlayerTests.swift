import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

/// Players on a clock that stands still. Each frame's red is its index.
@MainActor @Suite(.timeLimit(.minutes(1))) struct AnimationPlayerTests {
    private let clock = ManualClock()
    private let shown = Recorder<Int>()
    private let budget = FrameBudget(bytes: 1 << 20)

    private func animated(_ animation: PlainAnimation) -> AnimatedImage {
        let header = ImageHeader(format: .gif, size: animation.size)
        return AnimatedImage(animation, PictureFitting(header, DecodeRequest()))
    }

    private func player(_ animation: PlainAnimation, firstFrame: Bitmap? = nil) -> AnimationPlayer {
        AnimationPlayer(animated(animation), firstFrame: firstFrame, budget: budget, clock: clock) { [shown] frame in
            #expect(Int(frame.bitmap[0, 0].x) == frame.index)
            shown.record(frame.index)
        }
    }

    /// Lets time pass until the next frame is due.
    private func pass() async throws { clock.advance(to: try await clock.nextSleeper()) }

    @Test func frames_areShownAtTheirDelays() async throws {
        let player = player(PlainAnimation(count: 3))
        await shown.wait { $0 == [0] }
        #expect(player.frameIndex == 0 && player.position == .zero)
        for count in 2...7 {
            try await pass()
            await shown.wait { $0.count == count }
        }
        #expect(shown.values == [0, 1, 2, 0, 1, 2, 0])
        #expect(clock.now.offset == player.animation.duration * 2)
        #expect(player.statistics == AnimationPlayer.Statistics(shownFrames: 7))
    }

    @Test func firstFrameThatIsGiven_isShownAtOnce() throws {
        let player = player(PlainAnimation(count: 3), firstFrame: try Pictures.plain(2, 2, [0, 0, 0, 255]))
        #expect(shown.values == [0] && player.frameIndex == 0)
    }

    @Test func lastLoop_ends_once() async throws {
        let player = player(PlainAnimation(delays: [.milliseconds(50), .milliseconds(50)], loopCount: .times(2)))
        let ends = Recorder<ImageLoaderError?>()
        player.onEnd = { ends.record($0) }
        for _ in 0..<4 { try await pass() }
        await ends.wait { $0 == [nil] }
        #expect(shown.values == [0, 1, 0, 1] && player.isFinished)
        player.isPaused = true
        player.isPaused = false
        #expect(ends.values == [nil])
        // It plays again from anywhere.
        player.seek(toFrame: 1)
        await shown.wait { $0.count == 5 }
        #expect(shown.values.last == 1 && !player.isFinished)
    }

    @Test(arguments: [true, false]) func pause_showsNoFrames_andContinues(byVisibility: Bool) async throws {
        let player = player(PlainAnimation(count: 3))
        await shown.wait { $0 == [0] }
        let due = try await clock.nextSleeper()
        clock.advance(by: .milliseconds(30))
        if byVisibility { player.isVisible = false } else { player.isPaused = true }
        clock.advance(by: .seconds(60))
        #expect(player.position == .milliseconds(30))
        if byVisibility { player.isVisible = true } else { player.isPaused = false }
        try await clock.sleeper(until: due.advanced(by: .seconds(60)))
        #expect(shown.values == [0])
        try await pass()
        await shown.wait { $0 == [0, 1] }
        #expect(player.statistics.droppedFrames == 0)
    }

    @Test func seekWhilePaused_showsThatFrameOnly() async throws {
        let player = player(PlainAnimation(count: 5))
        await shown.wait { $0 == [0] }
        player.isPaused = true
        player.seek(toFrame: 3)
        await shown.wait { $0 == [0, 3] }
        #expect(player.position == player.animation.delays[0] * 3)
        clock.advance(by: .seconds(9))
        player.seek(to: .milliseconds(0))
        await shown.wait { $0 == [0, 3, 0] }
        player.isPaused = false
        try await pass()
        await shown.wait { $0 == [0, 3, 0, 1] }
    }

    @Test func rate_changesTheDelays() async throws {
        let player = player(PlainAnimation(count: 3))
        await shown.wait { $0 == [0] }
        player.rate = 4
        try await clock.sleeper(until: ManualClock.Instant(offset: player.animation.delays[0] / 4))
        player.rate = 0
        clock.advance(by: .seconds(100))
        #expect(shown.values == [0] && player.position == .zero)
        player.rate = 1
        try await clock.sleeper(until: clock.now.advanced(by: player.animation.delays[0]))
    }

    @Test func framesThatAreLate_areDropped_withoutABurst() async throws {
        let player = player(PlainAnimation(count: 3))
        await shown.wait { $0 == [0] }
        try await clock.sleepers(atLeast: 1)
        // The program stood still for a hundred loops and a half.
        let delay = player.animation.delays[0]
        clock.advance(by: delay * 301 + delay / 2)
        await shown.wait { $0.count == 2 }
        try await clock.sleeper(until: ManualClock.Instant(offset: delay * 302))
        #expect(shown.values == [0, 1])
        #expect(player.statistics.droppedFrames == 300 && player.statistics.maximumLateness <= delay / 2)
    }

    @Test func damagedFrame_endsPlayback_withItsError() async throws {
        var animation = PlainAnimation(count: 5)
        animation.broken = 2
        let player = player(animation)
        let ends = Recorder<ImageLoaderError?>()
        player.onEnd = { ends.record($0) }
        await shown.wait { $0 == [0] }
        try await pass()
        await ends.wait { $0.count == 1 }
        #expect(ends.values.first??.kind == .corruptImage && player.isFinished)
        #expect(shown.values == [0, 1])
    }

    @Test func releasedPlayer_decodesNothingMore_andGivesItsBudgetBack() async throws {
        let gate = ThreadGate()
        let animation = PlainAnimation(count: 300, gate: gate)
        var player: AnimationPlayer? = player(animation)
        weak let weakPlayer = player
        await gate.arrivals(1)
        #expect(budget.reservedBytes > 0)
        player = nil
        #expect(weakPlayer == nil)
        while budget.reservedBytes > 0, !Task.isCancelled { await Task.yield() }
        gate.open()
        await animation.made.wait { $0 == [0] }
        #expect(shown.values.isEmpty && budget.reservedBytes == 0)
    }

    @Test func hiddenPlayer_emptiesItsBuffer_andGoesOnWhereItWas() async throws {
        let animation = PlainAnimation(count: 30)
        let player = player(animation)
        await animation.made.wait { $0.count == 30 }
        #expect(budget.reservedBytes == 30 * 16)
        await shown.wait { $0 == [0] }
        for count in 2...3 {
            try await pass()
            await shown.wait { $0.count == count }
        }
        player.isVisible = false
        while budget.reservedBytes > 3 * 16, !Task.isCancelled { await Task.yield() }
        #expect(animation.made.values.count == 30)
        clock.advance(by: .seconds(9))
        player.isVisible = true
        let delay = player.animation.delays[0]
        try await clock.sleeper(until: clock.now.advanced(by: delay))
        clock.advance(by: delay)
        await shown.wait { $0 == [0, 1, 2, 3] }
        #expect(player.statistics.droppedFrames == 0)
    }

    /// Each has its own buffer, so neither makes the other decode anew.
    @Test func playersOfOneAnimation_atDifferentPositions_decodeInOrder() async throws {
        let animation = PlainAnimation(count: 100)
        let image = animated(animation)
        let tight = FrameBudget(bytes: 0)
        let players = [0, 50].map { start in
            let player = AnimationPlayer(image, budget: tight, clock: clock) { [shown] in shown.record($0.index) }
            player.seek(toFrame: start)
            return player
        }
        await shown.wait { $0.contains(0) && $0.contains(50) }
        for round in 1..<10 {
            try await clock.sleepers(atLeast: 2)
            clock.advance(by: image.delays[0])
            await shown.wait { $0.contains(round) && $0.contains(50 + round) }
        }
        #expect(players.allSatisfy { $0.statistics.droppedFrames == 0 })
        #expect(animation.made.values.count <= 12 + 62)
    }
}
