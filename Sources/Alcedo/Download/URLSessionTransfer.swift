import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One load in a session: its current hop, its outcome, and whether its caller was resumed.
///
/// The first outcome counts, and nothing is delivered after it. The caller is resumed later, when the session's task
/// has completed, because until then the server has an open connection.
final class SessionTransfer: Sendable {
    typealias Outcome = Result<Void, ImageLoaderError>

    /// The current request; a redirect replaces it.
    struct Hop {
        var request: DataRequest
        /// Nil before the task starts and after it completed.
        var task: URLSessionDataTask?
        var hasBegun = false
    }

    private struct State {
        var hop: Hop
        /// When the last byte arrived, in terms of the machine's uptime in seconds.
        var lastByte: TimeInterval = 0
        var continuation: CheckedContinuation<Outcome, Never>?
        var outcome: Outcome?
    }

    let sink: ResponseSink
    private let idleTime: TimeInterval
    private let state: Mutex<State>

    init(_ request: DataRequest, into sink: ResponseSink) {
        self.sink = sink
        // A year without a byte is as good as forever, and larger numbers overflow.
        idleTime = min(max(0.001, request.idleTimeout / .seconds(1)), 31_536_000)
        state = Mutex(State(hop: Hop(request: request.withCredentialsAsField())))
    }

    // MARK: The end

    /// Sets the caller. Returns false if the load had already ended, in which case the caller is resumed.
    func begin(resuming continuation: CheckedContinuation<Outcome, Never>) -> Bool {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.continuation = continuation }
            return state.outcome
        }
        if let outcome { continuation.resume(returning: outcome) }
        return outcome == nil
    }

    /// Sets the outcome. Returns false if there already was one.
    @discardableResult
    func end(_ outcome: Outcome) -> Bool {
        state.withLock { state in
            guard state.outcome == nil else { return false }
            state.outcome = outcome
            return true
        }
    }

    /// Resumes the caller, once, because no task of this load is open any more.
    func close() {
        let (caller, outcome) = state.withLock { ($0.continuation.take(), $0.outcome ?? .failure(.cancelled)) }
        caller?.resume(returning: outcome)
    }

    var hasEnded: Bool { state.withLock { $0.outcome != nil } }

    // MARK: Deliveries

    /// Delivers something to the sink unless the load has ended, and ends the load with the sink's error. Returns false
    /// when the load has ended.
    func deliver(_ give: (ResponseSink) throws(ImageLoaderError) -> Void) -> Bool {
        guard !hasEnded else { return false }
        var failure: ImageLoaderError?
        do throws(ImageLoaderError) {
            try give(sink)
        } catch {
            failure = error
        }
        return state.withLock { state in
            // The time that a slow sink takes doesn't count as the server's silence.
            state.lastByte = uptime()
            if let failure, state.outcome == nil { state.outcome = .failure(failure) }
            return state.outcome == nil
        }
    }

    // MARK: On the session's queue

    var hop: Hop { state.withLock { $0.hop } }

    func update(_ change: (inout sending Hop) -> Void) { state.withLock { change(&$0.hop) } }

    /// When the load times out unless something arrives, in terms of the machine's uptime in seconds.
    var deadline: TimeInterval { state.withLock { $0.lastByte } + idleTime }

    /// Restarts the idle time: a request is being sent, or a byte that isn't delivered has arrived.
    func restartIdleTime() { state.withLock { $0.lastByte = uptime() } }

    /// Returns the task to cancel, once.
    func takeTask() -> URLSessionDataTask? { state.withLock { $0.hop.task.take() } }
}

/// The time in seconds on the clock of Dispatch's timers.
func uptime() -> TimeInterval { ProcessInfo.processInfo.systemUptime }
