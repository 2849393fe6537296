/// The count of starts under a ``StartRate``: a bucket that holds `burst` tokens and is refilled at its rate.
///
/// What is missing is kept as the time that it takes to refill. Whole attoseconds, unlike fractions of tokens, leave
/// no rest: at ``nextToken`` the token is there.
struct TokenBucket: Sendable {
    /// The time in which one token comes.
    private let interval: Duration
    private let timeToFillAll: Duration
    private var timeToFill = Duration.zero
    private var now = Duration.zero

    /// A full bucket.
    init(_ rate: StartRate) {
        let perSecond = rate.perSecond.isNaN ? .infinity : max(0.001, rate.perSecond)
        interval = .seconds(1 / perSecond)
        timeToFillAll = interval * min(max(1, rate.burst), 1_000_000)
    }

    var hasToken: Bool { timeToFill + interval <= timeToFillAll }

    /// When there is a token again, on the clock of ``advance(to:)``; the present when there is one.
    var nextToken: Duration { now + max(.zero, timeToFill + interval - timeToFillAll) }

    /// Refills for the time since the last call. A clock that was put back refills nothing, and counts from there.
    mutating func advance(to now: Duration) {
        timeToFill = max(.zero, timeToFill - max(.zero, now - self.now))
        self.now = now
    }

    /// Takes a token, if there is one.
    mutating func take() -> Bool {
        guard hasToken else { return false }
        timeToFill += interval
        return true
    }
}
