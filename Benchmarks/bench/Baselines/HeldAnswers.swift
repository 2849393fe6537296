import Synchronization

/// Answers that wait until they are released, all or one by one.
final class HeldAnswers: Sendable {
    typealias Body = @Sendable () -> Void

    private struct State {
        var isOpen = false
        var waiting: [Int: Body] = [:]
        /// The ids that were released before they were added.
        var released: Set<Int> = []
    }

    private let ids = Turn()
    private let state = Mutex(State())

    func makeID() -> Int { ids.next() }

    /// Calls `body` when `id` is released, or immediately if it was released before.
    func add(_ id: Int, _ body: @escaping Body) {
        let isReleased = state.withLock { state in
            if state.isOpen || state.released.remove(id) != nil { return true }
            state.waiting[id] = body
            return false
        }
        if isReleased { body() }
    }

    func release(_ id: Int) {
        let body = state.withLock { state in
            let body = state.waiting.removeValue(forKey: id)
            if body == nil, !state.isOpen { state.released.insert(id) }
            return body
        }
        body?()
    }

    /// Releases all answers, including those that are added later.
    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for body in waiting.values { body() }
    }
}
