import Alcedo
import AlcedoTestSupport
import Testing

@testable import TestFixtures

@Suite struct RetryPolicyTests {
    /// Always returns the same number: the largest gives the longest delay, and 1 the shortest. With 0, the search for
    /// an unbiased number would not end.
    private struct Extreme: RandomNumberGenerator {
        var value: UInt64
        mutating func next() -> UInt64 { value }
    }

    private func delay(
        _ policy: RetryPolicy = .init(), after attempt: Int = 1, _ failure: ImageLoaderError = .badStatus(503),
        headers: HTTPHeaders = [:], isIdempotent: Bool = true, now: Int64 = 0, random: UInt64 = .max
    ) -> Duration? {
        var generator = Extreme(value: random)
        return policy.delay(
            afterAttempt: attempt, failure: failure, headers: headers, isIdempotent: isIdempotent, now: now,
            using: &generator)
    }

    @Test(
        arguments: [
            .timedOut(.idle), .timedOut(.total), .connectionFailed(.lost, detail: ""),
            .truncated(received: 1, expected: 2), .truncated(received: 0, expected: nil),
            .badStatus(408), .badStatus(429), .badStatus(500), .badStatus(502), .badStatus(503), .badStatus(504),
        ] as [ImageLoaderError])
    func transientFailure_isRetried(failure: ImageLoaderError) {
        #expect(delay(failure) != nil)
        #expect(delay(failure, isIdempotent: false) == nil)
        #expect(delay(.none, failure) == nil)
    }

    private func delay(_ failure: ImageLoaderError, isIdempotent: Bool = true) -> Duration? {
        delay(.init(), failure, isIdempotent: isIdempotent)
    }

    private func delay(_ policy: RetryPolicy, _ failure: ImageLoaderError) -> Duration? {
        delay(policy, after: 1, failure)
    }

    @Test(
        arguments: [
            .cancelled, .invalidURL("", reason: ""), .unsupportedScheme("ftp"), .fileUnreadable(path: "", reason: ""),
            .connectionFailed(.hostNotFound, detail: ""), .connectionFailed(.refused, detail: ""),
            .connectionFailed(.insecure, detail: ""), .connectionFailed(.other, detail: ""),
            .redirectRefused(location: "", reason: ""), .malformedResponse(""), .emptyBody, .notAnImage(found: ""),
            .unsupportedImage(.png, reason: ""), .corruptImage(.png, reason: ""), .encodingFailed(.png, reason: ""),
            .limitExceeded(.inputBytes, value: 2, allowed: 1), .badStatus(400), .badStatus(401), .badStatus(403),
            .badStatus(404), .badStatus(410), .badStatus(501), .badStatus(505), .badStatus(304),
        ] as [ImageLoaderError])
    func permanentFailure_isNotRetried(failure: ImageLoaderError) {
        #expect(delay(failure) == nil)
    }

    @Test func failureClass_canBeExcluded() {
        var policy = RetryPolicy()
        policy.retriesTimeouts = false
        #expect(delay(policy, .timedOut(.idle)) == nil)
        #expect(delay(policy, .truncated(received: 1, expected: 2)) != nil)
        policy = RetryPolicy()
        policy.retriesLostConnections = false
        #expect(delay(policy, .connectionFailed(.lost, detail: "")) == nil)
        #expect(delay(policy, .truncated(received: 1, expected: 2)) == nil)
        #expect(delay(policy, .timedOut(.total)) != nil)
        policy = RetryPolicy()
        policy.statuses = [418]
        #expect(delay(policy, .badStatus(503)) == nil)
        #expect(delay(policy, .badStatus(418)) != nil)
    }

    @Test(arguments: [(Int.min, false), (0, false), (1, false), (2, true), (3, true), (.max, true)])
    func attempts_includeTheFirstOne(attempts: Int, isRetried: Bool) {
        var policy = RetryPolicy()
        policy.attempts = attempts
        #expect((delay(policy, after: 1) != nil) == isRetried)
        if attempts > 1, attempts < .max {
            #expect(delay(policy, after: attempts - 1) != nil)
            #expect(delay(policy, after: attempts) == nil)
        }
    }

