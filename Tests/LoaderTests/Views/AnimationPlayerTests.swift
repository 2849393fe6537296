import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

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

    /// Lets each player show its next frame.
    private func pass(all shown: some Collection<Recorder<Int>>) async {
        let counts = shown.map(\.values.count)
        clock.advance(by: .milliseconds(50))
        for (recorder, count) in zip(shown, counts) { await recorder.wait { $0.count > count } }
    }

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

    // MARK: Loops

    @Test func loopCountThatIsGiven_replacesTheAnimationsOwn() async throws {
        let endless = PlainAnimation(count: 2)
        let ends = Recorder<ImageLoaderError?>()
        let player = AnimationPlayer(animated(endless), loopCount: .times(2), budget: budget, clock: clock) {
            [shown] in shown.record($0.index)
        }
        player.onEnd = { ends.record($0) }
        for _ in 0..<4 { try await pass() }
        await ends.wait { $0 == [nil] }
        #expect(shown.values == [0, 1, 0, 1] && endless.made.values == [0, 1])
    }

    /// The first frame follows the last one, so it stays in the buffer.
    @Test func animationOfOneLoop_playedForever_isDecodedOnce() async throws {
        let once = PlainAnimation(delays: Array(repeating: .milliseconds(50), count: 3), loopCount: .times(1))
        let player = AnimationPlayer(animated(once), loopCount: .forever, budget: budget, clock: clock) {
            [shown] in shown.record($0.index)
        }
        await shown.wait { $0 == [0] }
        for _ in 0..<8 { await pass(all: [shown]) }
        #expect(shown.values == [0, 1, 2, 0, 1, 2, 0, 1, 2] && !player.isFinished)
        #expect(once.made.values == [0, 1, 2])
    }

    @Test func loopCountBelowOne_isRefused() async {
        await #expect(processExitsWith: .failure) {
            let animation = PlainAnimation(count: 2)
            let fitting = PictureFitting(ImageHeader(format: .gif, size: animation.size), DecodeRequest())
            await MainActor.run {
                _ = AnimationPlayer(AnimatedImage(animation, fitting), loopCount: .times(0)) { _ in }
            }
        }
    }

    // MARK: The end

    /// A player of two frames that shows the last one of its only loop, and sleeps until the end at 100 ms.
    private func playerAtItsLastFrame(_ ends: Recorder<ImageLoaderError?>) async throws -> AnimationPlayer {
        let player = player(PlainAnimation(delays: [.milliseconds(50), .milliseconds(50)], loopCount: .times(1)))
        player.onEnd = { ends.record($0) }
        try await pass()
        try await clock.sleeper(until: ManualClock.Instant(offset: .milliseconds(100)))
        #expect(shown.values == [0, 1])
        return player
    }

    /// At 100 ms, the player's Task has been woken to end playback, but hasn't run yet.
    @Test(arguments: [99, 100]) func seekToTheLastFrame_delaysTheEnd_evenIfItIsDue(milliseconds: Int) async throws {
        let ends = Recorder<ImageLoaderError?>()
        let player = try await playerAtItsLastFrame(ends)
        clock.advance(to: ManualClock.Instant(offset: .milliseconds(milliseconds)))
        player.seek(toFrame: 1)
        await shown.wait { $0 == [0, 1, 1] }
        let end = ManualClock.Instant(offset: .milliseconds(milliseconds + 50))
        try await clock.sleeper(until: end)
        #expect(ends.values.isEmpty && !player.isFinished)
        clock.advance(to: end)
        await ends.wait { $0 == [nil] }
        #expect(shown.values == [0, 1, 1] && player.isFinished)
    }

    @Test(arguments: [99, 100]) func seekPastTheEnd_showsTheLastFrame_andEndsOnce(milliseconds: Int) async throws {
        let ends = Recorder<ImageLoaderError?>()
        let player = try await playerAtItsLastFrame(ends)
        clock.advance(to: ManualClock.Instant(offset: .milliseconds(milliseconds)))
        player.seek(to: .seconds(9))
        await ends.wait { !$0.isEmpty }
        #expect(shown.values == [0, 1, 1] && player.isFinished && player.position == player.animation.duration)
        // The Task of the former end has nothing to say.
        clock.advance(by: .seconds(9))
        player.seek(toFrame: 0)
        await shown.wait { $0 == [0, 1, 1, 0] }
        #expect(ends.values == [nil])
    }

    @Test func seekWithinOnEnd_playsAgain() async throws {
        let ends = Recorder<ImageLoaderError?>()
        let player = try await playerAtItsLastFrame(ends)
        player.onEnd = { [weak player] error in
            ends.record(error)
            if ends.values.count == 1 { player?.seek(toFrame: 0) }
        }
        for offset in [100, 150, 200] {
            let due = ManualClock.Instant(offset: .milliseconds(offset))
            try await clock.sleeper(until: due)
            clock.advance(to: due)
        }
        await ends.wait { $0 == [nil, nil] }
        #expect(shown.values == [0, 1, 0, 1] && player.isFinished)
    }

    // MARK: Control

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

    /// All frames are buffered, and each is due when the one before it has been drawn.
    @Test func slowDraws_letOtherWorkOfTheMainActorRun() async throws {
        let player = AnimationPlayer(animated(PlainAnimation(count: 3)), budget: budget, clock: clock) {
            [clock, shown] in
            shown.record($0.index)
            if shown.values.count < 1_000 { clock.advance(by: .milliseconds(50)) }
        }
        await shown.wait { $0.count == 10 }
        player.isPaused = true
        #expect(shown.values.count < 1_000)
        #expect(shown.values.prefix(10) == [0, 1, 2, 0, 1, 2, 0, 1, 2, 0] && player.statistics.droppedFrames == 0)
    }

    /// The player sleeps while the frame is decoded, and then waits for it.
    @Test func frame_isDecodedWhileThePlayerSleeps() async throws {
        let gate = ThreadGate()
        let first = try Pictures.plain(2, 2, [0, 0, 0, 255])
        let player = player(PlainAnimation(count: 3, gate: gate), firstFrame: first)
        try await pass()
        #expect(shown.values == [0])
        gate.open()
        await shown.wait { $0 == [0, 1] }
        #expect(player.statistics == AnimationPlayer.Statistics(shownFrames: 2))
    }

    @Test func playersOfOneBudget_haveOneTimer() async throws {
        let players = (0..<3).map { _ in player(PlainAnimation(count: 3)) }
        for count in [3, 6, 9] {
            await shown.wait { $0.count == count }
            try await clock.sleeper(until: clock.now.advanced(by: .milliseconds(50)))
            #expect(clock.sleeperCount == 1)
            clock.advance(by: .milliseconds(50))
        }
        for player in players { player.isPaused = true }
    }

    enum Standstill: CaseIterable { case paused, hidden, released }

    /// The sleeper is gone when the setter returns.
    @Test(arguments: Standstill.allCases) func playerThatStops_leavesNoSleeper(how: Standstill) async throws {
        let first = try Pictures.plain(2, 2, [0, 0, 0, 255])
        var player: AnimationPlayer? = player(PlainAnimation(count: 3), firstFrame: first)
        _ = try await clock.nextSleeper()
        switch how {
        case .paused: player?.isPaused = true
        case .hidden: player?.isVisible = false
        case .released: player = nil
        }
        #expect(clock.sleeperCount == 0)
        withExtendedLifetime(player) {}
    }

    /// A frame due at 52 ms is shown with something else of the timer's at 50 ms, and the end at 102 ms comes at 100.
    @Test func framesDueAtAlmostTheSameTime_areShownTogether() async throws {
        let animation = PlainAnimation(delays: [.milliseconds(52), .milliseconds(50)], loopCount: .times(1))
        let player = player(animation, firstFrame: try Pictures.plain(2, 2, [0, 0, 0, 255]))
        let ends = Recorder<ImageLoaderError?>()
        player.onEnd = { ends.record($0) }
        let timer = budget.timer(for: clock)
        for (others, own) in [(50, 52), (100, 102)] {
            try await clock.sleeper(until: ManualClock.Instant(offset: .milliseconds(own)))
            let other = Task { await timer.sleep(until: .milliseconds(others)) }
            try await clock.sleeper(until: ManualClock.Instant(offset: .milliseconds(others)))
            clock.advance(to: ManualClock.Instant(offset: .milliseconds(others)))
            await other.value
            if own == 52 { await shown.wait { $0 == [0, 1] } } else { await ends.wait { $0 == [nil] } }
        }
        #expect(player.statistics == AnimationPlayer.Statistics(shownFrames: 2))
        #expect(player.isFinished && player.position == player.animation.duration)
    }

    /// A frame that can't be decoded ends playback when it is due.
    @Test func damagedFrame_endsPlayback_withItsError() async throws {
        var animation = PlainAnimation(count: 5)
        animation.broken = 2
        let player = player(animation)
        let ends = Recorder<ImageLoaderError?>()
        player.onEnd = { ends.record($0) }
        await shown.wait { $0 == [0] }
        for _ in 0..<2 { try await pass() }
        await ends.wait { $0.count == 1 }
        #expect(ends.values.first??.kind == .corruptImage && player.isFinished)
        #expect(shown.values == [0, 1])
    }

    // MARK: The buffer

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

    /// The main actor runs nothing else until the decoder is released.
    @Test func hiddenPlayer_whichSleeps_doesNotDecodeItsNextFrame() async throws {
        let gate = ThreadGate()
        let isDone = ThreadGate()
        let animation = PlainAnimation(count: 3, gate: gate)
        let player = player(animation, firstFrame: try Pictures.plain(2, 2, [0, 0, 0, 255]))
        await gate.arrivals(1)
        _ = try await clock.nextSleeper()
        Task.detached {
            await animation.released.wait { !$0.isEmpty }
            isDone.open()
        }
        player.isVisible = false
        gate.open()
        isDone.enter()
        #expect(animation.made.values == [0] && animation.released.values == [1])
    }

    /// As above. Its next frame is there, and the one after that is being decoded.
    @Test func releasedPlayer_whichSleeps_decodesNothingAhead() async throws {
        let gate = ThreadGate()
        let isDone = ThreadGate()
        var animation = PlainAnimation(count: 30, gate: gate)
        animation.firstGated = 2
        var player: AnimationPlayer? = player(animation, firstFrame: try Pictures.plain(2, 2, [0, 0, 0, 255]))
        await gate.arrivals(1)
        _ = try await clock.nextSleeper()
        Task.detached { [animation] in
            await animation.released.wait { !$0.isEmpty }
            isDone.open()
        }
        player = nil
        gate.open()
        isDone.enter()
        #expect(animation.made.values == [0, 1, 2] && animation.released.values == [3] && player == nil)
    }

    @Test func playerThatIsPausedAtOnce_reservesNothing() throws {
        let player = player(PlainAnimation(count: 30), firstFrame: try Pictures.plain(2, 2, [0, 0, 0, 255]))
        player.isPaused = true
        #expect(budget.reservedBytes == 0 && player.isPaused)
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
        while budget.reservedBytes > 0, !Task.isCancelled { await Task.yield() }
        #expect(animation.made.values.count == 30)
        clock.advance(by: .seconds(9))
        player.isVisible = true
        let delay = player.animation.delays[0]
        try await clock.sleeper(until: clock.now.advanced(by: delay))
        clock.advance(by: delay)
        await shown.wait { $0 == [0, 1, 2, 3] }
        #expect(player.statistics.droppedFrames == 0)
    }

    /// The first animation may use what the second one doesn't need, but is asked to give it back.
    @Test func animationInALentPart_isDecodedOnce_untilAnotherPlayerNeedsThePart() async throws {
        let budget = FrameBudget(bytes: 20 * 16)
        let animations = [12, 8, 12].map { PlainAnimation(count: $0) }
        let shown = animations.map { _ in Recorder<Int>() }
        func player(_ number: Int) -> AnimationPlayer {
            AnimationPlayer(animated(animations[number]), budget: budget, clock: clock) {
                shown[number].record($0.index)
            }
        }
        var players = [player(0), player(1)]
        for shown in shown.prefix(2) { await shown.wait { $0 == [0] } }
        for _ in 0..<24 { await pass(all: shown.prefix(2)) }
        // Two loops of the first and three of the second animation have been shown, and the next ones begin.
        #expect(shown[0].values == (0..<25).map { $0 % 12 } && shown[1].values == (0..<25).map { $0 % 8 })
        #expect(animations[0].made.values == Array(0..<12) && animations[1].made.values == Array(0..<8))
        #expect(budget.reservedBytes == budget.bytes)

        players.append(player(2))
        await shown[2].wait { $0 == [0] }
        for _ in 0..<3 { await pass(all: shown) }
        // Without its part, the third player would have only the frame that it shows next, with number 4.
        await animations[2].made.wait { $0.count > 6 }
        // The first one has given frames back, and decodes them again.
        await animations[0].made.wait { $0.count > 12 }
        #expect(budget.reservedBytes <= budget.bytes)
        #expect(players.allSatisfy { $0.statistics.droppedFrames == 0 })
    }

    @Test func pausedPlayer_givesItsFramesToOneThatPlays_andGoesOnWhereItWas() async throws {
        let budget = FrameBudget(bytes: 12 * 16)
        let animations = [12, 12].map { PlainAnimation(count: $0) }
        let shown = animations.map { _ in Recorder<Int>() }
        let players = [0, 1].map { number in
            AnimationPlayer(animated(animations[number]), budget: budget, clock: clock) {
                shown[number].record($0.index)
            }
        }
        players[1].isVisible = false
        await shown[0].wait { $0 == [0] }
        for _ in 0..<12 { await pass(all: shown.prefix(1)) }
        #expect(animations[0].made.values == Array(0..<12) && budget.reservedBytes == budget.bytes)
        players[0].isPaused = true
        #expect(budget.reservedBytes == budget.bytes)

        players[1].isVisible = true
        await shown[1].wait { !$0.isEmpty }
        for _ in 0..<24 { await pass(all: shown.suffix(1)) }
        let decoded = animations[1].made.values.count
        for _ in 0..<12 { await pass(all: shown.suffix(1)) }
        // All frames of the third loop were in the buffer.
        #expect(animations[1].made.values.count == decoded && budget.reservedBytes == budget.bytes)
        #expect(shown[0].values == Array(0..<12) + [0] && animations[0].made.values.count == 12)

        players[0].isPaused = false
        for _ in 0..<3 { await pass(all: shown) }
        #expect(shown[0].values == Array(0..<12) + [0, 1, 2, 3])
        #expect(players.allSatisfy { $0.statistics.droppedFrames == 0 })
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
            clock.advance(by: image.delays[0])
            await shown.wait { $0.contains(round) && $0.contains(50 + round) }
        }
        #expect(players.allSatisfy { $0.statistics.droppedFrames == 0 })
        #expect(animation.made.values.count <= 12 + 62)
    }
}
