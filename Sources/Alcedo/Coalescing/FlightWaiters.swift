/// Carries out the decisions of a ``FlightTable``: holds the waiters, and the ``LoadControl`` of each flight.
///
/// Each of the two actors that own flights has one. A waiter is removed and served in one step, so each is served
/// exactly once.
struct FlightWaiters<Key: Hashable & Sendable, Value: Sendable> {
    typealias WaiterID = FlightTable<Key>.WaiterID
    typealias FlightID = FlightTable<Key>.FlightID
    typealias Outcome = FlightOutcome<Value>

    /// The result of joining.
    enum Join {
        /// The waiter is the first: start the flight.
        case start(FlightID, LoadControl)
        /// The waiter shares a flight that is under way.
        case joined(FlightID, LoadControl)
    }

    /// What remains to be done after a waiter left.
    enum Leave {
        case nothing
        /// Others still wait or will join. The flight's priority may have changed.
        case remains(FlightID)
        /// Nobody waits any more. The flight's work, if any is under way, has been cancelled.
        case cancelled(FlightID)
    }

    /// What waits for a flight.
    enum Waiting {
        /// A caller that has joined and is about to suspend.
        case caller
        case suspended(UnsafeContinuation<Outcome, Never>)
        /// Another flight, which needs no Task while it waits.
        case flight(@Sendable (Outcome) async -> Void)
        /// A caller that was served before it suspended.
        case served(Outcome)
    }

    private struct Waiter {
        var waiting: Waiting
        let control: LoadControl?
    }

    private var table = FlightTable<Key>()
    private var waiters: [WaiterID: Waiter] = [:]
    private var flights = SlotMap<LoadControl>()

    /// Adds a waiter. Its control, if any, receives the flight's progress so far at once.
    ///
    /// - Parameter waiting: A caller must call ``wait(_:_:)`` next. When it cancels, it takes itself from the callers
    ///   of the flight's control at once, and then leaves.
    mutating func join(
        _ key: Key, _ control: LoadControl?, priority: RequestPriority, _ waiting: Waiting = .caller
    ) -> (WaiterID, Join) {
        let waiter = table.makeWaiter()
        waiters[waiter] = Waiter(waiting: waiting, control: control)
        switch table.join(key, as: waiter, priority: priority) {
        case .start(let flight):
            let flightControl = LoadControl(priority: priority, id: control?.id ?? LoadID())
            flights[flight] = flightControl
            follow(flightControl, waiting, control)
            return (waiter, .start(flight, flightControl))
        case .joined(let flight, let priority):
            guard let flightControl = flights[flight] else { preconditionFailure("a flight has a control") }
            if let priority { flightControl.setPriority(priority) }
            follow(flightControl, waiting, control)
            return (waiter, .joined(flight, flightControl))
        }
    }

    private func follow(_ flight: LoadControl, _ waiting: Waiting, _ control: LoadControl?) {
        if case .caller = waiting { flight.addCaller() }
        if let control { flight.add(control) }
    }

    /// Resumes a caller that has joined: as soon as it is served, or at once if it has been.
    mutating func wait(_ waiter: WaiterID, _ continuation: UnsafeContinuation<Outcome, Never>) {
        guard let waiting = waiters[waiter]?.waiting, case .served(let outcome) = waiting else {
            waiters[waiter]?.waiting = .suspended(continuation)
            return
        }
        waiters[waiter] = nil
        continuation.resume(returning: outcome)
    }

    /// Serves a waiter that is no longer in the table. A flight that waited continues in a Task of its own.
    private mutating func serve(_ waiter: WaiterID, _ outcome: @autoclosure () -> Outcome) {
        switch waiters[waiter]?.waiting {
        case .caller: waiters[waiter]?.waiting = .served(outcome())
        case .suspended(let continuation):
            waiters[waiter] = nil
            continuation.resume(returning: outcome())
        case .flight(let land):
            let control = waiters.removeValue(forKey: waiter)?.control
            control?.work(in: Task.detached { [outcome = outcome()] in await land(outcome) })
        case .served, nil: break
        }
    }

    /// Whether no flight is under way.
    var isIdle: Bool { table.flightCount == 0 }

    func waiterCount(of key: Key) -> Int { table.waiterCount(of: key) }

    func waiterCount(of flight: FlightID) -> Int { table.waiterCount(of: flight) }

    /// Serves a cancelled waiter unless it was already served.
    ///
    /// - Parameters:
    ///   - isDropped: Whether the waiter is a flight that was cancelled and needs no outcome.
    ///   - hold: Called when the last waiter leaves. Returns the priority of the callers that will join the flight, or
    ///     nil if there are none and the flight is cancelled.
    mutating func leave(
        _ waiter: WaiterID, isDropped: Bool = false, hold: (Key) -> RequestPriority?
    ) -> Leave {
        let decision = table.leave(waiter, hold: hold)
        if decision == .unknown { return .nothing }
        let control = waiters[waiter]?.control
        if isDropped { waiters[waiter] = nil }
        defer { serve(waiter, Outcome(.failure(.cancelled))) }
        switch decision {
        case .unknown:
            return .nothing
        case .resume(let flight, let priority), .resumeAndHold(let flight, let priority):
            stopFollowing(flight, control)
            if let priority { flights[flight]?.setPriority(priority) }
            return .remains(flight)
        case .resumeAndCancel(let flight):
            stopFollowing(flight, control)
            flights[flight]?.cancel()
            return .cancelled(flight)
        }
    }

    /// Those who wait and whose control matches.
    func waiters(where matches: (LoadControl?) -> Bool) -> [WaiterID] {
        waiters.filter { matches($0.value.control) }.map(\.key)
    }

    private func stopFollowing(_ flight: FlightID, _ control: LoadControl?) {
        if let control { flights[flight]?.remove(control) }
    }

    /// The flight that a waiter waits for.
    func flight(of waiter: WaiterID) -> FlightID? { table.flight(of: waiter) }

    /// Rereads a caller's priority and passes the change on. Returns the flight whose priority changed.
    @discardableResult
    mutating func updatePriority(of waiter: WaiterID) -> FlightID? {
        guard let control = waiters[waiter]?.control,
            let change = table.setPriority(control.priority, of: waiter)
        else { return nil }
        flights[change.flight]?.setPriority(change.priority)
        return change.flight
    }

    /// Ends a flight and serves all its waiters.
    ///
    /// - Parameter task: The flight's own Task. The first of the flights that waited continues in it: the result is
    ///   what it does next.
    @discardableResult
    mutating func land(
        _ flight: FlightID, _ outcome: Outcome, in task: Task<Void, Never>? = nil
    ) -> (@Sendable () async -> Void)? {
        flights[flight] = nil
        var next: (@Sendable () async -> Void)?
        for waiter in table.end(flight) {
            if let task, next == nil, case .flight(let land) = waiters[waiter]?.waiting {
                waiters.removeValue(forKey: waiter)?.control?.work(in: task)
                next = { await land(outcome) }
            } else {
                serve(waiter, outcome)
            }
        }
        return next
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
        if let flight { flights[flight]?.cancel() }
        return flight
    }
}

/// The outcome of a flight. One object for all its waiters, so that little is copied for each of them and thousands of
/// suspended callers need little memory.
package final class FlightOutcome<Value: Sendable>: Sendable {
    let result: Result<Value, ImageLoaderError>

    init(_ result: Result<Value, ImageLoaderError>) { self.result = result }

    func get() throws(ImageLoaderError) -> Value { try result.get() }
}
