import Synchronization

/// Carries out the decisions of a ``FlightTable``: serves the waiters, and holds the ``LoadControl`` of each flight.
///
/// The downloads' owner has one. A waiter is removed and served in one step, so each is served
/// exactly once.
struct FlightWaiters<Key: PrehashedKey, Value: Sendable> {
    private typealias Table = FlightTable<Key, Caller>
    typealias WaiterID = FlightTable<Key, Caller>.WaiterID
    typealias FlightID = SlotID
    typealias Outcome = FlightOutcome<Value>

    /// The result of joining.
    struct Place {
        let waiter: WaiterID
        /// The flight's.
        let control: LoadControl
        /// Whether the waiter is the first and starts the flight.
        let isFirst: Bool

        var flight: FlightID { waiter.flight }
    }

    /// The state of a flight after a waiter left.
    enum Leave {
        case nothing
        /// Others still wait or will join. The flight's priority may have changed.
        case remains(FlightID)
        /// Nobody waits any more. The flight's work, if any is under way, has been cancelled.
        case cancelled(FlightID)
    }

    private var table = Table()
    private var flights = SlotMap<LoadControl>()

    /// Adds a caller. Its control, if any, receives the flight's progress so far at once. Returns nil if it has
    /// cancelled.
    ///
    /// - Parameter loader: The loader that a flight belongs to which begins with this caller.
    mutating func join(
        _ key: Key, _ caller: Caller, priority: RequestPriority, loader: ObjectIdentifier? = nil
    ) -> Place? {
        caller.join {
            let (waiter, join) = table.join(key, caller, priority: priority)
            let control = caller.control
            let flightControl: LoadControl
            switch join {
            case .start(let flight):
                flightControl = LoadControl(priority: priority, id: control?.id ?? LoadID(), loader: loader)
                flights[flight] = flightControl
            case .joined(let flight, let priority):
                guard let found = flights[flight] else { preconditionFailure("a flight has a control") }
                flightControl = found
                if let priority { flightControl.setPriority(priority) }
            }
            if let control { flightControl.add(control) }
            if case .start = join { return Place(waiter: waiter, control: flightControl, isFirst: true) }
            return Place(waiter: waiter, control: flightControl, isFirst: false)
        }
    }

    func waiterCount(of key: Key) -> Int { table.waiterCount(of: key) }

    /// Whether somebody waits for a flight whose key has this hash and matches.
    func hasWaiters(withHash prehash: UInt64, where matches: (Key) -> Bool) -> Bool {
        table.hasWaiters(withHash: prehash, where: matches)
    }

    var flightCount: Int { table.flightCount }

    func key(of flight: FlightID) -> Key? { table.key(of: flight) }

    /// Mutating only because otherwise the owner would copy all of this.
    mutating func waiterCount(of flight: FlightID) -> Int { table.waiterCount(of: flight) }

    /// Serves a cancelled caller unless it was already served.
    ///
    /// - Parameter hold: Called when the last waiter leaves. Returns the priority of the callers that will join the
    ///   flight, or nil if there are none and the flight is cancelled.
    mutating func leave(_ id: WaiterID, hold: (Key) -> RequestPriority?) -> Leave {
        guard let caller = table[id] else { return .nothing }
        let decision = table.leave(id, hold: hold)
        defer { _ = caller.promise.end(Outcome(.failure(.cancelled))) }
        let flight = flights[id.flight]
        if let control = caller.control { flight?.remove(control) }
        switch decision {
        case .unknown: return .nothing
        case .resume(_, let priority), .resumeAndHold(_, let priority):
            if let priority { flight?.setPriority(priority) }
            return .remains(id.flight)
        case .resumeAndCancel:
            flight?.cancel()
            return .cancelled(id.flight)
        }
    }

    /// The waiters whose control matches.
    func waiters(where matches: (LoadControl?) -> Bool) -> [WaiterID] {
        table.contents.filter { matches($0.waiter.control) }.map(\.id)
    }

    /// Rereads a caller's priority and passes the change on. Returns the flight whose priority changed.
    @discardableResult
    mutating func updatePriority(of waiter: WaiterID) -> FlightID? {
        guard let control = table[waiter]?.control,
            let change = table.setPriority(control.priority, of: waiter)
        else { return nil }
        flights[change.flight]?.setPriority(change.priority)
        return change.flight
    }

