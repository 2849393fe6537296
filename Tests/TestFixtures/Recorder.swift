import Alcedo
import Synchronization

/// Collects values from callbacks, and lets a test wait for them.
final class Recorder<Value: Sendable>: Sendable {
    private struct State {
        var values: [Value] = []
        var waiting: [(condition: @Sendable ([Value]) -> Bool, continuation: CheckedContinuation<[Value], Never>)] = []
    }

    private let state = Mutex(State())

    var values: [Value] { state.withLock { $0.values } }

    /// Removes and returns the recorded values.
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
            let ready = state.waiting.filter { $0.condition(values) }
            state.waiting.removeAll { $0.condition(values) }
            return (ready, values)
        }
        for waiter in ready { waiter.continuation.resume(returning: values) }
    }

    /// Suspends until the recorded values satisfy `condition`.
    @discardableResult
    func wait(until condition: @escaping @Sendable ([Value]) -> Bool) async -> [Value] {
        await withCheckedContinuation { continuation in
            let values = state.withLock { state -> [Value]? in
                if condition(state.values) { return state.values }
                state.waiting.append((condition, continuation))
                return nil
            }
            if let values { continuation.resume(returning: values) }
        }
    }
}

extension Recorder<CacheFailure> {
    /// Records the failure if the event is one.
    func record(_ event: DiskStore.Event) {
        if case .failed(let failure) = event { record(failure) }
    }
}
