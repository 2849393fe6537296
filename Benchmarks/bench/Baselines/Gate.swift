import Synchronization

/// Blocks one Task until it is opened.
final class Gate: Sendable {
    private enum State {
        case closed
        case waiting(CheckedContinuation<Void, Never>)
        case open
    }

    private let state = Mutex(State.closed)

    /// Returns once the gate is open. Only one Task may wait at a time.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if case .open = state { return true }
                state = .waiting(continuation)
                return false
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
            defer { state = .open }
            guard case .waiting(let continuation) = state else { return nil }
            return continuation
        }
        waiting?.resume()
    }
}
