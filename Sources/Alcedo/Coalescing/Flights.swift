import Synchronization

/// Loads each value once, however many callers ask for it.
///
/// Its functions may be called from any thread, and only the functions that wait for flights suspend. Each function
/// locks a ``FlightTable``, asks it what to do, unlocks, and does it. While the lock is held, nothing is resumed or
/// cancelled, and no user code runs.
///
/// A flight has the highest priority of its callers. When the last caller leaves, the flight's Task is cancelled.
final class Flights<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Outcome = FlightOutcome<Value>
    private typealias Table = FlightTable<Key, Caller>
    fileprivate typealias WaiterID = FlightTable<Key, Caller>.WaiterID

    /// A caller's place in a flight.
    struct Place {
        fileprivate let waiter: WaiterID
        var flight: FlightID { waiter.flight }
        /// The flight's control.
        let control: LoadControl
        /// Whether this caller started the flight.
        let isFirst: Bool
    }

    /// The work of a flight.
    struct Work {
        /// The flight's Task. It must call ``land(_:_:prepare:refused:)`` and then ``end(_:)``.
        let task: Task<Void, Never>
        /// Whether callers may still join the flight rather than begin a new one. Called while the lock is held.
        let isCurrent: @Sendable () -> Bool
    }

    /// The end of a flight: the value for its callers, and the work that remains once they have it.
    struct Landing: Sendable {
        let value: Value
        let afterwards: (@Sendable () async -> Void)?

        init(_ value: Value, afterwards: (@Sendable () async -> Void)? = nil) {
            (self.value, self.afterwards) = (value, afterwards)
        }
    }

    struct Flight {
        let control: LoadControl
        let work: Work
        var hasLanded = false
    }

    private struct State {
        var table = Table()
        /// Flights whose Tasks haven't ended.
        var flights: [FlightID: Flight] = [:]
        var sharedCount = 0
        var isClosed = false
        /// Loaders whose callers are refused.
        var closedLoaders: Set<ObjectIdentifier> = []

        func isClosed(to caller: Caller) -> Bool {
            isClosed || !closedLoaders.isEmpty && caller.control?.loader.map(closedLoaders.contains) == true
        }

        /// Whether a caller only revalidates in the background, and another caller already does.
        func isRedundant(_ caller: Caller, _ key: Key) -> Bool {
            guard caller.needs.contains(.revalidating), let flight = current(key) else { return false }
            return table.waiters(of: flight).contains { $0.needs.contains(.revalidating) }
        }

        /// The flight that a caller with this key joins; nil if the caller begins a new one.
        func current(_ key: Key) -> FlightID? {
            table.joinable[key].flatMap { flights[$0]?.work.isCurrent() == true ? $0 : nil }
        }
    }

    private let state = Mutex(State())

    // MARK: Joining

    /// Adds a caller to the flight of `key`, or begins a flight if there is none.
    ///
    /// - Parameters:
    ///   - priority: The caller's priority; ignored if the caller has a control.
    ///   - begin: Returns the work of a new flight. Called while the lock is held.
    /// - Returns: Nil if the caller already has its outcome: it has left, these flights or its loader are closed, or
    ///   another caller already revalidates the flight.
    func join(
        _ key: Key, _ caller: Caller, priority: RequestPriority,
        begin: (FlightID, LoadControl) -> Work
    ) -> Place? {
        var changes: [LoadControl.Change] = []
        let (place, refusal) = state.withLock { state -> (Place?, ImageLoaderError?) in
            // A flight that waits for another one is cancelled when the loader is closed.
            if state.isClosed(to: caller) { return (nil, caller.isFlight ? .cancelled : .closed) }
            if state.isRedundant(caller, key) { return (nil, .cancelled) }
            let place = caller.join { enter(key, caller, priority, &state, &changes) { begin($0, $1) } }
            if place?.isFirst == false { state.sharedCount += 1 }
            return (place, nil)
        }
        for change in changes { change() }
        if let refusal { caller.promise.end(Outcome(.failure(refusal))) }
        if let place { follow(caller, place.waiter) }
        return place
    }

    /// Waits for the outcome of a flight. If the Task is cancelled, the caller leaves immediately, even while joining.
    ///
    /// - Parameter join: Makes the caller join, or ends its promise.
    func outcome(of caller: Caller, join: () -> Void) async -> Outcome {
        // The control may outlive the flight, and its closure would retain these flights.
        defer { caller.control?.onChange(nil) }
        return await caller.promise.value(after: join) { self.leave(caller) }
    }

    /// Adds a caller to the flight of `key`, if there is one, so that it continues when all others leave.
    ///
    /// The caller isn't counted as sharing the flight until ``countShared()`` is called.
    ///
    /// May be called while the lock of other flights is held.
    ///
    /// - Returns: A closure to call once no lock is held. Nil if there is no flight.
    func joinCurrent(_ key: Key, _ caller: Caller, priority: RequestPriority) -> LoadControl.Change? {
        var changes: [LoadControl.Change] = []
        let place = state.withLock { state -> Place? in
            if state.isClosed(to: caller) || state.current(key) == nil { return nil }
            return caller.join { enter(key, caller, priority, &state, &changes) { _, _ in nil } }
        }
        guard let place else { return nil }
        return { [changes] in
            for change in changes { change() }
            self.follow(caller, place.waiter)
        }
    }

    private func enter(
        _ key: Key, _ caller: Caller, _ priority: RequestPriority, _ state: inout State,
        _ changes: inout [LoadControl.Change], begin: (FlightID, LoadControl) -> Work?
    ) -> Place {
        if state.current(key) == nil { state.table.retire(key) }
        let priority = caller.control?.priority ?? priority
        let (waiter, join) = state.table.join(key, caller, priority: priority)
        let current = state.flights[waiter.flight]?.control
        let flight =
            current
            ?? LoadControl(
                priority: priority, id: caller.control?.id ?? LoadID(),
                loader: caller.control?.loader ?? ObjectIdentifier(self))
        if case .joined(_, let priority?) = join { changes += flight.change(priority) }
        if !caller.isFlight { flight.keepsResult = true }
        if let control = caller.control { changes += flight.share(with: control) }
        if current == nil, let work = begin(waiter.flight, flight) {
            state.flights[waiter.flight] = Flight(control: flight, work: work)
        }
        return Place(waiter: waiter, control: flight, isFirst: current == nil)
    }

    private func follow(_ caller: Caller, _ waiter: WaiterID) {
        guard let control = caller.control else { return }
        control.onChange { self.reread(waiter) }
        // The priority may have changed since the caller joined.
        reread(waiter)
    }

    private func reread(_ waiter: WaiterID) {
        let changes = state.withLock { state -> [LoadControl.Change] in
            guard let control = state.table[waiter]?.control,
                let priority = state.table.setPriority(control.priority, of: waiter)
            else { return [] }
            return state.flights[waiter.flight]?.control.change(priority) ?? []
        }
        for change in changes { change() }
    }

    // MARK: Leaving

    /// Ends a caller's wait with ``ImageLoaderError/cancelled``, unless the caller already has its outcome. A caller
    /// that hasn't joined yet can't join any more.
    func leave(_ caller: Caller) {
        var changes: [LoadControl.Change] = []
        let unwanted = state.withLock { state -> Flight? in
            guard let waiter = caller.leave(), let flight = state.flights[waiter.flight] else { return nil }
            let decision = state.table.leave(waiter)
            if case .unknown = decision { return nil }
            if let control = caller.control { flight.control.remove(control) }
            switch decision {
            case .unknown: return nil
            case .resume(_, let priority):
                if let priority { changes = flight.control.change(priority) }
                return nil
            case .resumeAndCancel: return flight
            }
        }
        caller.promise.end(Outcome(.failure(.cancelled)))
        for change in changes { change() }
        unwanted?.work.task.cancel()
    }

    /// Ends the wait of all callers that match, as ``leave(_:)`` does. By default, this excludes flights that wait for
    /// other flights, because they are cancelled when their own callers leave.
    func cancelAll(where matches: (Caller) -> Bool = { !$0.isFlight }) {
        let callers = state.withLock { $0.table.waiters }
        for caller in callers where matches(caller) { leave(caller) }
    }

    /// Whether a caller that waits for a flight has one of these needs.
    func needs(_ needs: FlightNeeds, of flight: FlightID) -> Bool {
        hasCaller(of: flight) { !$0.needs.isDisjoint(with: needs) }
    }

    /// Whether a caller that waits for a flight matches. O(callers).
    func hasCaller(of flight: FlightID, where matches: (Caller) -> Bool) -> Bool {
        state.withLock { $0.table.waiters(of: flight).contains(where: matches) }
    }

    /// Whether all callers are refused.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Refuses all new callers, and ends the wait of the current ones.
    func close() {
        state.withLock { $0.isClosed = true }
        cancelAll()
    }

    /// Refuses new callers of a loader, and ends the wait of its current ones.
    func close(_ loader: ObjectIdentifier) {
        state.withLock { _ = $0.closedLoaders.insert(loader) }
        cancelAll { $0.control?.loader == loader }
    }

    /// Ends the wait of the callers of a loader that no longer exists.
    func end(_ loader: ObjectIdentifier) {
        cancelAll { $0.control?.loader == loader }
        state.withLock { _ = $0.closedLoaders.remove(loader) }
    }

    // MARK: Landing

    /// The work of a flight, in a Task of its own, which inherits nothing from the flight's first caller.
    ///
    /// - Parameters:
    ///   - isCurrent: Returns whether callers may still join the flight. Called while the lock is held.
    ///   - prepare: Called with the value and the number of callers before they get it.
    ///   - refused: Called with the value for each caller that has left and doesn't take it.
    func work(
        of flight: FlightID, isCurrent: @escaping @Sendable () -> Bool,
        prepare: @escaping @Sendable (Value, Int) -> Void = { _, _ in },
        refused: @escaping @Sendable (Value) -> Void = { _ in },
        load: @escaping @Sendable () async throws(ImageLoaderError) -> Landing
    ) -> Work {
        let task = Task.detached { [self] in
            let afterwards = land(flight, await Self.outcome(of: load), prepare, refused)
            await afterwards?()
            end(flight)
        }
        return Work(task: task, isCurrent: isCurrent)
    }

    private static func outcome(
        of load: @Sendable () async throws(ImageLoaderError) -> Landing
    ) async -> Result<Landing, ImageLoaderError> {
        do throws(ImageLoaderError) {
            return .success(try await load())
        } catch {
            return .failure(error)
        }
    }

    /// Serves all callers of a flight. Returns the work that remains. Not inlined, so that waiting flights are small.
    @inline(never) private func land(
        _ flight: FlightID, _ result: Result<Landing, ImageLoaderError>, _ prepare: (Value, Int) -> Void,
        _ refused: (Value) -> Void
    ) -> (@Sendable () async -> Void)? {
        let outcome = Outcome(result.map(\.value))
        guard case .success(let landing) = result else {
            land(flight, outcome)
            return nil
        }
        land(flight, outcome, prepare: { prepare(landing.value, $0) }, refused: { refused(landing.value) })
        return landing.afterwards
    }

    /// Serves all callers of a flight. Later callers begin a new flight.
    ///
    /// - Parameters:
    ///   - prepare: Called first, with the number of callers.
    ///   - refused: Called for each caller that has left and doesn't take the outcome.
    func land(_ flight: FlightID, _ outcome: Outcome, prepare: (Int) -> Void = { _ in }, refused: () -> Void = {}) {
        let (control, callers) = state.withLock { state in
            let control = state.flights.modify(flight) { flight in
                flight.hasLanded = true
                return flight.control
            }
            return (control, state.table.serve(flight))
        }
        control?.removeAll()
        prepare(callers.count)
        let makingTime = control?.makingTime ?? .zero
        callers.forEach { caller in
            if makingTime > .zero { caller.control?.addMakingTime(makingTime) }
            if !caller.promise.end(outcome) { refused() }
        }
    }

    /// Ends a flight. Its Task must call this last.
    func end(_ flight: FlightID) {
        state.withLock { state in
            state.table.remove(flight)
            state.flights[flight] = nil
            state.flights.giveBackRoom()
        }
    }

    // MARK: Waiting for flights

    /// Waits for the Tasks of all flights that match now, but not for flights that match later.
    ///
    /// - Parameter matches: Receives a flight and the number of its callers. Called while the lock is held.
    func ended(where matches: (Flight, _ callers: Int) -> Bool = { _, _ in true }) async {
        let tasks = state.withLock { state in
            state.flights
                .filter { matches($0.value, state.table.waiters(of: $0.key).count) }
                .map(\.value.work.task)
        }
        for task in tasks { await task.value }
    }

    // MARK: Statistics

    /// The number of callers so far that joined an existing flight.
    var sharedCount: Int { state.withLock { $0.sharedCount } }

    func countShared() { state.withLock { $0.sharedCount += 1 } }

    /// The number of flights whose Tasks haven't ended.
    var count: Int { state.withLock { $0.flights.count } }

    /// Whether a caller waits for `key`.
    func isLoading(_ key: Key) -> Bool { state.withLock { $0.table.joinable[key] != nil } }

    /// Whether a caller waits for a key that matches. O(flights).
    func isLoading(where matches: (Key) -> Bool) -> Bool {
        state.withLock { $0.table.joinable.keys.contains(where: matches) }
    }
}