    /// Ends a flight and serves all its waiters.
    ///
    /// - Parameter onRefusal: Called for each caller that has cancelled and doesn't take the outcome.
    mutating func land(_ flight: FlightID, _ outcome: Outcome, onRefusal: () -> Void = {}) {
        let control = flights.remove(flight)
        control?.removeAll()
        let makingTime = control?.makingTime ?? .zero
        func serve(_ caller: Caller) {
            if makingTime > .zero { caller.control?.addMakingTime(makingTime) }
            if !caller.promise.end(outcome) { onRefusal() }
        }
        let callers = table.end(flight)
        if let first = callers.first { serve(first) }
        callers.others.forEach(serve)
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

    /// Like ``retire(_:)``, for the keys with this hash that match.
    mutating func retireAll(withHash prehash: UInt64, where matches: (Key) -> Bool) -> [FlightID] {
        table.retireAll(withHash: prehash, where: matches).compactMap { cancel($0) }
    }

    private func cancel(_ flight: FlightID?) -> FlightID? {
        if let flight { flights[flight]?.cancel() }
        return flight
    }
}

extension FlightWaiters {
    /// A caller of a flight. An object, because thousands of callers may wait in small frames.
    ///
    /// Install its cancellation handler before it joins. The flight counts it from the join until ``cancel()`` returns.
    final class Caller: Sendable {
        private enum State {
            case arriving
            case waiting(WaiterID, in: LoadControl)
            case cancelled
        }

        let request: ImageRequest
        /// Nil if its priority doesn't change and its progress isn't followed.
        let control: LoadControl?
        /// Whether another flight waits, whose own callers count in its place.
        private let isFlight: Bool
        let promise = Promise<Outcome>()
        private let state = Mutex(State.arriving)
        private let begin: @Sendable (Caller) -> Void
        private let leave: @Sendable (WaiterID) -> Void

        /// - Parameters:
        ///   - begin: Called when the caller begins to wait. It joins a flight.
        ///   - leave: Called when the caller has cancelled, with its place in a flight.
        init(
            _ request: ImageRequest, _ control: LoadControl?, isFlight: Bool = false,
            begin: @escaping @Sendable (Caller) -> Void = { _ in },
            leave: @escaping @Sendable (WaiterID) -> Void
        ) {
            self.request = request
            self.control = control
            self.isFlight = isFlight
            self.begin = begin
            self.leave = leave
        }

        /// Begins, and waits for the outcome. The closures capture nothing else, which keeps the frames small.
        @inline(__always) func outcome() async -> Outcome {
            await withTaskCancellationHandler {
                await begun()
            } onCancel: {
                cancel()
            }
        }

        /// Concurrent, so that an actor that the caller is isolated to takes part in none of it.
        @concurrent private func begun() async -> Outcome {
            begin(self)
            return await promise.value()
        }

        /// Joins a flight, unless the caller has cancelled. Call at most once.
        fileprivate func join(_ enter: () -> Place) -> Place? {
            state.withLock { state in
                if case .cancelled = state { return nil }
                let place = enter()
                if !isFlight { place.control.addCaller().forEach { $0() } }
                state = .waiting(place.waiter, in: place.control)
                return place
            }
        }

        /// Ends the wait at once: nothing begins for the caller from now on. It leaves its flight, if any, later.
        func cancel() {
            let waiter = state.withLock { state -> WaiterID? in
                defer { state = .cancelled }
                guard case .waiting(let waiter, let control) = state else { return nil }
                if !isFlight { control.removeCaller() }
                return waiter
            }
            promise.end(Outcome(.failure(.cancelled)))
            if let waiter { leave(waiter) }
        }
    }
}

/// The outcome of a flight. One object for all its waiters, so that little is copied for each of them and thousands of
/// suspended callers need little memory.
package final class FlightOutcome<Value: Sendable>: Sendable {
    let result: Result<Value, ImageLoaderError>

    init(_ result: Result<Value, ImageLoaderError>) { self.result = result }

    func get() throws(ImageLoaderError) -> Value { try result.get() }
}
