/// Identifies a flight of a ``FlightTable``.
package struct FlightID: Hashable, Sendable {
    fileprivate let number: UInt64
}

/// Tracks which callers wait for which flight, and with what priority. It only makes the decisions of coalescing: it
/// has no Task, lock or clock.
///
/// A flight is one piece of work that several callers wait for. The table stores a `Waiter` for each caller and returns
/// it to the table's owner, which serves the caller. A key whose flight was cancelled or retired gets a new flight, and
/// the outcome of the old flight never reaches callers that joined later.
package struct FlightTable<Key: Hashable & Sendable, Waiter: Sendable>: Sendable {
    package struct WaiterID: Hashable, Sendable {
        package let flight: FlightID
        fileprivate let number: UInt64
    }

    /// The action to take for a caller that joined.
    package enum Join: Equatable, Sendable {
        /// The caller is the first: start this flight.
        case start(FlightID)
        /// The flight is under way. `priority` is its new priority if this caller changed it.
        case joined(FlightID, priority: RequestPriority?)
    }

    /// The action to take for a caller that leaves.
    package enum Leave: Equatable, Sendable {
        /// Already served, or never joined: do nothing.
        case unknown
        /// Resume the caller; others still wait. `priority` is the flight's new priority if it changed because this
        /// caller left.
        case resume(FlightID, priority: RequestPriority?)
        /// Resume the caller and cancel the flight: the caller was the last waiter.
        case resumeAndCancel(FlightID)
    }

    struct Flight: Sendable {
        let key: Key
        var waiters: WaiterList<Waiter>

        /// The highest priority of the waiters; the lowest priority if there are none.
        var priority: RequestPriority { waiters.priority ?? .veryLow }
    }

    /// Flights whose work has not ended, including flights that are winding down because their last waiter left.
    private(set) var flights: [FlightID: Flight] = [:]
    /// The flights that new callers join.
    private(set) var joinable: [Key: FlightID] = [:]
    private var lastFlight: UInt64 = 0
    private var lastWaiter: UInt64 = 0

    package init() {}

    package mutating func join(
        _ key: Key, _ waiter: Waiter, priority: RequestPriority = .normal
    ) -> (WaiterID, Join) {
        lastWaiter += 1
        let place = WaiterList.Place(number: lastWaiter, priority: priority, waiter: waiter)
        if let flight = joinable[key] {
            let change = update(flight) { $0.insert(place) }
            return (WaiterID(flight: flight, number: lastWaiter), .joined(flight, priority: change))
        }
        lastFlight += 1
        let flight = FlightID(number: lastFlight)
        flights[flight] = Flight(key: key, waiters: WaiterList(place))
        joinable[key] = flight
        return (WaiterID(flight: flight, number: lastWaiter), .start(flight))
    }

    /// Removes a caller. May be called any number of times, even after ``serve(_:)``.
    package mutating func leave(_ waiter: WaiterID) -> Leave {
        let flight = waiter.flight
        var isKnown = false
        let change = update(flight) { isKnown = $0.remove(waiter.number) }
        guard isKnown else { return .unknown }
        guard flights[flight]?.waiters.count == 0 else { return .resume(flight, priority: change) }
        close(flight)
        return .resumeAndCancel(flight)
    }

    /// Changes a waiter's priority. Returns the flight's new priority if that changed.
    package mutating func setPriority(_ priority: RequestPriority, of waiter: WaiterID) -> RequestPriority? {
        update(waiter.flight) { $0.setPriority(priority, of: waiter.number) }
    }

    /// The waiter of a caller; nil if the caller isn't waiting.
    package subscript(waiter: WaiterID) -> Waiter? { flights[waiter.flight]?.waiters[waiter.number] }

    /// All waiters.
    package var waiters: [Waiter] {
        var all: [Waiter] = []
        for flight in flights.values { flight.waiters.forEach { all.append($0) } }
        return all
    }

    /// Closes a flight to later callers. Returns the callers to resume. The flight stays in the table until
    /// ``remove(_:)``, because its work continues.
    package mutating func serve(_ flight: FlightID) -> WaiterList<Waiter> {
        close(flight)
        return flights.modify(flight) { $0.waiters.removeAll() } ?? WaiterList()
    }

    /// Removes a flight whose work has ended.
    package mutating func remove(_ flight: FlightID) {
        close(flight)
        flights[flight] = nil
        flights.giveBackRoom()
        joinable.giveBackRoom()
    }

    /// Makes later callers of `key` start a new flight. Callers that wait for the current one still get its outcome.
    package mutating func retire(_ key: Key) { joinable[key] = nil }

    /// The waiters of a flight.
    package func waiters(of flight: FlightID) -> WaiterList<Waiter> { flights[flight]?.waiters ?? WaiterList() }

    /// Changes the waiters of a flight. Returns its new priority if that changed.
    private mutating func update(
        _ flight: FlightID, _ change: (inout WaiterList<Waiter>) -> Void
    ) -> RequestPriority? {
        let changed = flights.modify(flight) { flight in
            let before = flight.priority
            change(&flight.waiters)
            return flight.priority == before ? nil : flight.priority
        }
        return changed ?? nil
    }

    /// Prevents further callers from joining a flight.
    private mutating func close(_ flight: FlightID) {
        if let key = flights[flight]?.key, joinable[key] == flight { joinable[key] = nil }
    }
}

