/// The rules for retrying failed downloads: which ones, how often and after what delay.
///
/// Only transient failures are retried: timeouts, lost connections, truncated bodies and the statuses in ``statuses``.
/// A cancelled download, an unknown host, a refused or insecure connection, a malformed response and an exceeded limit
/// end the load immediately.
///
/// The delay before a retry is random, from zero to a bound that doubles with each retry, so that clients that failed
/// at the same time don't retry at the same time.
public struct RetryPolicy: Sendable, Hashable {
    /// The maximum number of attempts, including the first. At least 1, which never retries. Default 3.
    public var attempts = 3
    /// The maximum delay before the first retry; it doubles with each further one.
    ///
    /// From zero to one day. Default 500 milliseconds.
    public var baseDelay: Duration = .milliseconds(500)
    /// The upper bound of the maximum delay. From zero to one day. Default 8 seconds.
    public var delayLimit: Duration = .seconds(8)
    /// The statuses that are retried. Default 408, 429, 500, 502, 503 and 504.
    public var statuses: Set<Int> = [408, 429, 500, 502, 503, 504]
    /// Whether a transfer that timed out is retried. Default true.
    public var retriesTimeouts = true
    /// Whether a lost connection, in the body or before it, is retried. Default true.
    public var retriesLostConnections = true
    /// The longest delay that a server may request with `Retry-After`.
    ///
    /// The requested delay is added to the random one. If a server requests more than this limit, the download ends
    /// immediately with the response's status. At least zero. Default 30 seconds.
    public var retryAfterLimit: Duration = .seconds(30)
    /// The number of retries that may be used in a row on one host, so that a server that is down isn't asked several
    /// times for each download.
    ///
    /// Each host starts with this many. A retry uses one, and a successful download returns a tenth, never exceeding
    /// this number. While less than one is left, failures on that host aren't retried. 0 never retries. Default 10.
    public var hostBudget = 10
    /// A seed that makes the delays of each URL the same in every run. With nil, the default, delays are random.
    public var seed: UInt64?

    /// Creates a policy with the default values.
    public init() {}

    /// A policy that never retries.
    public static let none: RetryPolicy = {
        var policy = RetryPolicy()
        policy.attempts = 1
        return policy
    }()

    func validate(as name: String) throws(ImageLoaderError) {
        try ImageLoaderError.require("\(name).attempts", attempts, least: 1)
        try ImageLoaderError.require("\(name).baseDelay", baseDelay, least: .zero, most: .seconds(86_400))
        try ImageLoaderError.require("\(name).delayLimit", delayLimit, least: .zero, most: .seconds(86_400))
        try ImageLoaderError.require("\(name).retryAfterLimit", retryAfterLimit, least: .zero)
        try ImageLoaderError.require("\(name).hostBudget", hostBudget, least: 0)
    }

    /// Returns the delay before the next attempt, or nil if there should be none.
    ///
    /// - Parameters:
    ///   - attempt: The attempt that failed, counted from 1.
    ///   - headers: The header fields of the response if `failure` is its status.
    ///   - isIdempotent: Whether the method may be repeated without harm (RFC 9110 section 9.2.2).
    ///   - now: The current time in seconds since 1970.
    package func delay(
        afterAttempt attempt: Int, failure: ImageLoaderError, headers: HTTPHeaders, isIdempotent: Bool, now: Int64,
        using generator: inout some RandomNumberGenerator
    ) -> Duration? {
        guard isIdempotent, attempt < attempts, mayPass(failure) else { return nil }
        var requested = Duration.zero
        if case .badStatus = failure, let field = headers["Retry-After"], let answer = RetryAfter(field, now: now) {
            guard answer.delay <= retryAfterLimit else { return nil }
            requested = answer.delay
        }
        let bound = longestDelay(afterAttempt: attempt) / .nanoseconds(1)
        return requested + .nanoseconds(generator.next(upperBound: UInt64(bound) + 1))
    }

    private func mayPass(_ failure: ImageLoaderError) -> Bool {
        switch failure {
        case .timedOut: retriesTimeouts
        case .connectionFailed(.lost, _), .truncated: retriesLostConnections
        case .badStatus(let status): statuses.contains(status)
        default: false
        }
    }

    /// Doubles step by step and stops at the limit, so that no power overflows.
    private func longestDelay(afterAttempt attempt: Int) -> Duration {
        var delay = min(baseDelay, delayLimit)
        var attempt = attempt
        while attempt > 1, delay > .zero, delay < delayLimit {
            delay = min(delay * 2, delayLimit)
            attempt -= 1
        }
        return delay
    }
}
