import Testing

@testable import Alcedo

/// When a store that fails is called.
@Suite struct CircuitBreakerTests {
    private let breaker = Breaker()

    private struct Call: Equatable {
        let change: CircuitBreaker.Change?
        let isClosed: Bool

        init(_ change: CircuitBreaker.Change?, isClosed: Bool) { (self.change, self.isClosed) = (change, isClosed) }
    }

    /// Begins a call and ends it. Returns nil if it wasn't permitted.
    private func call(_ outcome: CircuitBreaker.Outcome, at second: Int) -> Call? {
        guard breaker.begin(at: .seconds(second)) else { return nil }
        let change = breaker.end(outcome, at: .seconds(second))
        return Call(change, isClosed: breaker.isClosed)
    }

    private func open() {
        for _ in 0..<3 { _ = call(.failure, at: 0) }
    }

    @Test func failuresInARow_openIt() {
        #expect(call(.failure, at: 0) == Call(nil, isClosed: true))
        #expect(call(.failure, at: 0) == Call(nil, isClosed: true))
        // These don't count as failures, and only a success interrupts them.
        #expect(call(.unknown, at: 0) == Call(nil, isClosed: true))
        #expect(call(.success, at: 0) == Call(nil, isClosed: true))
        #expect(call(.failure, at: 0) == Call(nil, isClosed: true))
        #expect(call(.unknown, at: 0) == Call(nil, isClosed: true))
        #expect(call(.failure, at: 0) == Call(nil, isClosed: true))
        #expect(call(.failure, at: 0) == Call(.opened, isClosed: false))
        #expect(call(.success, at: 4) == nil)
    }

    @Test func oneTrial_isMadeAfterThePause() {
        open()
        #expect(!breaker.begin(at: .milliseconds(4_999)))
        #expect(breaker.begin(at: .seconds(5)))
        #expect(!breaker.begin(at: .seconds(6)) && !breaker.isClosed)
        #expect(breaker.end(.success, at: .seconds(6)) == .closed)
        #expect(breaker.begin(at: .seconds(6)) && breaker.isClosed)
        // Failures are counted anew.
        #expect(breaker.end(.failure, at: .seconds(6)) == nil)
        #expect(breaker.isClosed)
    }

    @Test func failedTrial_beginsAnotherPause() {
        open()
        #expect(call(.failure, at: 7) == Call(nil, isClosed: false))
        #expect(call(.success, at: 11) == nil)
        #expect(call(.success, at: 12) == Call(.closed, isClosed: true))
    }

    @Test func cancelledTrial_isFollowedByAnother() {
        open()
        #expect(call(.unknown, at: 5) == Call(nil, isClosed: false))
        #expect(call(.success, at: 5) == Call(.closed, isClosed: true))
    }

    @Test func callsThatBeganEarlier_count() {
        for _ in 0..<5 { #expect(breaker.begin(at: .zero)) }
        let changes = (0..<4).map { _ in breaker.end(.failure, at: .seconds(1)) }
        #expect(changes == [nil, nil, .opened, nil])
        // The fourth failure didn't prolong the pause, and the fifth call has found the store in order.
        #expect(breaker.end(.unknown, at: .seconds(1)) == nil && !breaker.isClosed)
        #expect(breaker.begin(at: .seconds(6)))
        #expect(breaker.end(.success, at: .seconds(6)) == .closed)
    }

    @Test func abandonedCalls_areLimited() {
        for _ in 0..<CircuitBreaker.mostAbandoned { breaker.abandon() }
        #expect(!breaker.begin(at: .zero) && breaker.isClosed)
        breaker.endAbandoned()
        #expect(breaker.begin(at: .zero))
    }
}

/// A circuit breaker that an expectation can change.
private final class Breaker {
    private var breaker = CircuitBreaker(failureLimit: 3, pause: .seconds(5))

    var isClosed: Bool { breaker.isClosed }

    func begin(at now: Duration) -> Bool { breaker.begin(at: now) }
    func end(_ outcome: CircuitBreaker.Outcome, at now: Duration) -> CircuitBreaker.Change? {
        breaker.end(outcome, at: now)
    }
    func abandon() { breaker.abandon() }
    func endAbandoned() { breaker.endAbandoned() }
}
