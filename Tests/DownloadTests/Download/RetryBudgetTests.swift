import Alcedo
import AlcedoTestSupport
import Testing

@testable import TestFixtures

@Suite struct RetryBudgetTests {
    private func spend(_ count: Int, on host: String, of budget: inout RetryBudget) -> Int {
        (0..<count).filter { _ in budget.take(from: host) }.count
    }

    @Test func host_hasALimitedNumberOfRetries() {
        var budget = RetryBudget(retries: 3)
        check(spend(5, on: "a", of: &budget), 3)
        check(spend(5, on: "a", of: &budget), 0)
        check(spend(5, on: "b", of: &budget), 3)
        #expect(budget.brokenInvariant == nil)
    }

    @Test func tenSuccesses_restoreOneRetry() {
        var budget = RetryBudget(retries: 3)
        check(spend(3, on: "a", of: &budget), 3)
        for _ in 0..<9 { budget.recordSuccess(of: "a") }
        check(spend(1, on: "a", of: &budget), 0)
        budget.recordSuccess(of: "a")
        check(spend(2, on: "a", of: &budget), 1)
    }

    @Test func fullBudget_growsNoFurther_andIsNotStored() {
        var budget = RetryBudget(retries: 2)
        for _ in 0..<100 { budget.recordSuccess(of: "a") }
        #expect(budget.hostCount == 0)
        check(spend(1, on: "a", of: &budget), 1)
        #expect(budget.hostCount == 1)
        for _ in 0..<100 { budget.recordSuccess(of: "a") }
        #expect(budget.hostCount == 0)
        check(spend(5, on: "a", of: &budget), 2)
    }

    @Test(arguments: [(Int.min, 0), (-1, 0), (0, 0), (1, 1), (.max, 1_000_000)])
    func numberOfRetries_isClamped(retries: Int, expected: Int) {
        #expect(RetryBudget(retries: retries).retriesLeft(for: "a") == expected)
    }

    @Test func leastRecentlyChangedHost_isReset_whenThereAreTooMany() {
        var budget = RetryBudget(retries: 2, hostLimit: 3)
        for host in ["a", "b", "c", "a", "d"] { check(budget.take(from: host), true) }
        #expect(budget.hostCount == 3)
        #expect(budget.retriesLeft(for: "b") == 2)
        #expect(["a", "c", "d"].map { budget.retriesLeft(for: $0) } == [0, 1, 1])
        #expect(budget.brokenInvariant == nil)
    }

    @Test func randomHistories_neverExceedTheBudget() {
        var random = SeededRandom(seed: 11)
        var budget = RetryBudget(retries: 4, hostLimit: 20)
        var spent: [String: Int] = [:]
        var successes: [String: Int] = [:]
        for _ in 0..<20_000 {
            let host = "host\(Int.random(in: 0..<20, using: &random))"
            if Int.random(in: 0..<8, using: &random) == 0 {
                spent[host, default: 0] += budget.take(from: host) ? 1 : 0
            } else {
                budget.recordSuccess(of: host)
                successes[host, default: 0] += 1
            }
            must(spent[host, default: 0] <= 4 + successes[host, default: 0] / 10, host)
            must(budget.brokenInvariant == nil, budget.brokenInvariant ?? "")
        }
        #expect(spent.values.reduce(0, +) > 1_000)
    }
}