/// The waiters of one flight. Usually there is only one, which needs no dictionary.
package struct WaiterList<Waiter: Sendable>: Sendable {
    struct Place: Sendable {
        let number: UInt64
        var priority: RequestPriority
        let waiter: Waiter
    }

    private var first: Place?
    private var others: [UInt64: Place] = [:]
    /// The number of `others` of each priority; empty until the first is added.
    private var counts: [Int] = []

    init(_ first: Place? = nil) { self.first = first }

    package var count: Int { (first == nil ? 0 : 1) + others.count }

    /// The highest priority; nil if there are no waiters.
    var priority: RequestPriority? {
        guard !others.isEmpty else { return first?.priority }
        let highest = RequestPriority.allCases.last { counts[$0.rawValue] > 0 } ?? .veryLow
        return first.map { max($0.priority, highest) } ?? highest
    }

    /// Calls `body` with the waiters, in the order they joined.
    package func forEach(_ body: (Waiter) -> Void) {
        if let first { body(first.waiter) }
        if !others.isEmpty { for place in others.values.sorted(by: { $0.number < $1.number }) { body(place.waiter) } }
    }

    /// Whether any waiter matches. O(waiters).
    package func contains(where matches: (Waiter) -> Bool) -> Bool {
        first.map { matches($0.waiter) } == true || others.values.contains { matches($0.waiter) }
    }

    subscript(number: UInt64) -> Waiter? { first?.number == number ? first?.waiter : others[number]?.waiter }

    mutating func insert(_ place: Place) {
        guard count > 0 else { return first = place }
        if counts.isEmpty { counts = RequestPriority.allCases.map { _ in 0 } }
        counts[place.priority.rawValue] += 1
        others[place.number] = place
    }

    /// Returns false for an unknown waiter.
    mutating func remove(_ number: UInt64) -> Bool {
        if first?.number == number {
            first = nil
            return true
        }
        guard let place = others.removeValue(forKey: number) else { return false }
        counts[place.priority.rawValue] -= 1
        return true
    }

    mutating func removeAll() -> Self { exchange(&self, with: Self()) }

    mutating func setPriority(_ priority: RequestPriority, of number: UInt64) {
        guard first?.number != number else {
            first?.priority = priority
            return
        }
        guard let old = others[number]?.priority else { return }
        counts[old.rawValue] -= 1
        counts[priority.rawValue] += 1
        others[number]?.priority = priority
    }
}
