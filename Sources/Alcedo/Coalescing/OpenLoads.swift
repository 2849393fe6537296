import Synchronization

/// Counts loads under way, so that closing can refuse others and wait for these.
final class OpenLoads: Sendable {
    private struct State {
        var count = 0
        var isClosed = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Counts a load, and ``end()`` must follow. Returns false, and counts nothing, if closing has begun.
    func begin() -> Bool {
        state.withLock { state in
            if !state.isClosed { state.count += 1 }
            return !state.isClosed
        }
    }

    func end() {
        let closers = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.count -= 1
            guard state.count == 0 else { return [] }
            defer { state.closers = [] }
            return state.closers
        }
        for closer in closers { closer.resume() }
    }

    /// Refuses loads from now on.
    func close() { state.withLock { $0.isClosed = true } }

    /// Waits until none is under way.
    func ended() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.count > 0 { state.closers.append(continuation) }
                return state.count == 0
            }
            if isOver { continuation.resume() }
        }
    }
}
