import Alcedo
import Testing

@testable import TestFixtures

@Suite struct RateWatchTests {
    private static func rate(_ bytesPerSecond: Int = 10, seconds: Int = 30) -> MinimumRate {
        var rate = MinimumRate()
        rate.bytesPerSecond = bytesPerSecond
        rate.period = .seconds(seconds)
        return rate
    }

    private var watch = RateWatch<Int>(rate())

    /// Checks at `second`, when each transfer has received `bytes`.
    private mutating func look(_ second: Int, _ bytes: [Int: Int], holdingUp: Set<Int> = [0, 1, 2]) -> Int? {
        watch.check(now: .seconds(second), bytes: { bytes[$0] ?? 0 }, holdsUp: { holdingUp.contains($0) })
    }

    @Test mutating func transferBelowTheRate_isReported_afterThePeriod() {
        watch.setWaiting(true, now: .zero)
        watch.begin(0, now: .seconds(5))
        #expect(watch.nextCheck == .seconds(35))
        check(look(34, [:]), nil)
        check(look(35, [0: 299]), 0)
        // It is reported until it has ended.
        check(look(36, [0: 299]), 0)
        watch.end(0)
        check(look(99, [:]), nil)
        #expect(watch.nextCheck == nil)
    }

    @Test mutating func transferAtTheRate_startsANewPeriod() {
        watch.setWaiting(true, now: .zero)
        watch.begin(0, now: .zero)
        check(look(30, [0: 300]), nil)
        #expect(watch.nextCheck == .seconds(60))
        // The bytes of the previous period no longer count.
        check(look(60, [0: 599]), 0)
    }

    @Test mutating func lateCheck_measuresTheWholeTime() {
        watch.setWaiting(true, now: .zero)
        watch.begin(0, now: .zero)
        check(look(60, [0: 599]), 0)
        check(look(60, [0: 600]), nil)
    }

    @Test mutating func timeWithoutWaiters_isNotCounted_andNeedsNoCheck() {
        watch.begin(0, now: .zero)
        #expect(watch.nextCheck == nil)
        check(look(1_000, [:]), nil)
        watch.setWaiting(true, now: .seconds(1_000))
        #expect(watch.nextCheck == .seconds(1_030))
        // Waiters come and go.
        watch.setWaiting(true, now: .seconds(1_010))
        watch.setWaiting(false, now: .seconds(1_020))
        #expect(watch.nextCheck == nil)
        check(look(2_000, [:]), nil)
        watch.setWaiting(true, now: .seconds(3_000))
        #expect(watch.nextCheck == .seconds(3_010))
        check(look(3_009, [:]), nil)
        check(look(3_010, [0: 299]), 0)
    }

    @Test mutating func nonBlockingTransfer_continuesForAnotherPeriod() {
        watch.setWaiting(true, now: .zero)
        watch.begin(0, now: .zero)
        check(look(30, [:], holdingUp: []), nil)
        #expect(watch.nextCheck == .seconds(60))
        check(look(60, [:]), 0)
    }

    @Test mutating func earliestTransfer_isReportedFirst_andOthersRemainDue() {
        watch.setWaiting(true, now: .zero)
        for id in 0...2 { watch.begin(id, now: .seconds(2 - id)) }
        check(look(40, [1: 10_000]), 2)
        watch.end(2)
        #expect(watch.nextCheck == .seconds(32))
        check(look(41, [1: 10_000]), 0)
    }

    @Test mutating func continuedTransfer_keepsItsPeriod() {
        watch.setWaiting(true, now: .zero)
        watch.begin(0, now: .zero)
        watch.begin(0, now: .seconds(29))
        #expect(watch.nextCheck == .seconds(30))
    }

    @Test func missingRate_watchesNothing() {
        var watch = RateWatch<Int>(nil)
        watch.begin(0, now: .zero)
        watch.setWaiting(true, now: .zero)
        #expect(!watch.isWaiting)
        #expect(watch.nextCheck == nil)
        check(watch.check(now: .seconds(99), bytes: { _ in 0 }, holdsUp: { _ in true }), nil)
    }

    @Test func valuesOutOfRange_areClamped() {
        var watch = RateWatch<Int>(Self.rate(0, seconds: -1))
        watch.setWaiting(true, now: .zero)
        watch.begin(0, now: .zero)
        #expect(watch.nextCheck == .seconds(1))
        check(watch.check(now: .seconds(1), bytes: { _ in 1 }, holdsUp: { _ in true }), nil)
        check(watch.check(now: .seconds(2), bytes: { _ in 1 }, holdsUp: { _ in true }), 0)
    }
}
