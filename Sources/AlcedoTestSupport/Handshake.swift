import Synchronization

/// State that one side changes and another awaits.
///
/// The fakes of this module use it to communicate with their tests. A waiter says what it wants to take from the state,
/// and is resumed in the same step that takes it. After each change, waiters are served in order of arrival.
final class Handshake<State: Sendable>: Sendable {
    private struct Waiter {
        let id: Int
        /// Takes what the waiter wants from the state and returns the resumption; nil if it isn't available yet.
        let attempt: @Sendable (inout State) -> (@Sendable () -> Void)?
        let fail: @Sendable (any Error) -> Void
    }

    private struct Core {
        var state: State
        var waiters: [Waiter] = []
        var nextID = 0
        var closing: (any Error)?
    }

    private let core: Mutex<Core>

    init(_ state: State) {
        core = Mutex(Core(state: state))
    }

    /// A copy of the state.
    var snapshot: State { core.withLock { $0.state } }

    /// Waiters that haven't been served.
    var waiterCount: Int { core.withLock { $0.waiters.count } }

    /// Changes the state and serves the waiters that the change satisfies.
    @discardableResult
    func update<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
        let (result, resumptions) = core.withLock { core in
            let result = change(&core.state)
            return (result, Self.serve(&core))
        }
        for resume in resumptions { resume() }
        return result
    }

    /// Ends all waits with `error`: the current ones, and later ones that find nothing to take.
    func close(throwing error: any Error) {
        let waiters = core.withLock { core in
            core.closing = error
            defer { core.waiters = [] }
            return core.waiters
        }
        for waiter in waiters { waiter.fail(error) }
    }

    /// Returns the result of `take` as soon as it isn't nil. `take` runs under a lock, so it must not call out.
    ///
    /// Throws `CancellationError` as soon as the calling Task is cancelled, and the error passed to
    /// ``close(throwing:)``.
    func wait<Result: Sendable>(_ take: @escaping @Sendable (inout State) -> Result?) async throws -> Result {
        let id = core.withLock { core in
            core.nextID += 1
            return core.nextID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                join(id, continuation, take)
            }
        } onCancel: {
            leave(id)
        }
    }

    private func join<Result: Sendable>(
        _ id: Int, _ continuation: CheckedContinuation<Result, any Error>,
        _ take: @escaping @Sendable (inout State) -> Result?
    ) {
        let waiter = Waiter(
            id: id,
            attempt: { state in
                guard let result = take(&state) else { return nil }
                return { continuation.resume(returning: result) }
            },
            fail: { continuation.resume(throwing: $0) })
        let resume: (@Sendable () -> Void)? = core.withLock { core in
            // Under the lock, so that a later cancellation finds the waiter in the list.
            if Task.isCancelled { return { waiter.fail(CancellationError()) } }
            if let resume = waiter.attempt(&core.state) { return resume }
            if let error = core.closing { return { waiter.fail(error) } }
            core.waiters.append(waiter)
            return nil
        }
        resume?()
    }

    private func leave(_ id: Int) {
        let waiter = core.withLock { core -> Waiter? in
            guard let index = core.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return core.waiters.remove(at: index)
        }
        waiter?.fail(CancellationError())
    }

    private static func serve(_ core: inout Core) -> [@Sendable () -> Void] {
        guard !core.waiters.isEmpty else { return [] }
        var resumptions: [@Sendable () -> Void] = []
        var left: [Waiter] = []
        for waiter in core.waiters {
            if let resume = waiter.attempt(&core.state) {
                resumptions.append(resume)
            } else {
                left.append(waiter)
            }
        }
        core.waiters = left
        return resumptions
    }
}
