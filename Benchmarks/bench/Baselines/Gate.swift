import Synchronization

/// Blocks Tasks until it is opened.
final class Gate: Sendable {
    private enum State {
        case closed([CheckedContinuation<Void, Never>])
        case open
    }

    private let state = Mutex(State.closed([]))

    /// Returns once the gate is open.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                guard case .closed(var waiting) = state else { return true }
                // The array would be copied if the state still held it.
                state = .open
                waiting.append(continuation)
                state = .closed(waiting)
                return false
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting: [CheckedContinuation<Void, Never>] = state.withLock { state in
            defer { state = .open }
            guard case .closed(let waiting) = state else { return [] }
            return waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
