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
    @Test func sleepers_areWokenWhenDue() async throws {
        let timer = FrameTimer(clock)
        // The earliest begins last: when the timer sleeps until then, all sleep.
        for due in [50, 30, 12, 13, 11, 10] { _ = sleeper(timer, milliseconds: due) }
        var expected: Set<Int> = []
        for (due, all) in [(10, [10, 11, 12]), (13, [13]), (30, [30]), (50, [50])] {
            try await clock.sleeper(until: instant(due))
            #expect(Set(woken.values) == expected)
            clock.advance(to: instant(due))
            expected.formUnion(all)
            await woken.wait { [expected] in Set($0) == expected }
        }
        #expect(clock.sleeperCount == 0 && woken.values.count == 6)
    }

    @Test func cancelledSleeper_returnsAtOnce_andLeavesNoAlarm() async throws {
        let timer = FrameTimer(clock)
        let (second, first) = (sleeper(timer, milliseconds: 20), sleeper(timer, milliseconds: 10))
        try await clock.sleeper(until: instant(10))
        first.cancel()
        await woken.wait { $0 == [10] }
        try await clock.sleeper(until: instant(20))
        clock.advance(to: instant(10))
        // While the main actor is busy, too.
        let isCancelled = ThreadGate()
        Task.detached {
            second.cancel()
            isCancelled.open()
        }
        isCancelled.enter()
        #expect(clock.sleeperCount == 0)
        await woken.wait { $0 == [10, 20] }
        #expect(clock.now == instant(10) && clock.sleeperCount == 0)
    }

    @Test func sleeperThatIsCancelledBefore_returns_andOthersSleepOn() async throws {
        let timer = FrameTimer(clock)
        let other = sleeper(timer, milliseconds: 20)
        try await clock.sleeper(until: instant(20))
        let cancelled = sleeper(timer, milliseconds: 10)
        cancelled.cancel()
        await cancelled.value
        try await clock.sleeper(until: instant(20))
        clock.advance(to: instant(20))
        await other.value
        #expect(woken.values == [10, 20] && clock.sleeperCount == 0)
    }

    /// It wakes the other one, for which another alarm has been set meanwhile. That one is ended.
    @Test func alarmOfACancelledSleeper_thatRingsYet_isTheOnlyOne() async throws {
        let timer = FrameTimer(clock)
        let second = sleeper(timer, milliseconds: 11)
        try await clock.sleeper(until: instant(11))
        let first = sleeper(timer, milliseconds: 10)
        try await clock.sleeper(until: instant(10))
        clock.advance(to: instant(10))
        // The alarm waits for the main actor.
        first.cancel()
        await first.value
        await second.value
        #expect(Set(woken.values) == [10, 11] && woken.values.count == 2 && clock.now == instant(10))
        while clock.sleeperCount > 0, !Task.isCancelled { await Task.yield() }
        #expect(clock.sleeperCount == 0)
    }

    @Test func timers_areSharedByThoseOfOneBudgetAndClock() {
        let budget = FrameBudget(bytes: 0)
        let timer = budget.timer(for: clock)
        #expect(budget.timer(for: clock) === timer)
        #expect(FrameBudget(bytes: 0).timer(for: clock) !== timer)
        let other = budget.timer(for: ManualClock())
        #expect(other !== timer)
        let real = budget.timer(for: ContinuousClock())
        #expect(budget.timer(for: ContinuousClock()) === real)
        let suspending = budget.timer(for: SuspendingClock())
        #expect(suspending !== real && budget.timer(for: SuspendingClock()) === suspending)
        withExtendedLifetime((timer, other, real, suspending)) {}
    }

    @Test func timer_isReleasedWithItsLastPlayer() {
        let budget = FrameBudget(bytes: 0)
        weak let timer = budget.timer(for: clock)
        #expect(timer == nil)
    }
}
