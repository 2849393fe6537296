import AlcedoTestSupport
import Testing

@testable import Alcedo

/// When which frame is shown, without a clock, a decoder or a view.
@Suite struct PlaybackTests {
    /// Three frames of 100, 200 and 300 ms.
    private static let delays: [Duration] = [.milliseconds(100), .milliseconds(200), .milliseconds(300)]

    private func playback(_ loops: LoopCount = .forever, at now: Duration = .zero) -> Playback {
        var playback = Playback(delays: Self.delays, loopCount: loops, at: now)
        playback.run(at: now)
        return playback
    }

    private func step(_ index: Int, _ number: Int, _ milliseconds: Int) -> Playback.Step {
        Playback.Step(index: index, number: number, due: .milliseconds(milliseconds))
    }

    private func same<Value: Equatable>(_ left: Value, _ right: Value) -> Bool { left == right }

    /// The next frame, shown when it is due.
    private func shown(_ playback: inout Playback, from now: Duration = .zero) -> Playback.Step? {
        guard let step = playback.next(at: now) else { return nil }
        #expect(same(playback.shows(step, at: max(now, step.due)), true))
        return step
    }

    @Test func frames_areShownAtTheirDelays_loopAfterLoop() {
        var playback = playback(at: .seconds(5))
        var now = Duration.seconds(5)
        var steps: [Playback.Step] = []
        for _ in 0..<7 {
            if let step = shown(&playback, from: now) { steps.append(step) }
            now = steps.last?.due ?? now
        }
        #expect(steps.map(\.index) == [0, 1, 2, 0, 1, 2, 0])
        #expect(steps.map(\.number) == Array(0..<7))
        #expect(steps.map(\.due) == [5_000, 5_100, 5_300, 5_600, 5_700, 5_900, 6_200].map { .milliseconds($0) })
        #expect(playback.finish == nil && playback.dropped == 0)
    }

    @Test func lastLoop_endsAfterTheTimeOfItsLastFrame() {
        var playback = playback(.times(2))
        var now = Duration.zero
        for _ in 0..<6 { now = shown(&playback, from: now)?.due ?? .seconds(-1) }
        #expect(now == .milliseconds(900))
        #expect(same(playback.next(at: now), nil))
        #expect(playback.finish == .milliseconds(1_200))
        #expect(playback.positionInLoop(at: .milliseconds(1_199)) == .milliseconds(599))
        #expect(playback.position(at: .seconds(50)) == .milliseconds(1_200))
        #expect(playback.positionInLoop(at: .seconds(50)) == .milliseconds(600))
    }

    @Test func lateFrames_areSkipped_andNoneFollowInABurst() {
        var playback = playback()
        _ = shown(&playback)
        // Everything stood still for 1.25 s. The third loop began at 1.2 s.
        #expect(same(playback.next(at: .milliseconds(1_250)), step(0, 6, 1_200)))
        #expect(same(playback.shows(step(0, 6, 1_200), at: .milliseconds(1_260)), true))
        #expect(playback.dropped == 5)
        #expect(same(playback.next(at: .milliseconds(1_260)), step(1, 7, 1_300)))
    }

    @Test func frameDecodedTooLate_isSkipped_butNeverTwoInARow() {
        var playback = playback()
        _ = shown(&playback)
        let second = playback.next(at: .milliseconds(10))
        #expect(second == step(1, 1, 100))
        let isShown = playback.shows(step(1, 1, 100), at: .milliseconds(350))
        #expect(!isShown)
        #expect(same(playback.next(at: .milliseconds(350)), step(2, 2, 300)))
        // The decoder is too slow for this one as well.
        #expect(same(playback.shows(step(2, 2, 300), at: .milliseconds(650)), true))
        #expect(playback.dropped == 1)
    }

    @Test func pause_stopsTheTime() {
        var playback = playback()
        _ = shown(&playback)
        playback.stop(at: .milliseconds(40))
        #expect(playback.position(at: .seconds(9)) == .milliseconds(40))
        playback.run(at: .seconds(9))
        #expect(same(playback.next(at: .seconds(9)), step(1, 1, 9_060)))
        // Running already, stopped already.
        playback.run(at: .seconds(10))
        #expect(playback.position(at: .milliseconds(9_060)) == .milliseconds(100))
    }

