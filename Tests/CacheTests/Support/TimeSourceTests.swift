import AlcedoTestSupport
import Testing

@testable import Alcedo

@Suite(.timeLimit(.minutes(1))) struct TimeSourceTests {
    private let clock = ManualClock()

    private func instant(_ milliseconds: Int) -> ManualClock.Instant {
        ManualClock.Instant(offset: .milliseconds(milliseconds))
    }

    @Test func sleepUntilAMoment_countsFromTheOrigin() async throws {
        let time = TimeSource(clock)
        clock.advance(by: .milliseconds(30))
        async let isOver = time.sleep(until: .milliseconds(50))
        try await clock.sleeper(until: instant(50))
        clock.advance(to: instant(50))
        #expect(await isOver)
        #expect(await time.sleep(until: .milliseconds(40)))
    }

    @Test func sleepForATime_countsFromNow() async throws {
        let time = TimeSource(clock)
        clock.advance(by: .milliseconds(30))
        let sleeper = Task { await time.sleep(for: .milliseconds(50)) }
        try await clock.sleeper(until: instant(80))
        sleeper.cancel()
        #expect(await !sleeper.value)
    }

    @Test(arguments: [true, false]) func longestSleep_isAYear(isForATime: Bool) async throws {
        let time = TimeSource(clock)
        let sleeper = Task {
            let longer = Duration.seconds(Int64.max)
            return if isForATime { await time.sleep(for: longer) } else { await time.sleep(until: longer) }
        }
        try await clock.sleeper(until: ManualClock.Instant(offset: .seconds(365 * 86_400)))
        sleeper.cancel()
        #expect(await !sleeper.value)
    }

    /// An hour ahead, with the system clock's instants.
    private struct ShiftedClock: Clock {
        var now: ContinuousClock.Instant { .now + .seconds(3_600) }
        var minimumResolution: Duration { .nanoseconds(1) }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
    }

    /// By the system's clock, an hour would be missing since the origin.
    @Test func clockWithTheSystemsInstants_isReadItself() {
        #expect(TimeSource(ShiftedClock()).now() >= .zero)
    }
}
