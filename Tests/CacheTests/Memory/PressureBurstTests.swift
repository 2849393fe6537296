import Testing

@testable import Alcedo

@Suite struct PressureBurstTests {
    private func taken(_ reports: [(Double, Int)]) -> [Double?] {
        var burst = PressureBurst(interval: .milliseconds(1_000))
        return reports.map { burst.take($0, at: .milliseconds($1)) }
    }

    @Test func repeatedReport_countsOnce() {
        #expect(taken([(0.5, 0), (0.5, 1), (0.5, 999)]) == [0.5, nil, nil])
        #expect(taken([(0.25, 0), (0.5, 10)]) == [0.25, nil])
    }

    @Test func lowerReport_isForWhatIsLeft() {
        #expect(taken([(0.5, 0), (0.25, 10), (0, 20), (0, 30)]) == [0.5, 0.5, 0, nil])
        #expect(taken([(0, 0), (0.5, 10)]) == [0, nil])
    }

    @Test func nextBurst_beginsAfterTheInterval_ofTheFirst() {
        #expect(taken([(0.5, 0), (0.5, 900), (0.5, 1_000), (0.5, 1_900), (0.5, 2_000)]) == [0.5, nil, 0.5, nil, 0.5])
    }

    @Test func clockThatWasSetBack_suppressesNothing() {
        #expect(taken([(0.5, 5_000), (0.5, 100)]) == [0.5, 0.5])
    }

    @Test func unusualFractions() {
        #expect(taken([(1, 0), (2, 1), (0.5, 2)]) == [1, nil, 0.5])
        #expect(taken([(.nan, 0)]) == [0])
        #expect(taken([(-1, 0)]) == [0])
    }
}
