import Synchronization

/// A point at which Tasks wait while it is held. They don't notice that they are cancelled.
final class Hold: Sendable {
    private struct State {
        var isHeld = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let arrived = Recorder<Void>()

    func hold() { state.withLock { $0.isHeld = true } }

    func open() {
        let waiting = state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                if state.isHeld { state.waiting.append(continuation) }
                return state.isHeld
            }
            if isHeld { arrived.record(()) } else { continuation.resume() }
        }
    }

    /// Waits until this number of Tasks has arrived.
    func arrivals(_ count: Int) async { await arrived.wait { $0.count >= count } }
}
