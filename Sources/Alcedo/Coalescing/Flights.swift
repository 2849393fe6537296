import Synchronization

/// Loads each value once, however many callers ask for it.
///
/// Its functions may be called from any thread, and only those that wait for flights suspend. Each one locks a
/// ``FlightTable``, asks it what to do, unlocks, and does that. While the lock is held, nothing is resumed or
/// cancelled, and no code of the program runs.
///
/// A flight has the highest priority of its callers. When the last of them has left, its Task is cancelled.
final class Flights<Key: PrehashedKey, Value: Sendable>: Sendable {
    typealias Outcome = FlightOutcome<Value>
    typealias FlightID = SlotID
    private typealias Table = FlightTable<Key, Caller>
    fileprivate typealias WaiterID = FlightTable<Key, Caller>.WaiterID

    /// A caller's place in a flight.
    struct Place {
        fileprivate let waiter: WaiterID
        var flight: FlightID { waiter.flight }
        /// The flight's.
        let control: LoadControl
        /// Whether the flight begins with this caller.
        let isFirst: Bool
    }

    /// The work of a flight.
    struct Work {
        /// Has to call ``land(_:_:)`` and then ``end(_:)``.
        let task: Task<Void, Never>
        /// Whether callers may join it still, and aren't to begin another. Called while the lock is held.
        let isCurrent: @Sendable () -> Bool
    }

    private struct Flight {
        let control: LoadControl
        let work: Work
        var hasLanded = false
    }

    private struct State {
        var table = Table()
        /// Flights whose Tasks haven't ended.
        var flights = SlotMap<Flight>()
        var sharedCount = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    // MARK: Joining

    /// Adds a caller to the flight of `key`. If there is none, one begins.
    ///
    /// - Parameters:
    ///   - priority: That of the caller, unless it has a control.
    ///   - begin: Returns the work of a new flight. Called while the lock is held.
    /// - Returns: Nil if the caller has its outcome already, because it has left or no flight may begin any more.
    func join(
        _ key: Key, _ caller: Caller, priority: RequestPriority,
        begin: (FlightID, LoadControl) -> Work
    ) -> Place? {
        var changes: [LoadControl.Change] = []
        let (place, isClosed) = state.withLock { state in
            if state.isClosed { return (Place?.none, true) }
            let place = caller.join { () -> Place in
                if let flight = state.table.flight(of: key), state.flights[flight]?.work.isCurrent() == false {
                    _ = state.table.retire(key)
                }
                let priority = caller.control?.priority ?? priority
                let (waiter, join) = state.table.join(key, caller, priority: priority)
                let under = state.flights[waiter.flight]?.control
                let id = caller.control?.id ?? LoadID()
                let flight = under ?? LoadControl(priority: priority, id: id, loader: ObjectIdentifier(self))
                if case .joined(_, let priority?) = join { changes += flight.change(priority) }
                if !caller.isFlight { changes += flight.addCaller() }
                if let control = caller.control { changes += flight.share(with: control) }
                if under == nil {
                    state.flights[waiter.flight] = Flight(control: flight, work: begin(waiter.flight, flight))
                } else {
                    state.sharedCount += 1
                }
                return Place(waiter: waiter, control: flight, isFirst: under == nil)
            }
            return (place, false)
        }
        for change in changes { change() }
        // A flight that waits for another is cancelled when the loader is closed.
        if isClosed { caller.promise.end(Outcome(.failure(caller.isFlight ? .cancelled : .closed))) }
        if let place, let control = caller.control { follow(control, place.waiter) }
        return place
    }

    private func follow(_ control: LoadControl, _ waiter: WaiterID) {
        control.onChange { self.reread(waiter) }
        // It may have changed since the caller joined.
        reread(waiter)
    }

    /// Rereads the priority of a caller, and whether it is wanted if it is a flight.
    private func reread(_ waiter: WaiterID) {
        let changes = state.withLock { state -> [LoadControl.Change] in
            guard let caller = state.table[waiter], let control = caller.control,
                let flight = state.flights[waiter.flight]?.control
            else { return [] }
            let change = state.table.setPriority(control.priority, of: waiter)
            let changes = change.map { flight.change($0.priority) } ?? []
            return changes.isEmpty && caller.isFlight ? flight.changed() : changes
        }
        for change in changes { change() }
    }

