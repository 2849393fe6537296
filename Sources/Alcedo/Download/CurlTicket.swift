#if os(Linux) && Curl
import Synchronization

/// One load, shared by its caller and the thread: whether it was cancelled, and the caller's continuation.
///
/// The thread resumes the caller, once, after the transfer has been removed and its connection is closed or free. After
/// a cancellation, the sink isn't used any more.
final class CurlTicket: Sendable {
    typealias Outcome = Result<Void, ImageLoaderError>

    private enum Phase {
        case new
        case open(UnsafeContinuation<Outcome, Never>)
        case cancelled(UnsafeContinuation<Outcome, Never>)
        case ended
    }

    let request: DataRequest
    let sink: ResponseSink
    private let phase = Mutex(Phase.new)

    init(_ request: DataRequest, _ sink: ResponseSink) {
        self.request = request
        self.sink = sink
    }

    // MARK: The caller

    /// Whether to start the transfer. A caller that was already cancelled is resumed.
    func open(_ continuation: UnsafeContinuation<Outcome, Never>) -> Bool {
        let isWanted = phase.withLock { phase in
            guard case .new = phase else { return false }
            phase = .open(continuation)
            return true
        }
        if !isWanted { continuation.resume(returning: .failure(.cancelled)) }
        return isWanted
    }

    /// Whether there may be a transfer to stop.
    func cancel() -> Bool {
        phase.withLock { phase in
            switch phase {
            case .new:
                phase = .ended
                return false
            case .open(let continuation):
                phase = .cancelled(continuation)
                return true
            case .cancelled, .ended:
                return false
            }
        }
    }

    // MARK: The thread

    var isCancelled: Bool { phase.withLock { if case .cancelled = $0 { true } else { false } } }

    /// Resumes the caller unless it was already resumed. A cancelled caller always receives `cancelled`.
    func end(_ outcome: Outcome) {
        let (continuation, outcome) = phase.withLock { phase -> (UnsafeContinuation<Outcome, Never>?, Outcome) in
            defer { phase = .ended }
            return switch phase {
            case .new, .ended: (nil, outcome)
            case .open(let continuation): (continuation, outcome)
            case .cancelled(let continuation): (continuation, .failure(.cancelled))
            }
        }
        continuation?.resume(returning: outcome)
    }

    /// Runs `work`, which may use the sink and the request's hooks. Throws `cancelled` if the caller was already
    /// cancelled.
    func deliver(_ work: () throws(ImageLoaderError) -> Void) throws(ImageLoaderError) {
        if isCancelled { throw .cancelled }
        try work()
    }
}
#endif
