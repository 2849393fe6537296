/// A call of a program's store, which runs in a Task of its own.
struct StoreCall<Value: Sendable>: Sendable {
    private let time: TimeSource
    private let deadline: Duration?
    private let isCancelled: Bool
    private let work: @Sendable () async -> Value

    /// - Parameters:
    ///   - deadline: How long the caller waits; nil if it waits until the end.
    ///   - isCancelled: Whether the call is cancelled with the calling Task, which then doesn't wait either.
    init(
        _ time: TimeSource, _ deadline: Duration?, isCancelled: Bool, _ work: @escaping @Sendable () async -> Value
    ) {
        (self.time, self.deadline, self.isCancelled, self.work) = (time, deadline, isCancelled, work)
    }

    /// Begins the call. Returns its value, or nil when the deadline has passed or the caller was cancelled first.
    ///
    /// - Parameter isLate: Called when the caller no longer waits, because it was cancelled or because the deadline has
    ///   passed. What it returns is called when the call ends.
    func answer(
        isLate: @escaping @Sendable (_ isCancelled: Bool) -> @Sendable () -> Void = { _ in {} }
    ) async -> Value? {
        let (promise, ending) = (Promise<Value?>(), Promise<Void>())
        let task = Task { [work] in
            promise.end(await work())
            ending.end(())
        }
        let alarm = deadline.map { deadline in
            Task { [time] in
                if await time.sleep(for: deadline) { give(up: promise, ending, isLate(false)) }
            }
        }
        defer { alarm?.cancel() }
        return await promise.value {
            guard isCancelled else { return }
            task.cancel()
            give(up: promise, ending, isLate(true))
        }
    }

    /// Ends the wait. The call counts as late before its caller goes on, which may call the store again.
    private func give(up promise: Promise<Value?>, _ ending: Promise<Void>, _ ended: @escaping @Sendable () -> Void) {
        if promise.end(nil) { ending.whenEnded(ended) } else { ended() }
    }
}
