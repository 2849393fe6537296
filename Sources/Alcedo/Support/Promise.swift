import Synchronization

/// A value that one side waits for. Two sides may supply it, and the first one wins.
final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(UnsafeContinuation<Value, Never>)
        case ended(Value)
        case over
    }

    private let state = Mutex(State.open)
    private let ended = Atomic<Bool>(false)

    var hasEnded: Bool { ended.load(ordering: .acquiring) }

    /// Call at most once.
    func value() async -> Value {
        await withUnsafeContinuation { continuation in
            let value: Value? = state.withLock { state in
                guard case .ended(let value) = state else {
                    state = .awaited(continuation)
                    return nil
                }
                state = .over
                return value
            }
            if let value { continuation.resume(returning: value) }
        }
    }

    /// Passes the value on without keeping a reference to it, so the waiter can hold the last reference to something
    /// large.
    func end(_ value: consuming Value) {
        var own = Optional(value)
        let awaiting = state.withLock { state -> UnsafeContinuation<Value, Never>? in
            switch state {
            case .open: if let value = own.take() { state = .ended(value) }
            case .awaited(let continuation):
                state = .over
                ended.store(true, ordering: .releasing)
                return continuation
            case .ended, .over: break
            }
            ended.store(true, ordering: .releasing)
            return nil
        }
        if let value = own.take() { awaiting?.resume(returning: value) }
    }
}
