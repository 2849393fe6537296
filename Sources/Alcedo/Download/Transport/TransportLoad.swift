import Synchronization

/// One load of a transport, shared by its caller and the thread or queue that performs it: the caller's continuation
/// and the outcome.
///
/// The first outcome counts, and no part of a response is delivered to the sink after it. The caller is resumed later,
/// once, when the connection is closed or free, because until then the server has an open connection.
final class TransportLoad: Sendable {
    typealias Outcome = Result<Void, ImageLoaderError>

    private struct State {
        var caller: UnsafeContinuation<Outcome, Never>?
        var outcome: Outcome?
    }

    let request: DataRequest
    let sink: ResponseSink
    private let state = Mutex(State())

    init(_ request: DataRequest, _ sink: ResponseSink) {
        self.request = request
        self.sink = sink
    }

    /// Sets the caller. Returns false if the load had already ended, in which case the caller is resumed.
    func begin(resuming caller: UnsafeContinuation<Outcome, Never>) -> Bool {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.caller = caller }
            return state.outcome
        }
        if let outcome { caller.resume(returning: outcome) }
        return outcome == nil
    }

    /// Whether the load has begun and its caller hasn't been resumed.
    var isOpen: Bool { state.withLock { $0.caller != nil } }

    var hasEnded: Bool { state.withLock { $0.outcome != nil } }

    /// Sets the outcome. Returns false if there already was one.
    @discardableResult
    func end(_ outcome: Outcome) -> Bool {
        state.withLock { state in
            guard state.outcome == nil else { return false }
            state.outcome = outcome
            return true
        }
    }

    /// Resumes the caller, once.
    func close() {
        let (caller, outcome) = state.withLock { ($0.caller.take(), $0.outcome ?? .failure(.cancelled)) }
        caller?.resume(returning: outcome)
    }
}
