import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One load on its way through a session: where it is, and its one end.
///
/// A caller that is cancelled is resumed by the thread that cancels, not behind what the session has in line. Should
/// that happen while something is delivered, the delivering thread resumes it as soon as it is done.
final class SessionTransfer: Sendable {
    typealias Outcome = Result<Void, ImageLoaderError>

    /// What is asked for at present; a redirect replaces it.
    struct Hop {
        var request: DataRequest
        /// Redirects before it.
        var number = 0
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
        var isDelivering = false

        /// The caller to resume now that the end is known, once.
        mutating func takeCaller() -> CheckedContinuation<Outcome, Never>? {
            isDelivering || outcome == nil ? nil : continuation.take()
        }
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

    /// Takes the caller; false when the load ended before, and the caller was resumed.
    func begin(resuming continuation: CheckedContinuation<Outcome, Never>) -> Bool {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.continuation = continuation }
            return state.outcome
        }
        if let outcome { continuation.resume(returning: outcome) }
        return outcome == nil
    }

    /// Ends the load; false when it has ended before.
    @discardableResult
    func end(_ outcome: Outcome) -> Bool {
        let (isFirst, caller) = state.withLock { state in
            guard state.outcome == nil else { return (false, CheckedContinuation<Outcome, Never>?.none) }
            state.outcome = outcome
            return (true, state.takeCaller())
        }
        caller?.resume(returning: outcome)
        return isFirst
    }

    var hasEnded: Bool { state.withLock { $0.outcome != nil } }

    // MARK: Deliveries

    /// Gives something to the sink unless the load has ended, and ends it with the sink's error. False when it has
    /// ended then.
    func deliver(_ give: (ResponseSink) throws(ImageLoaderError) -> Void) -> Bool {
        let isOpen = state.withLock { state in
            state.isDelivering = state.outcome == nil
            return state.isDelivering
        }
        guard isOpen else { return false }
        var failure: ImageLoaderError?
        do throws(ImageLoaderError) {
            try give(sink)
        } catch {
            failure = error
        }
        let (outcome, caller) = state.withLock { state in
            state.isDelivering = false
            // What a slow sink takes is not the server's silence.
            state.lastByte = uptime()
            if let failure, state.outcome == nil { state.outcome = .failure(failure) }
            return (state.outcome, state.takeCaller())
        }
        if let outcome { caller?.resume(returning: outcome) }
        return outcome == nil
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
