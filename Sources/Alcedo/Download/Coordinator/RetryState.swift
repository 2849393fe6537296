/// The retry state of one download: the failed attempts so far and its own random numbers.
package struct RetryState: Sendable {
    /// The number of failed attempts.
    package private(set) var failures = 0

    private let policy: RetryPolicy
    private var random: SplitMix64

    /// - Parameters:
    ///   - resource: The resource to download, which distinguishes downloads with the same seed.
    ///   - generator: Generates the seed if the policy has none.
    package init(_ policy: RetryPolicy, resource: String, using generator: inout some RandomNumberGenerator) {
        self.policy = policy
        random = SplitMix64(seed: policy.seed.map { FastHash.hash(resource, seed: $0) } ?? generator.next())
    }

    /// Counts a failed attempt. Returns the delay before the next one, or nil when the failure is final.
    package mutating func delay(
        after failure: ImageLoaderError, headers: HTTPHeaders = [:], isIdempotent: Bool = true, host: String,
        budget: inout RetryBudget, now: Int64
    ) -> Duration? {
        failures += 1
        let delay = policy.delay(
            afterAttempt: failures, failure: failure, headers: headers, isIdempotent: isIdempotent, now: now,
            using: &random)
        // A failure that isn't retried anyway uses none of the budget.
        guard let delay, budget.take(from: host) else { return nil }
        return delay
    }
}
