import Foundation

/// Requests by several Tasks, each of which makes its next request when it has the previous result.
struct RequestsInTurn: Sendable {
    let urls: [URL]
    let callers: Int
    /// The interval at which latencies are measured: 16 means one request in 16.
    var sampled = 1

    /// Makes the requests, and returns the latencies in nanoseconds.
    @concurrent
    func run(_ load: @escaping @Sendable (URL) async throws -> Void) async throws -> [Double] {
        let turn = Turn()
        return try await withThrowingTaskGroup(of: [Double].self) { group in
            for _ in 0..<callers { group.addTask { try await requestInTurn(turn, load) } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    private func requestInTurn(
        _ turn: Turn, _ load: @escaping @Sendable (URL) async throws -> Void
    ) async throws -> [Double] {
        var latencies: [Double] = []
        latencies.reserveCapacity(2 * urls.count / (callers * sampled))
        while true {
            let number = turn.next()
            guard number < urls.count else { return latencies }
            guard number.isMultiple(of: sampled) else {
                try await load(urls[number])
                continue
            }
            let start = ContinuousClock.now
            try await load(urls[number])
            latencies.append((ContinuousClock.now - start) / .nanoseconds(1))
        }
    }
}
