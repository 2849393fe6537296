import Alcedo
import Synchronization

/// Collects the results of completion handlers until all have been called.
final class HandlerEnd: Sendable {
    private struct State {
        var missing: Int
        var latencies: [Double] = []
        var failure: BenchError?
        var continuation: CheckedContinuation<[Double], any Error>?
    }

    private let expectsCancellation: Bool
    private let state: Mutex<State>

    init(expected: Int, expectsCancellation: Bool = false) {
        self.expectsCancellation = expectsCancellation
        state = Mutex(State(missing: expected))
    }

    /// Calls `begin`, waits until the last handler has been called, and returns the latencies in nanoseconds.
    func latencies(_ begin: () -> Void) async throws -> [Double] {
        try await withCheckedThrowingContinuation { continuation in
            state.withLock { $0.continuation = continuation }
            begin()
        }
    }

    /// Records that a handler was called.
    ///
    /// - Parameter start: The start of the request; nil if its latency isn't measured.
    func note(_ result: Result<ClassicImage, any Error>, since start: ContinuousClock.Instant?) {
        let latency = start.map { (ContinuousClock.now - $0) / .nanoseconds(1) }
        let problem = problem(of: result)
        let ended = state.withLock { state -> State? in
            if let latency { state.latencies.append(latency) }
            if let problem { state.failure = problem }
            state.missing -= 1
            return state.missing == 0 ? state : nil
        }
        guard let ended else { return }
        if let failure = ended.failure {
            ended.continuation?.resume(throwing: failure)
        } else {
            ended.continuation?.resume(returning: ended.latencies)
        }
    }

    private func problem(of result: Result<ClassicImage, any Error>) -> BenchError? {
        switch result {
        case .success(let image):
            if expectsCancellation { return BenchError("a request wasn't cancelled") }
            return image.image.size.width == 1 ? nil : BenchError("another picture than the decoder's")
        case .failure(let error):
            return expectsCancellation && error is ClassicCancellation ? nil : BenchError("\(error)")
        }
    }
}