    @Test func delayBound_doublesUpToTheLimit() {
        var policy = RetryPolicy()
        policy.attempts = .max
        let bounds = [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]
        for (attempt, bound) in zip(1..., bounds) {
            #expect(delay(policy, after: attempt) == .milliseconds(bound))
            #expect(delay(policy, after: attempt, random: 1) == .zero)
        }
        #expect(delay(policy, after: .max - 1) == .seconds(8))
        #expect(delay(policy, after: 0) == .milliseconds(500))
        #expect(delay(policy, after: .min) == .milliseconds(500))
    }

    @Test func delay_isUniformlyDistributed() {
        var random = SplitMix64(seed: 7)
        var buckets = [Int](repeating: 0, count: 10)
        for _ in 0..<10_000 {
            let delay = RetryPolicy().delay(
                afterAttempt: 2, failure: .badStatus(503), headers: [:], isIdempotent: true, now: 0, using: &random)
            let share = (delay ?? .seconds(9)) / .seconds(1)
            must((0...1).contains(share))
            buckets[min(9, Int(share * 10))] += 1
        }
        #expect(buckets.allSatisfy { (850...1150).contains($0) }, "\(buckets)")
    }

    @Test(arguments: [
        (Duration.seconds(86_400), Duration.seconds(86_400), 86_400), (.seconds(1), .seconds(86_400), 86_400),
        (.seconds(86_400), .seconds(3), 3), (.seconds(1), .zero, 0), (.zero, .seconds(8), 0),
    ])
    func delay_neverExceedsItsLimit(base: Duration, limit: Duration, expected: Int) {
        var policy = RetryPolicy()
        policy.attempts = .max
        policy.baseDelay = base
        policy.delayLimit = limit
        #expect(delay(policy, after: 1_000_000) == .seconds(expected))
    }

    @Test func retryAfter_isTheMinimumDelay_plusJitter() {
        #expect(delay(headers: ["Retry-After": "7"], random: 1) == .seconds(7))
        #expect(delay(headers: ["retry-after": "7"]) == .milliseconds(7_500))
        #expect(delay(headers: ["Retry-After": "30"], random: 1) == .seconds(30))
        let date: HTTPHeaders = ["Retry-After": "Thu, 01 Jan 1970 00:01:05 GMT"]
        #expect(delay(headers: date, now: 60, random: 1) == .seconds(5))
        #expect(delay(headers: date, now: 600, random: 1) == .zero)
        #expect(delay(headers: ["Retry-After": "soon"], random: 1) == .zero)
    }

    @Test func retryAfterAboveTheLimit_preventsTheRetry() {
        #expect(delay(headers: ["Retry-After": "31"]) == nil)
        #expect(delay(headers: ["Retry-After": "99999999999999999999"]) == nil)
        #expect(delay(headers: ["Retry-After": "Thu, 01 Jan 1970 00:01:05 GMT"], now: 0) == nil)
        var policy = RetryPolicy()
        policy.retryAfterLimit = .seconds(Int64.max)
        #expect(delay(policy, headers: ["Retry-After": "99999999999"], random: 1) == .seconds(1 << 31))
        policy.retryAfterLimit = .zero
        #expect(delay(policy, headers: ["Retry-After": "1"]) == nil)
        #expect(delay(policy, headers: ["Retry-After": "0"]) != nil)
    }

    @Test func retryAfterOfAnAcceptedResponse_isIgnored() {
        let headers: HTTPHeaders = ["Retry-After": "3600"]
        #expect(delay(.init(), .truncated(received: 1, expected: 2), headers: headers) == .milliseconds(500))
    }

    private func delay(_ policy: RetryPolicy, _ failure: ImageLoaderError, headers: HTTPHeaders) -> Duration? {
        delay(policy, after: 1, failure, headers: headers)
    }
}
