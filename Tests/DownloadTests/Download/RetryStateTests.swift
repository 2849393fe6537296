import Alcedo
import AlcedoTestSupport
import Testing

@testable import TestFixtures

@Suite struct RetryStateTests {
    private func delays(_ policy: RetryPolicy, resource: String, systemSeed: UInt64) -> [Duration] {
        var system = SeededRandom(seed: systemSeed)
        var state = RetryState(policy, resource: resource, using: &system)
        var budget = RetryBudget(retries: policy.hostBudget)
        var delays: [Duration] = []
        while let delay = state.delay(after: .badStatus(503), host: "a", budget: &budget, now: 0) {
            delays.append(delay)
        }
        return delays
    }

    @Test func attempts_areCounted() {
        #expect(delays(RetryPolicy(), resource: "x", systemSeed: 1).count == 2)
        #expect(delays(.none, resource: "x", systemSeed: 1).isEmpty)
    }

    @Test func seed_repeatsTheDelaysOfAResource() {
        var policy = RetryPolicy()
        policy.seed = 42
        let delays = delays(policy, resource: "x", systemSeed: 1)
        #expect(delays == self.delays(policy, resource: "x", systemSeed: 2))
        #expect(delays != self.delays(policy, resource: "y", systemSeed: 1))
        #expect(delays.first != delays.last)
    }

    @Test func delays_comeFromTheSystemGenerator_withoutASeed() {
        let policy = RetryPolicy()
        #expect(delays(policy, resource: "x", systemSeed: 1) == delays(policy, resource: "x", systemSeed: 1))
        #expect(delays(policy, resource: "x", systemSeed: 1) != delays(policy, resource: "x", systemSeed: 2))
    }

    @Test func hostBudget_endsTheRetries() {
        var policy = RetryPolicy()
        policy.attempts = 100
        #expect(delays(policy, resource: "x", systemSeed: 1).count == 10)
        policy.hostBudget = 0
        #expect(delays(policy, resource: "x", systemSeed: 1).isEmpty)
    }

    @Test func permanentFailure_takesNothingFromTheBudget() {
        var system = SeededRandom(seed: 1)
        var state = RetryState(RetryPolicy(), resource: "x", using: &system)
        var budget = RetryBudget(retries: 10)
        check(state.delay(after: .badStatus(404), host: "a", budget: &budget, now: 0), nil)
        check(state.delay(after: .timedOut(.idle), isIdempotent: false, host: "a", budget: &budget, now: 0), nil)
        #expect(budget.retriesLeft(for: "a") == 10)
        #expect(state.failures == 2)
    }

    @Test func generator_isSplitMix64() {
        // The first numbers for seed 1234567, as printed by the authors' program.
        var random = SplitMix64(seed: 1_234_567)
        check(random.next(), 6_457_827_717_110_365_317)
        check(random.next(), 3_203_168_211_198_807_973)
    }
}
