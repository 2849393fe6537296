import Alcedo
import Synchronization

/// Collects what callbacks bring, and lets a test wait for it.
final class Recorder<Value: Sendable>: Sendable {
    private struct Waiter {
        let id: Int
        let condition: @Sendable ([Value]) -> Bool
        let continuation: CheckedContinuation<[Value], Never>
    }

    private struct State {
        var values: [Value] = []
        var waiters: [Waiter] = []
        var lastID = 0
    }

    private let state = Mutex(State())

    var values: [Value] { state.withLock { $0.values } }

    /// Returns what was recorded, and forgets it.
    func takeAll() -> [Value] {
        state.withLock { state in
            defer { state.values = [] }
            return state.values
        }
    }

    func record(_ value: Value) {
        let (ready, values) = state.withLock { state in
            state.values.append(value)
            let values = state.values
            let ready = state.waiters.filter { $0.condition(values) }
            state.waiters.removeAll { $0.condition(values) }
            return (ready, values)
        }
        for waiter in ready { waiter.continuation.resume(returning: values) }
    }

    /// Suspends until what was recorded satisfies `condition`, or the calling Task is cancelled, as one whose time is
    /// over.
    @discardableResult
    func wait(until condition: @escaping @Sendable ([Value]) -> Bool) async -> [Value] {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let values = state.withLock { state -> [Value]? in
                    if condition(state.values) { return state.values }
                    state.waiters.append(Waiter(id: id, condition: condition, continuation: continuation))
                    return nil
                }
                if let values { continuation.resume(returning: values) } else if Task.isCancelled { leave(id) }
            }
        } onCancel: {
            leave(id)
        }
    }

    private func leave(_ id: Int) {
        let (waiter, values) = state.withLock { state in
            (state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }, state.values)
        }
        waiter?.continuation.resume(returning: values)
    }
}

extension Recorder<CacheFailure> {
    /// Records what failed.
    func record(_ event: DiskStore.Event) {
        if case .failed(let failure) = event { record(failure) }
    }
}
