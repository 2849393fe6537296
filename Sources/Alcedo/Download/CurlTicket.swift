#if os(Linux) && Curl
import Synchronization

/// One load, as its caller and the thread share it: who resumes the caller, and whether the sink may still be used.
///
/// The caller is resumed once, and at once when it is cancelled. Only while the thread is inside the sink the resumption
/// waits for the sink to return, as nothing may be delivered to a caller who has left.
final class CurlTicket: Sendable {
    typealias Outcome = Result<Void, ImageLoaderError>

    private enum Phase {
        case new
        case open(UnsafeContinuation<Outcome, Never>)
        /// The thread is inside the sink.
        case delivering(UnsafeContinuation<Outcome, Never>)
        /// Cancelled meanwhile.
        case leaving(UnsafeContinuation<Outcome, Never>)
        case ended
    }

    let request: DataRequest
    let sink: ResponseSink
    private let phase = Mutex(Phase.new)

    init(_ request: DataRequest, _ sink: ResponseSink) {
        self.request = request
        self.sink = sink
    }

    var hasEnded: Bool { phase.withLock { if case .ended = $0 { true } else { false } } }

    // MARK: The caller

    /// Whether the transfer is to be started; a caller who was cancelled before is resumed.
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
        let (continuation, wasOpened) = phase.withLock { phase -> (UnsafeContinuation<Outcome, Never>?, Bool) in
            switch phase {
            case .new:
                phase = .ended
                return (nil, false)
            case .open(let continuation):
                phase = .ended
                return (continuation, true)
            case .delivering(let continuation):
                phase = .leaving(continuation)
                return (nil, true)
            case .leaving, .ended:
                return (nil, false)
            }
        }
        continuation?.resume(returning: .failure(.cancelled))
        return wasOpened
    }

    // MARK: The thread

    /// Ends the load, unless it has ended.
    func end(_ outcome: Outcome) {
        let continuation = phase.withLock { phase -> UnsafeContinuation<Outcome, Never>? in
            guard case .open(let continuation) = phase else { return nil }
            phase = .ended
            return continuation
        }
        continuation?.resume(returning: outcome)
    }

    /// Runs `work`, which may use the sink and the request's hooks. Throws `cancelled` when the caller has left before or
    /// leaves meanwhile.
    func deliver(_ work: () throws(ImageLoaderError) -> Void) throws(ImageLoaderError) {
        let isOpen = phase.withLock { phase in
            guard case .open(let continuation) = phase else { return false }
            phase = .delivering(continuation)
            return true
        }
        guard isOpen else { throw .cancelled }
        defer { settle() }
        try work()
    }

    private func settle() {
        let leaving = phase.withLock { phase -> UnsafeContinuation<Outcome, Never>? in
            switch phase {
            case .delivering(let continuation):
                phase = .open(continuation)
                return nil
            case .leaving(let continuation):
                phase = .ended
                return continuation
            case .new, .open, .ended:
                return nil
            }
        }
        leaving?.resume(returning: .failure(.cancelled))
    }
}
#endif
