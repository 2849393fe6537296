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
    @inline(__always) func value() async -> Value {
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
    /// large. Returns false if another value came first.
    @discardableResult func end(_ value: consuming Value) -> Bool {
        var own = Optional(value)
        let (awaiting, isFirst) = state.withLock { state -> (UnsafeContinuation<Value, Never>?, Bool) in
            defer { ended.store(true, ordering: .releasing) }
            switch state {
            case .open:
                if let value = own.take() { state = .ended(value) }
                return (nil, true)
            case .awaited(let continuation):
                state = .over
                return (continuation, true)
            case .ended, .over: return (nil, false)
            }
        }
        if let awaiting, let value = own.take() { awaiting.resume(returning: value) }
        return isFirst
    }
}
