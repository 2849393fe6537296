import Alcedo
import Testing

@testable import TestFixtures

/// The waits of a download for a network.
@Suite struct NetworkWaitTests {
    @Test func waits_count_towardTheLimit() {
        var wait = NetworkWait(atMost: .seconds(10))
        wait.end(after: .seconds(4), isConnected: true)
        #expect(wait.rest == .seconds(6) && wait.mayWait)
        wait.end(after: .seconds(6), isConnected: false)
        #expect(!wait.mayWait)
        #expect(!NetworkWait(atMost: .zero).mayWait)
    }

    @Test func failure_withANetworkFromTheStart_isFinal() {
        var wait = NetworkWait(atMost: .seconds(10))
        #expect(wait.delayWhileSettling() == nil)
        wait.end(after: .seconds(1), isConnected: false)
        #expect(wait.delayWhileSettling() == nil)
    }

    @Test func failures_afterTheNetworkIsBack_areTriedAgain() {
        var wait = NetworkWait(atMost: .seconds(100))
        wait.end(after: .seconds(10), isConnected: true)
        #expect((0..<4).map { _ in wait.delayWhileSettling() } == [.seconds(1), .seconds(2), .seconds(4), nil])
        #expect(wait.rest == .seconds(83))
        // When it was missing once more, they are tried again once more.
        wait.end(after: .seconds(3), isConnected: true)
        #expect(wait.delayWhileSettling() == .seconds(1))
    }

    @Test func delays_endWithTheLimit() {
        var wait = NetworkWait(atMost: .seconds(10))
        wait.end(after: .milliseconds(8_500), isConnected: true)
        #expect(wait.delayWhileSettling() == .seconds(1))
        #expect(wait.delayWhileSettling() == .milliseconds(500))
        #expect(!wait.mayWait)
        #expect(wait.delayWhileSettling() == nil)
    }

    @Test func failures_thatMayMeanThatThereIsNoNetwork() {
        let detail: TransportDetail = "a"
        let table: [(ImageLoaderError, safe: Bool, unsafe: Bool)] = [
            (.connectionFailed(.hostNotFound, detail: detail), true, true),
            (.connectionFailed(.refused, detail: detail), true, true),
            (.connectionFailed(.lost, detail: detail), true, false),
            (.connectionFailed(.other, detail: detail), true, false),
            (.connectionFailed(.insecure, detail: detail), false, false),
            (.timedOut(.idle), true, false), (.timedOut(.tooSlow), true, false),
            (.truncated(received: 1, expected: 2), true, false),
            (.cancelled, false, false), (.badStatus(503), false, false), (.notCached, false, false),
            (.malformedResponse("a"), false, false),
        ]
        for (error, safe, unsafe) in table {
            #expect(error.mayBeOffline(isIdempotent: true) == safe, "\(error)")
            #expect(error.mayBeOffline(isIdempotent: false) == unsafe, "\(error)")
        }
    }
}