    @Test func rate_scalesTheTime_fromThatMomentOn() {
        var playback = playback()
        _ = shown(&playback)
        playback.setRate(2, at: .milliseconds(50))
        #expect(same(playback.next(at: .milliseconds(50)), step(1, 1, 75)))
        #expect(playback.position(at: .milliseconds(100)) == .milliseconds(150))
        playback.setRate(0.5, at: .milliseconds(100))
        #expect(playback.position(at: .milliseconds(200)) == .milliseconds(200))
    }

    @Test func seek_continuesThere_alsoInALaterLoop() {
        var playback = playback(.times(3))
        _ = shown(&playback)
        playback.seek(to: .milliseconds(150), at: .seconds(1))
        #expect(same(playback.next(at: .seconds(1)), step(1, 1, 1_000)))
        #expect(same(playback.shows(step(1, 1, 1_000), at: .seconds(1)), true))
        #expect(same(playback.next(at: .seconds(1)), step(2, 2, 1_150)))
        playback.seek(to: .milliseconds(700), at: .seconds(1))
        #expect(same(playback.next(at: .seconds(1))?.number, 4))
        playback.seek(to: .seconds(-1), at: .seconds(1))
        #expect(same(playback.next(at: .seconds(1))?.number, 0))
        playback.seek(to: .seconds(99), at: .seconds(1))
        #expect(same(playback.next(at: .seconds(1))?.number, 8))
        #expect(playback.finish == .seconds(1))
    }

    @Test func hugeNumbers_areNoTrap() {
        var endless = playback()
        endless.seek(to: .seconds(Int64.max), at: .zero)
        #expect(endless.position(at: .zero) < .milliseconds(600))
        let many = Playback(delays: Self.delays, loopCount: .times(.max), at: .zero)
        #expect(many.next(at: .zero)?.number == 0)
        var slow = playback()
        slow.setRate(0.001, at: .zero)
        _ = shown(&slow)
        #expect(slow.next(at: .zero)?.due == .seconds(100))
    }

    /// A decoder may take longer for it than it is shown.
    @Test func firstFrame_isNeverSkipped_norThatOfASeek() {
        var playback = playback()
        #expect(same(playback.shows(step(0, 0, 0), at: .milliseconds(150)), true))
        playback.seek(to: .milliseconds(310), at: .milliseconds(200))
        let sought = playback.next(at: .milliseconds(200))
        #expect(sought == step(2, 2, 200))
        #expect(same(playback.shows(step(2, 2, 200), at: .seconds(2)), true))
        #expect(playback.dropped == 0)
    }

    /// Random control and random delays: frames go forward, none is early, and none is shown twice.
    @Test(arguments: 0..<20 as Range<UInt64>) func framesGoForward_whateverHappens(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let delays = (0..<Int.random(in: 2...9, using: &random)).map { _ in
            Duration.milliseconds(Int.random(in: 1...200, using: &random))
        }
        var playback = Playback(delays: delays, loopCount: .times(30), at: .zero)
        var (now, last) = (Duration.zero, -1)
        playback.run(at: now)
        for _ in 0..<2_000 {
            now += .milliseconds(Int.random(in: 0...300, using: &random))
            switch Int.random(in: 0..<12, using: &random) {
            case 0: playback.stop(at: now)
            case 1: playback.setRate(Double.random(in: 0.25...4, using: &random), at: now)
            case 2:
                playback.seek(to: .milliseconds(Int.random(in: 0...9_000, using: &random)), at: now)
                last = -1
            default:
                playback.run(at: now)
                guard let step = playback.next(at: now) else { continue }
                #expect(step.number > last && step.index == step.number % delays.count)
                now = max(now, step.due)
                if playback.shows(step, at: now) {
                    // At its time, but for the rounding of rates.
                    #expect(playback.position(at: now) + .microseconds(1) >= playback.start(of: step.number))
                }
                last = step.number
            }
        }
    }
}
