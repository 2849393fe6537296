/// Which failed downloads are tried again, how often and after how long.
///
/// Only what may pass by itself is tried again: time-outs, connections that broke, bodies that ended early and the
/// statuses in ``statuses``. A download that was cancelled, an unknown host, a refused or insecure connection, a
/// malformed response and a limit that was reached end the load at once.
///
/// The delay before a retry is random, from nothing to a bound that doubles with each retry, so that clients that
/// failed together do not come back together.
public struct RetryPolicy: Sendable, Hashable {
    /// Attempts in all, the first one included; at least 1, which never retries. Default 3.
    public var attempts = 3
    /// The longest delay before the first retry; it doubles with each further retry. From 0 to a day. Default 500
    /// milliseconds.
    public var baseDelay: Duration = .milliseconds(500)
    /// The largest value of the longest delay. From 0 to a day. Default 8 seconds.
    public var delayLimit: Duration = .seconds(8)
    /// The statuses that are tried again. Default 408, 429, 500, 502, 503 and 504.
    public var statuses: Set<Int> = [408, 429, 500, 502, 503, 504]
    /// Whether a transfer that took too long is tried again. Default true.
    public var retriesTimeouts = true
    /// Whether a connection that broke, in the body or before it, is tried again. Default true.
    public var retriesLostConnections = true
    /// The longest time that a server may ask for by `Retry-After`. It is waited for, and the random delay on top. A
    /// server that asks for more ends the download at once, with its status. At least 0. Default 30 seconds.
    public var retryAfterLimit: Duration = .seconds(30)
    /// Retries that may be spent on one host in a row, so that a server that is down is not asked several times over.
    ///
    /// Each host starts with as many. A retry takes one, a download that succeeds gives back a tenth, never above this
    /// number; while less than one is left, failures on that host are not retried. 0 never retries. Default 10.
    public var hostBudget = 10
    /// Makes the delays of each URL the same in every run; nil, the default, is random.
    public var seed: UInt64?

    /// The defaults.
    public init() {}

    /// Never retries.
    public static let none: RetryPolicy = {
        var policy = RetryPolicy()
        policy.attempts = 1
        return policy
    }()

    func validate() throws(ImageLoaderError) {
        try ImageLoaderError.require("download.retry.attempts", attempts, least: 1)
        try ImageLoaderError.require("download.retry.baseDelay", baseDelay, least: .zero, most: .seconds(86_400))
        try ImageLoaderError.require("download.retry.delayLimit", delayLimit, least: .zero, most: .seconds(86_400))
        try ImageLoaderError.require("download.retry.retryAfterLimit", retryAfterLimit, least: .zero)
        try ImageLoaderError.require("download.retry.hostBudget", hostBudget, least: 0)
    }

    /// The time to wait before the next attempt, nil when there is to be none.
    ///
    /// - Parameters:
    ///   - attempt: the attempt that failed, counted from 1.
    ///   - headers: those of the response that `failure` is the status of.
    ///   - isIdempotent: whether the method may be repeated without harm (RFC 9110 section 9.2.2).
    ///   - now: seconds since 1970.
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
