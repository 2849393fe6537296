/// Decides whether a store that may be out of order is called.
///
/// After several failures in a row it isn't called for a while. Then one call is made as a trial: if it succeeds, the
/// store is used again.
struct CircuitBreaker: Sendable {
    enum Outcome: Sendable {
        case success, failure
        /// The call was cancelled, which says nothing about the store.
        case unknown
    }

    /// The change that the end of a call has caused.
    enum Change: Sendable {
        case opened, closed
    }

    private enum State: Equatable {
        /// The store is used. The number of the latest calls that failed in a row.
        case closed(failures: Int)
        /// The store isn't called before this time.
        case open(until: Duration)
        /// A trial is running.
        case onTrial
    }

    /// The number of failures in a row after which the store isn't called.
    private let failureLimit: Int
    private let pause: Duration
    private var state = State.closed(failures: 0)
    /// The number of running calls that nothing waits for.
    private var abandoned = 0

    /// The number of abandoned calls at which no further one begins, because the store may never answer.
    static let mostAbandoned = 64

    init(failureLimit: Int, pause: Duration) {
        self.failureLimit = failureLimit
        self.pause = pause
    }

    /// Whether the store is used.
    var isClosed: Bool { if case .closed = state { true } else { false } }

    /// Begins a call whose wait is limited. Returns false if it must not be made.
    mutating func begin(at now: Duration) -> Bool {
        guard abandoned < Self.mostAbandoned else { return false }
        switch state {
        case .closed: return true
        case .onTrial: return false
        case .open(let end):
            guard now >= end else { return false }
            state = .onTrial
            return true
        }
    }

    /// Ends a call, which may have begun in any state.
    mutating func end(_ outcome: Outcome, at now: Duration) -> Change? {
        switch (outcome, state) {
        case (.success, .closed):
            state = .closed(failures: 0)
            return nil
        case (.success, _):
            state = .closed(failures: 0)
            return .closed
        case (.failure, .closed(let failures)):
            guard failures + 1 >= failureLimit else {
                state = .closed(failures: failures + 1)
                return nil
            }
            state = .open(until: now + pause)
            return .opened
        case (.failure, .onTrial): state = .open(until: now + pause)
        // The next call is the trial.
        case (.unknown, .onTrial): state = .open(until: now)
        case (.failure, .open), (.unknown, _): break
        }
        return nil
    }

    /// Counts a call that goes on although nothing waits for it.
    mutating func abandon() { abandoned += 1 }

    /// Counts the end of an abandoned call.
    mutating func endAbandoned() { abandoned -= 1 }
}
