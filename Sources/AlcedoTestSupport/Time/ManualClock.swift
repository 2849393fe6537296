/// A clock that moves only when a test moves it.
///
/// A test waits until the code under test sleeps, and then lets time pass:
///
/// ```swift
/// let clock = ManualClock()
/// async let done: Void = clock.sleep(for: .seconds(5))
/// let deadline = try await clock.nextSleeper()
/// clock.advance(to: deadline)
/// try await done
/// ```
///
/// Safe to use from any isolation.
public final class ManualClock: Clock {
    /// A point in a manual clock's time, as the time since the clock's start.
    public struct Instant: InstantProtocol, CustomStringConvertible {
        /// The time since the clock's start.
        public let offset: Duration

        public init(offset: Duration = .zero) {
            self.offset = offset
        }

        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// The time from this instant to `other`; positive if `other` is later.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }

        public var description: String { "start + \(offset)" }
    }

    private struct Sleeper {
        let id: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
        /// Whether ``ManualClock/nextSleeper()`` has returned this sleeper.
        var isReported = false
    }

    private struct State {
        var now = Instant()
        var nextID = 0
        /// The sleepers, in the order in which they began to sleep.
        var sleepers: [Sleeper] = []
    }

    private let state = Handshake(State())

    /// Creates a clock at its start.
    public init() {}

    public var now: Instant { state.snapshot.now }

    public var minimumResolution: Duration { .nanoseconds(1) }

    /// The number of current sleepers.
    public var sleeperCount: Int { state.snapshot.sleepers.count }

    // MARK: Sleeping

    /// Returns once the clock has been advanced to `deadline`, or immediately if the deadline isn't in the future.
    ///
    /// Throws `CancellationError` as soon as the calling Task is cancelled. The tolerance is ignored.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.update { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                fallAsleep(Sleeper(id: id, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            wake(id)
        }
    }

    private func fallAsleep(_ sleeper: Sleeper) {
        let outcome: Result<Void, any Error>? = state.update { state in
            if Task.isCancelled { return .failure(CancellationError()) }
            if sleeper.deadline <= state.now { return .success(()) }
            state.sleepers.append(sleeper)
            return nil
        }
        if let outcome { sleeper.continuation.resume(with: outcome) }
    }

    private func wake(_ id: Int) {
        let sleeper = state.update { state -> Sleeper? in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else { return nil }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }

    // MARK: Moving the time

    /// Advances the clock by `duration`, which must not be negative.
    ///
    /// Sleepers whose deadline has come are resumed in the order of their deadlines, or, if these are equal, in the
    /// order in which they began to sleep. All of them find the clock at its new time.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "A clock does not go back.")
        move { $0.advanced(by: duration) }
    }

    /// Advances the clock to `instant`, as ``advance(by:)`` does. Does nothing if `instant` isn't in the future.
    public func advance(to instant: Instant) {
        move { max($0, instant) }
    }

    private func move(_ next: (Instant) -> Instant) {
        let due = state.update { state in
            let now = next(state.now)
            state.now = now
            let due = state.sleepers.filter { $0.deadline <= now }
            state.sleepers.removeAll { $0.deadline <= now }
            return due
        }
        // The standard library's sort is stable.
        for sleeper in due.sorted(by: { $0.deadline < $1.deadline }) { sleeper.continuation.resume() }
    }

    // MARK: Handshakes

    /// Waits for the next sleeper and returns its deadline.
    ///
    /// Each sleeper is returned once, the earliest first, even if it began to sleep before this call; sleepers that
    /// have woken up are skipped. Throws `CancellationError` if the calling Task is cancelled.
    public func nextSleeper() async throws -> Instant {
        try await state.wait { state in
            guard let index = state.sleepers.firstIndex(where: { !$0.isReported }) else { return nil }
            state.sleepers[index].isReported = true
            return state.sleepers[index].deadline
        }
    }

    /// Waits until there is a sleeper with exactly this `deadline`. Throws `CancellationError` if the calling Task is
    /// cancelled.
    public func sleeper(until deadline: Instant) async throws {
        try await state.wait { $0.sleepers.contains { $0.deadline == deadline } ? () : nil }
    }

    /// Waits until at least `count` sleepers sleep at the same time. Throws `CancellationError` if the calling Task is
    /// cancelled.
    public func sleepers(atLeast count: Int) async throws {
        try await state.wait { $0.sleepers.count >= count ? () : nil }
    }
}