extension Flights {
    /// A caller that waits for a flight, or is about to.
    final class Caller: Sendable {
        private enum State {
            case arriving
            case waiting(WaiterID, LoadControl)
            case gone
        }

        /// The caller's control; nil if its priority doesn't change and its progress isn't followed.
        let control: LoadControl?
        /// Whether this is a flight that waits for another flight. It doesn't cause the result to be stored, and ends
        /// as cancelled when the loader is closed.
        let isFlight: Bool
        let needs: FlightNeeds
        let promise = Promise<Outcome>()
        private let state = Mutex(State.arriving)

        init(_ control: LoadControl? = nil, isFlight: Bool = false, needs: FlightNeeds = .bytes) {
            (self.control, self.isFlight, self.needs) = (control, isFlight, needs)
        }

        /// The control of the flight that the caller has joined; nil if it hasn't joined or has left.
        var flightControl: LoadControl? {
            state.withLock { if case .waiting(_, let control) = $0 { control } else { nil } }
        }

        /// - Parameter enter: Not called for a caller that has left.
        fileprivate func join(_ enter: () -> Place) -> Place? {
            state.withLock { state in
                guard case .arriving = state else { return nil }
                let place = enter()
                state = .waiting(place.waiter, place.control)
                return place
            }
        }

        fileprivate func leave() -> WaiterID? {
            state.withLock { state in
                defer { state = .gone }
                if case .waiting(let waiter, _) = state { return waiter }
                return nil
            }
        }
    }
}

/// The outcome of a flight. All waiters share one object, so that little is copied for each waiter and thousands of
/// suspended callers need little memory.
package final class FlightOutcome<Value: Sendable>: Sendable {
    let result: Result<Value, ImageLoaderError>

    init(_ result: Result<Value, ImageLoaderError>) { self.result = result }

    func get() throws(ImageLoaderError) -> Value { try result.get() }
}
