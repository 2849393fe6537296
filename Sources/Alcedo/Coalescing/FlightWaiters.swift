/// Carries out the decisions of a ``FlightTable``: holds the waiters' continuations, and the Task and ``LoadControl``
/// of each flight.
///
/// Each of the two actors that own flights has one. A continuation is removed and resumed in one step, so each caller
/// is resumed exactly once.
struct FlightWaiters<Key: Hashable & Sendable, Value: Sendable> {
    typealias WaiterID = FlightTable<Key>.WaiterID
    typealias FlightID = FlightTable<Key>.FlightID
    typealias Outcome = Result<Value, ImageLoaderError>

    /// The result of joining.
    enum Join {
        /// The caller was already cancelled and has been resumed.
        case refused
        /// The caller is the first: start the flight.
        case start(FlightID, LoadControl)
        /// The caller shares a flight that is under way, and that another load started.
        case joined(FlightID, LoadID?)
    }

    /// What remains to be done after a caller left.
    enum Leave {
        case nothing
        /// Others still wait or will join. The flight's priority may have changed.
        case remains(FlightID)
        /// Nobody waits any more. The flight's Task, if it has one, has been cancelled.
        case cancelled(FlightID)
    }

    private struct Waiter {
        let continuation: UnsafeContinuation<Outcome, Never>
        let control: LoadControl?
    }

    /// A class, because changing a dictionary's value in place would allocate. It never leaves the actor.
    private final class Flight {
        let control: LoadControl
        var task: Task<Void, Never>?

        init(_ control: LoadControl) {
            self.control = control
        }
    }

    private var table = FlightTable<Key>()
    private var waiting: [WaiterID: Waiter] = [:]
    private var flights = SlotMap<Flight>()

    mutating func makeWaiter() -> WaiterID { table.makeWaiter() }

    /// Adds a caller. Its control, if any, receives the flight's progress so far at once.
    mutating func join(
        _ key: Key, as waiter: WaiterID, _ control: LoadControl?, priority: RequestPriority,
        _ continuation: UnsafeContinuation<Outcome, Never>
    ) -> Join {
        if Task.isCancelled {
            continuation.resume(returning: .failure(.cancelled))
            return .refused
        }
        waiting[waiter] = Waiter(continuation: continuation, control: control)
        switch table.join(key, as: waiter, priority: priority) {
        case .start(let flight):
            let flightControl = LoadControl(priority: priority, id: control?.id ?? LoadID())
            flights[flight] = Flight(flightControl)
            if let control { flightControl.add(control) }
            return .start(flight, flightControl)
        case .joined(let flight, let priority):
            if let priority { flights[flight]?.control.setPriority(priority) }
            if let control { flights[flight]?.control.add(control) }
            return .joined(flight, flights[flight]?.control.id)
        }
    }

    /// See ``LoadControl/adopt(_:)``.
    func adopt(_ arrival: ArrivalID, by flight: FlightID) -> Bool { flights[flight]?.control.adopt(arrival) ?? false }

    /// Sets the Task that does a flight's work from now on.
    mutating func setTask(_ task: Task<Void, Never>, of flight: FlightID) { flights[flight]?.task = task }

    /// Cancels a flight's current Task. The flight continues and may get another Task.
    func stopTask(of flight: FlightID) { flights[flight]?.task?.cancel() }

    func waiterCount(of key: Key) -> Int { table.waiterCount(of: key) }

    func waiterCount(of flight: FlightID) -> Int { table.waiterCount(of: flight) }

    /// Resumes a cancelled caller unless it was already served.
    ///
    /// - Parameter hold: Called when the last waiter leaves. Returns the priority of the callers that will join the
    ///   flight, or nil if there are none and the flight is cancelled.
    mutating func leave(_ waiter: WaiterID, hold: (Key) -> RequestPriority?) -> Leave {
        let decision = table.leave(waiter, hold: hold)
        let left = decision == .unknown ? nil : waiting.removeValue(forKey: waiter)
        defer { left?.continuation.resume(returning: .failure(.cancelled)) }
        switch decision {
        case .unknown:
            return .nothing
        case .resume(let flight, let priority), .resumeAndHold(let flight, let priority):
            stopFollowing(flight, left?.control)
            if let priority { flights[flight]?.control.setPriority(priority) }
            return .remains(flight)
        case .resumeAndCancel(let flight):
            stopFollowing(flight, left?.control)
            flights[flight]?.task?.cancel()
            return .cancelled(flight)
        }
    }

    /// Those who wait and whose control matches.
    func waiters(where matches: (LoadControl?) -> Bool) -> [WaiterID] {
        waiting.filter { matches($0.value.control) }.map(\.key)
    }

    private func stopFollowing(_ flight: FlightID, _ control: LoadControl?) {
        if let control { flights[flight]?.control.remove(control) }
    }

    /// Rereads a caller's priority and passes the change on. Returns the flight whose priority changed.
    @discardableResult
    mutating func updatePriority(of waiter: WaiterID) -> FlightID? {
        guard let control = waiting[waiter]?.control,
            let change = table.setPriority(control.priority, of: waiter)
        else { return nil }
        flights[change.flight]?.control.setPriority(change.priority)
        return change.flight
    }

    /// Ends a flight and resumes all its waiters.
    mutating func land(_ flight: FlightID, _ outcome: Outcome) {
        flights[flight] = nil
        for waiter in table.end(flight) {
            waiting.removeValue(forKey: waiter)?.continuation.resume(returning: outcome)
        }
    }

    /// Stops holding the flight of `key`, because nobody will join it. Returns the flight if it had no waiters and is
    /// now cancelled.
    mutating func release(_ key: Key) -> FlightID? { cancel(table.release(key)) }

    /// Makes later callers of `key` start a new flight. Returns the current one if it had no waiters and is now
    /// cancelled.
    mutating func retire(_ key: Key) -> FlightID? { cancel(table.retire(key)) }

    /// Like ``retire(_:)``, for every key that matches.
    mutating func retireAll(where matches: (Key) -> Bool = { _ in true }) -> [FlightID] {
        table.retireAll(where: matches).compactMap { cancel($0) }
    }

    private func cancel(_ flight: FlightID?) -> FlightID? {
        if let flight { flights[flight]?.task?.cancel() }
        return flight
    }
}
