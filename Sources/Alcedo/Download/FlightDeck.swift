/// Carries out what a ``FlightTable`` decides: holds the continuations of those who wait and the Task of each flight.
///
/// The two actors that own flights keep one each. A continuation is removed and resumed in one step, so each caller is
/// resumed exactly once.
struct FlightDeck<Key: Hashable & Sendable, Value: Sendable> {
    typealias WaiterID = FlightTable<Key>.WaiterID
    typealias FlightID = FlightTable<Key>.FlightID
    typealias Outcome = Result<Value, ImageLoaderError>

    private var table = FlightTable<Key>()
    private var waiting: [WaiterID: CheckedContinuation<Outcome, Never>] = [:]
    private var tasks: [FlightID: Task<Void, Never>] = [:]

    mutating func makeWaiter() -> WaiterID { table.makeWaiter() }

    /// Adds a caller, and starts its flight when it is the first. A caller that is cancelled already gets no flight.
    ///
    /// - Returns: whether the caller shares a flight that was under way.
    @discardableResult
    mutating func join(
        _ key: Key, as waiter: WaiterID, _ continuation: CheckedContinuation<Outcome, Never>,
        start: (FlightID) -> Task<Void, Never>
    ) -> Bool {
        if Task.isCancelled {
            continuation.resume(returning: .failure(.cancelled))
            return false
        }
        waiting[waiter] = continuation
        switch table.join(key, as: waiter) {
        case .start(let flight):
            tasks[flight] = start(flight)
            return false
        case .joined:
            return true
        }
    }

    /// Resumes a caller that was cancelled, unless it was served before: the flight to clean up after, when it was the
    /// last one and the flight's Task has been cancelled.
    mutating func leave(_ waiter: WaiterID) -> FlightID? {
        let decision = table.leave(waiter)
        if decision != .unknown { waiting.removeValue(forKey: waiter)?.resume(returning: .failure(.cancelled)) }
        guard case .resumeAndCancel(let flight) = decision else { return nil }
        tasks[flight]?.cancel()
        return flight
    }

    /// Ends a flight and resumes all who wait for it.
    mutating func land(_ flight: FlightID, _ outcome: Outcome) {
        tasks[flight] = nil
        for waiter in table.end(flight) { waiting.removeValue(forKey: waiter)?.resume(returning: outcome) }
    }

    /// Callers of `key` from now on start a new flight.
    mutating func retire(_ key: Key) { table.retire(key) }
    mutating func retireAll() { table.retireAll() }
}
