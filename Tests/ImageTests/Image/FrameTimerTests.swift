import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

@MainActor @Suite(.timeLimit(.minutes(1))) struct FrameTimerTests {
    private let clock = ManualClock()
    private let woken = Recorder<Int>()

    private func sleeper(_ timer: FrameTimer, milliseconds: Int) -> Task<Void, Never> {
        Task {
            await timer.sleep(until: .milliseconds(milliseconds))
            woken.record(milliseconds)
        }
    }

    private func instant(_ milliseconds: Int) -> ManualClock.Instant {
        ManualClock.Instant(offset: .milliseconds(milliseconds))
    }

    /// Of those that are due at almost the same time, the earliest wakes all.
    @Test func sleepers_areWokenWhenDue_theEarliestFirst() async throws {
        let timer = FrameTimer(clock)
        // The earliest begins last: when the timer sleeps until then, all sleep.
        for due in [50, 30, 12, 13, 11, 10] { _ = sleeper(timer, milliseconds: due) }
        var expected: [Int] = []
        for (due, all) in [(10, [10, 11, 12]), (13, [13]), (30, [30]), (50, [50])] {
            try await clock.sleeper(until: instant(due))
            #expect(woken.values == expected)
            clock.advance(to: instant(due))
            expected += all
            await woken.wait { [expected] in $0 == expected }
        }
        #expect(clock.sleeperCount == 0)
    }

    @Test func cancelledSleeper_returnsAtOnce_andLeavesNoAlarm() async throws {
        let timer = FrameTimer(clock)
        let (second, first) = (sleeper(timer, milliseconds: 20), sleeper(timer, milliseconds: 10))
        try await clock.sleeper(until: instant(10))
        first.cancel()
        await woken.wait { $0 == [10] }
        clock.advance(to: instant(10))
        try await clock.sleeper(until: instant(20))
        second.cancel()
        await woken.wait { $0 == [10, 20] }
        while clock.sleeperCount > 0, !Task.isCancelled { await Task.yield() }
        #expect(clock.now == instant(10) && clock.sleeperCount == 0)
    }

    /// The clock moves on before the timer's Task begins to sleep.
    @Test func sleepUntilAMoment_doesNotCountFromNow() async throws {
        let time = TimeSource(clock)
        clock.advance(by: .milliseconds(30))
        async let isOver = time.sleep(until: .milliseconds(50))
        try await clock.sleeper(until: instant(50))
        clock.advance(to: instant(50))
        #expect(await isOver)
        #expect(await time.sleep(until: .milliseconds(40)))
    }

    @Test func timers_areSharedByThoseOfOneBudgetAndClock() {
        let budget = FrameBudget(bytes: 0)
        let timer = budget.timer(for: clock)
        #expect(budget.timer(for: clock) === timer)
        #expect(budget.timer(for: ManualClock()) !== timer)
        let real = budget.timer(for: ContinuousClock())
        #expect(budget.timer(for: ContinuousClock()) === real)
        #expect(budget.timer(for: SuspendingClock()) !== real)
        #expect(FrameBudget(bytes: 0).timer(for: clock) !== timer)
    }
}