    // MARK: Leaving

    /// Ends a caller's wait with ``ImageLoaderError/cancelled``, unless it has its outcome. A caller that hasn't joined
    /// is refused later.
    func leave(_ caller: Caller) {
        var changes: [LoadControl.Change] = []
        let unwanted = state.withLock { state -> Flight? in
            guard let waiter = caller.leave(), let flight = state.flights[waiter.flight] else { return nil }
            let decision = state.table.leave(waiter)
            if case .unknown = decision { return nil }
            if !caller.isFlight { flight.control.removeCaller() }
            if let control = caller.control { flight.control.remove(control) }
            switch decision {
            case .unknown: return nil
            case .resume(_, let priority), .resumeAndHold(_, let priority):
                if let priority { changes = flight.control.change(priority) }
                return nil
            case .resumeAndCancel: return flight
            }
        }
        caller.promise.end(Outcome(.failure(.cancelled)))
        for change in changes { change() }
        unwanted?.work.task.cancel()
    }

    /// Ends the wait of all callers, as ``leave(_:)`` does. Flights that wait for others are cancelled with their own
    /// callers.
    func cancelAll() {
        let callers = state.withLock { $0.table.contents.map(\.waiter) }
        for caller in callers where !caller.isFlight { leave(caller) }
    }

    /// Refuses all callers from now on, and ends the wait of the others.
    func close() {
        state.withLock { $0.isClosed = true }
        cancelAll()
    }

    // MARK: Landing

    /// Serves all callers of a flight. Later ones begin another.
    func land(_ flight: FlightID, _ outcome: Outcome) {
        let (control, callers) = state.withLock { state in
            let control = state.flights.modify(flight) { flight in
                flight.hasLanded = true
                return flight.control
            }
            return (control, state.table.serve(flight))
        }
        control?.removeAll()
        let makingTime = control?.makingTime ?? .zero
        func serve(_ caller: Caller) {
            if makingTime > .zero { caller.control?.addMakingTime(makingTime) }
            caller.promise.end(outcome)
        }
        if let first = callers.first { serve(first) }
        callers.others.forEach(serve)
    }

    /// Called last by the Task of a flight.
    func end(_ flight: FlightID) {
        state.withLock { state in
            state.table.remove(flight)
            state.flights.remove(flight)
        }
    }

    // MARK: Waiting for flights

    /// Waits for the Tasks of all flights.
    func ended() async { await ends(of: { _ in true }) }

    /// Waits for what flights still do that have landed. Not for flights that land later, because there might be no
    /// end of them.
    func settle() async { await ends(of: \.hasLanded) }

    private func ends(of matches: (Flight) -> Bool) async {
        let tasks = state.withLock { $0.flights.contents.filter { matches($0.value) }.map(\.value.work.task) }
        for task in tasks { await task.value }
    }

    // MARK: Statistics

    /// The callers so far that have joined a flight of others.
    var sharedCount: Int { state.withLock { $0.sharedCount } }

    /// The flights whose Tasks haven't ended.
    var count: Int { state.withLock { $0.flights.count } }

    /// Whether a caller waits for `key`.
    func isLoading(_ key: Key) -> Bool { state.withLock { $0.table.waiterCount(of: key) > 0 } }
}

extension Flights {
    /// A caller that waits for a flight, or is about to.
    final class Caller: Sendable {
        private enum State {
            case arriving
            case waiting(WaiterID)
            case gone
        }

        /// Nil if its priority doesn't change and its progress isn't followed.
        let control: LoadControl?
        /// Whether another flight waits, whose own callers count in its place.
        let isFlight: Bool
        let promise = Promise<Outcome>()
        private let state = Mutex(State.arriving)

        init(_ control: LoadControl? = nil, isFlight: Bool = false) {
            (self.control, self.isFlight) = (control, isFlight)
        }

        /// - Parameter enter: Not called for a caller that has left.
        fileprivate func join(_ enter: () -> Place) -> Place? {
            state.withLock { state in
                if case .gone = state { return nil }
                let place = enter()
                state = .waiting(place.waiter)
                return place
            }
        }

        fileprivate func leave() -> WaiterID? {
            state.withLock { state in
                defer { state = .gone }
                if case .waiting(let waiter) = state { return waiter }
                return nil
            }
        }
    }
}
