/// Counts starts under a ``StartRate``: a bucket that holds `burst` tokens and is refilled at the given rate.
///
/// The deficit is stored as the time it takes to refill. Unlike fractions of tokens, whole attoseconds need no
/// rounding: at ``nextToken``, a token is available.
struct TokenBucket: Sendable {
    /// The time it takes to add one token.
    private let interval: Duration
    private let timeToFillAll: Duration
    private var timeToFill = Duration.zero
    private var now = Duration.zero

    /// Creates a full bucket.
    init(_ rate: StartRate) {
        let perSecond = rate.perSecond.isNaN ? .infinity : max(0.001, rate.perSecond)
        interval = .seconds(1 / perSecond)
        timeToFillAll = interval * min(max(1, rate.burst), 1_000_000)
    }

    var hasToken: Bool { timeToFill + interval <= timeToFillAll }

    /// When a token is next available, in the time of ``advance(to:)``; the current time if one is available now.
    var nextToken: Duration { now + max(.zero, timeToFill + interval - timeToFillAll) }

    /// Refills for the time since the last call. If the clock was set back, refills nothing, and counts from the new
    /// time.
    mutating func advance(to now: Duration) {
        timeToFill = max(.zero, timeToFill - max(.zero, now - self.now))
        self.now = now
    }

    /// Takes a token if one is available. Returns whether it did.
    mutating func take() -> Bool {
        guard hasToken else { return false }
        timeToFill += interval
        return true
    }
}
