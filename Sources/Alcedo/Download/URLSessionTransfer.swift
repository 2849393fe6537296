import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One load on its way through a session: where it is, how it ended, and whether its caller was resumed.
///
/// The first outcome counts, and nothing is delivered after it. The caller is resumed later, when the session's task
/// has completed: until then the server has an open connection.
final class SessionTransfer: Sendable {
    typealias Outcome = Result<Void, ImageLoaderError>

    /// What is asked for at present; a redirect replaces it.
    struct Hop {
        var request: DataRequest
        /// nil before it starts and after it completed.
        var task: URLSessionDataTask?
        var hasBegun = false
    }

    private struct State {
        var hop: Hop
        /// When the last byte came, as the machine's uptime in seconds.
        var lastByte: TimeInterval = 0
        var continuation: CheckedContinuation<Outcome, Never>?
        var outcome: Outcome?
    }

    let sink: ResponseSink
    private let idleTime: TimeInterval
    private let state: Mutex<State>

    init(_ request: DataRequest, into sink: ResponseSink) {
        self.sink = sink
        // A year without a byte is as good as for ever, and larger numbers overflow.
        idleTime = min(max(0.001, request.idleTimeout / .seconds(1)), 31_536_000)
        state = Mutex(State(hop: Hop(request: request.withCredentialsAsField())))
    }

    // MARK: The end

    /// Takes the caller. False if the load had ended before it began; the caller is resumed then.
    func begin(resuming continuation: CheckedContinuation<Outcome, Never>) -> Bool {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.continuation = continuation }
            return state.outcome
        }
        if let outcome { continuation.resume(returning: outcome) }
        return outcome == nil
    }

    /// Sets the outcome. False if there was one before.
    @discardableResult
    func end(_ outcome: Outcome) -> Bool {
        state.withLock { state in
            guard state.outcome == nil else { return false }
            state.outcome = outcome
            return true
        }
    }

    /// Resumes the caller, once: no task of this load is open any more.
    func close() {
        let (caller, outcome) = state.withLock { ($0.continuation.take(), $0.outcome ?? .failure(.cancelled)) }
        caller?.resume(returning: outcome)
    }

    var hasEnded: Bool { state.withLock { $0.outcome != nil } }

    // MARK: Deliveries

    /// Gives something to the sink unless the load has ended, and ends it with the sink's error. False when it has
    /// ended then.
    func deliver(_ give: (ResponseSink) throws(ImageLoaderError) -> Void) -> Bool {
        guard !hasEnded else { return false }
        var failure: ImageLoaderError?
        do throws(ImageLoaderError) {
            try give(sink)
        } catch {
            failure = error
        }
        return state.withLock { state in
            // What a slow sink takes is not the server's silence.
            state.lastByte = uptime()
            if let failure, state.outcome == nil { state.outcome = .failure(failure) }
            return state.outcome == nil
        }
    }

    // MARK: On the session's queue

    var hop: Hop { state.withLock { $0.hop } }

    func update(_ change: (inout sending Hop) -> Void) { state.withLock { change(&$0.hop) } }

    /// When the load has been silent for too long unless something comes, as the machine's uptime in seconds.
    var deadline: TimeInterval { state.withLock { $0.lastByte } + idleTime }

    /// The server's time begins anew: a request is sent, or a byte came that is not delivered.
    func restartIdleTime() { state.withLock { $0.lastByte = uptime() } }

    /// The task to cancel, once.
    func takeTask() -> URLSessionDataTask? { state.withLock { $0.hop.task.take() } }
}

/// Seconds on the clock that Dispatch's timers run on.
func uptime() -> TimeInterval { ProcessInfo.processInfo.systemUptime }
