import Synchronization

/// A value that one side waits for. Two sides may supply it, and the first value wins.
final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(UnsafeContinuation<Value, Never>)
        case observed(Observer)
        case ended(Value)
        case over
    }

    /// This is an object, so that an awaited promise stays small.
    private final class Observer: Sendable {
        let receive: @Sendable (Value) -> Void

        init(receive: @escaping @Sendable (Value) -> Void) { self.receive = receive }
    }

    private let state = Mutex(State.open)
    private let ended = Atomic<Bool>(false)

    var hasEnded: Bool { ended.load(ordering: .acquiring) }

    /// Calls `receive` with the value: on the thread that supplies it, or on this one if there is a value already. Call
    /// this at most once, and instead of ``value()``.
    func whenEnded(_ receive: @escaping @Sendable (Value) -> Void) {
        let observer = Observer(receive: receive)
        let value: Value? = state.withLock { state in
            guard case .ended(let value) = state else {
                state = .observed(observer)
                return nil
            }
            state = .over
            return value
        }
        if let value { receive(value) }
    }

    /// Waits for the value. Call this at most once.
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

    /// Like ``value()``. If the Task is cancelled, calls `onCancel` immediately, which usually ends the promise.
    ///
    /// Suspends on the caller's actor. In a function without its own isolation, the closure of
    /// `withTaskCancellationHandler` would leave that actor first, which costs a thread switch.
    ///
    /// - Parameter begin: Called first. `onCancel` may be called at the same time.
    func value(
        isolation: isolated (any Actor)? = #isolation, after begin: () -> Void = {}, onCancel: @Sendable () -> Void
    ) async -> Value {
        await withTaskCancellationHandler {
            // A closure is isolated to what it captures.
            _ = isolation
            begin()
            return await value()
        } onCancel: {
            onCancel()
        }
    }

    /// Takes the value, if there is one. Call this instead of ``value()``.
    func take() -> Value? {
        state.withLock { state in
            guard case .ended(let value) = state else { return nil }
            state = .over
            return value
        }
    }

    /// Passes the value on without keeping a reference to it, so the waiter can hold the last reference to something
    /// large. Returns false if another value came first.
    @discardableResult func end(_ value: consuming Value) -> Bool {
        var own = Optional(value)
        let before = state.withLock { state -> State in
            defer { ended.store(true, ordering: .releasing) }
            switch state {
            case .open:
                if let value = own.take() { state = .ended(value) }
                return .open
            case .awaited, .observed: return exchange(&state, with: .over)
            case .ended, .over: return .over
            }
        }
        switch before {
        case .open: return true
        case .awaited(let continuation): if let value = own.take() { continuation.resume(returning: value) }
        case .observed(let observer): if let value = own.take() { observer.receive(value) }
        case .ended, .over: return false
        }
        return true
    }
}
