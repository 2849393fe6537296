/// What one download knows of its retries: the attempts so far and its own random numbers.
package struct RetryState: Sendable {
    /// Attempts that failed.
    package private(set) var failures = 0

    private let policy: RetryPolicy
    private var random: SplitMix64

    /// - Parameters:
    ///   - resource: what is downloaded; two downloads with one seed differ by it.
    ///   - generator: where the seed comes from when the policy has none.
    package init(_ policy: RetryPolicy, resource: String, using generator: inout some RandomNumberGenerator) {
        self.policy = policy
        random = SplitMix64(seed: policy.seed.map { FastHash.hash(resource, seed: $0) } ?? generator.next())
    }

    /// Counts a failed attempt: the time to wait before the next one, nil when the failure stands.
    ///
    /// - Parameters:
    ///   - headers: those of the response, when the failure is its status.
    ///   - budget: of the host; a retry takes from it.
    ///   - now: seconds since 1970.
    package mutating func delay(
        after failure: ImageLoaderError, headers: HTTPHeaders = [:], isIdempotent: Bool = true, host: String,
        budget: inout RetryBudget, now: Int64
    ) -> Duration? {
        failures += 1
        let delay = policy.delay(
            afterAttempt: failures, failure: failure, headers: headers, isIdempotent: isIdempotent, now: now,
            using: &random)
        // Nothing is taken for a failure that would not be retried anyway.
        guard let delay, budget.take(from: host) else { return nil }
        return delay
    }
}
