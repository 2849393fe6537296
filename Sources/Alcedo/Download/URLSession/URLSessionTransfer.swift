import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One load in a session, and its current hop.
final class SessionTransfer: Sendable {
    /// The current request; a redirect replaces it.
    struct Hop {
        var request: DataRequest
        /// Nil before the task starts and after it completed.
        var task: URLSessionDataTask?
        var hasBegun = false
        var isPaused = false
    }

    private struct State {
        var hop: Hop
        /// When the last byte arrived, in terms of the machine's uptime in seconds.
        var lastByte: TimeInterval = 0
    }

    /// Closed when the last task of the load has ended.
    let load: TransportLoad
    private let idleTime: TimeInterval
    private let state: Mutex<State>

    init(_ request: DataRequest, into sink: ResponseSink) {
        load = TransportLoad(request, sink)
        // A year without a byte is as good as forever, and larger numbers overflow.
        idleTime = min(max(0.001, request.idleTimeout / .seconds(1)), 31_536_000)
        state = Mutex(State(hop: Hop(request: request.withCredentialsAsField())))
    }

    // MARK: Deliveries

    /// Delivers something to the sink unless the load has ended, and ends the load if the sink throws. Returns false if
    /// the load has ended.
    func deliver(_ give: (ResponseSink) throws(ImageLoaderError) -> Void) -> Bool {
        guard !load.hasEnded else { return false }
        do throws(ImageLoaderError) {
            try give(load.sink)
        } catch {
            load.end(.failure(error))
        }
        // The time that a slow sink takes doesn't count as the server's silence.
        restartIdleTime()
        return !load.hasEnded
    }

    // MARK: On the session's queue

    var hop: Hop { state.withLock { $0.hop } }

    func update(_ change: (inout sending Hop) -> Void) { state.withLock { change(&$0.hop) } }

    /// When the load times out unless something arrives, in terms of the machine's uptime in seconds.
    var deadline: TimeInterval { state.withLock { $0.lastByte } + idleTime }

    /// Restarts the idle time: a request is being sent, or a byte that isn't delivered has arrived.
    func restartIdleTime() { state.withLock { $0.lastByte = uptime() } }

    /// Pauses or continues the task as the sink demands.
    func heedDemand() {
        let isPaused = load.sink.demand == .nothing
        let task = state.withLock { state -> URLSessionDataTask? in
            guard state.hop.task != nil, state.hop.isPaused != isPaused else { return nil }
            state.hop.isPaused = isPaused
            return state.hop.task
        }
        restartIdleTime()
        if isPaused { task?.suspend() } else { task?.resume() }
    }

    /// Returns the task to cancel, once.
    func takeTask() -> URLSessionDataTask? { state.withLock { $0.hop.task.take() } }
}

/// The time in seconds on the clock of Dispatch's timers.
func uptime() -> TimeInterval { ProcessInfo.processInfo.systemUptime }
