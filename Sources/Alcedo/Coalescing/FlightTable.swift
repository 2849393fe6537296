/// Who waits for which flight and how urgently: the decisions of coalescing, without a Task, a lock or a clock.
///
/// A flight is one piece of work that several callers wait for. The table hands out ids only; continuations and Tasks
/// stay with the actor that asks. Every flight is a generation of its own: a key whose flight was cancelled or retired
/// gets a new one, and what the old one still brings reaches no one who joined later.
package struct FlightTable<Key: Hashable & Sendable>: Sendable {
    package struct WaiterID: Hashable, Sendable { fileprivate let number: UInt64 }
    package typealias FlightID = SlotID

    /// What to do for a caller that joined.
    package enum Join: Equatable, Sendable {
        /// The first one: start this flight.
        case start(FlightID)
        /// The flight is under way; `priority` is its new one, when this caller changed it.
        case joined(FlightID, priority: RequestPriority?)
    }

    /// What to do for a caller that leaves.
    package enum Leave: Equatable, Sendable {
        /// Served already, or never joined: nothing.
        case unknown
        /// Resume it; others still wait. `priority` is the flight's new one, when this caller had kept it up.
        case resume(FlightID, priority: RequestPriority?)
        /// Resume it, and cancel the flight: it was the last one.
        case resumeAndCancel(FlightID)
        /// Resume it: it was the last one, and the flight is held for others who will join. `priority` is the flight's
        /// new one, if that changed.
        case resumeAndHold(FlightID, priority: RequestPriority?)
    }

    private struct Waiter: Sendable {
        let flight: FlightID
        var priority: RequestPriority
    }

    private struct Flight: Sendable {
        let key: Key
        var waiters = WaiterSet<WaiterID>()
        /// Waiters of each priority.
        var counts = SIMD8<UInt32>.zero
        /// The priority of those who will join; nil unless it has no waiters and is held for them.
        var held: RequestPriority?

        /// The highest of those who wait or will join; the lowest without either.
        var priority: RequestPriority {
            RequestPriority.allCases.last { counts[$0.rawValue] > 0 } ?? held ?? .veryLow
        }
    }

    /// Flights whose work has not ended, those that wind down after their last waiter left among them.
    private var flights = SlotMap<Flight>()
    private var flightIDs = SlotIDs()
    /// The flight that a caller of this key would join.
    private var joinable: [Key: FlightID] = [:]
    private var waiters: [WaiterID: Waiter] = [:]
    private var lastWaiter: UInt64 = 0

    package init() {}

    /// A fresh id, to be taken before the caller suspends.
    package mutating func makeWaiter() -> WaiterID {
        lastWaiter += 1
        return WaiterID(number: lastWaiter)
    }

    package mutating func join(_ key: Key, as waiter: WaiterID, priority: RequestPriority = .normal) -> Join {
        if let flight = joinable[key] {
            return .joined(flight, priority: add(waiter, to: flight, priority))
        }
        let flight = flightIDs.take()
        flights[flight] = Flight(key: key)
        joinable[key] = flight
        _ = add(waiter, to: flight, priority)
        return .start(flight)
    }

    /// The caller goes; may be called any number of times, in any order with ``end(_:)``.
    ///
    /// - Parameter hold: called with the key when the last one leaves: the priority of those who will join the flight,
    ///   nil if there are none.
    package mutating func leave(_ waiter: WaiterID, hold: (Key) -> RequestPriority? = { _ in nil }) -> Leave {
        guard let gone = waiters.removeValue(forKey: waiter) else { return .unknown }
        let flight = gone.flight
        let change = update(flight) { flight in
            flight.waiters.remove(waiter)
            flight.counts[gone.priority.rawValue] -= 1
        }
        guard flights[flight]?.waiters.isEmpty == true else { return .resume(flight, priority: change) }
        guard let key = flights[flight]?.key, joinable[key] == flight else { return .resumeAndCancel(flight) }
        guard let priority = hold(key) else {
            joinable[key] = nil
            return .resumeAndCancel(flight)
        }
        flights.modify(flight) { $0.held = priority }
        return .resumeAndHold(flight, priority: priority == gone.priority ? nil : priority)
    }

    /// Nobody will join any more: the flight of `key` that is to be cancelled, nil if it has waiters.
    package mutating func release(_ key: Key) -> FlightID? {
        joinable[key].map { flights[$0]?.held != nil } == true ? retire(key) : nil
    }

    /// A waiter's priority is another now: its flight and that one's new priority, when that changed.
    package mutating func setPriority(
        _ priority: RequestPriority, of waiter: WaiterID
    ) -> (flight: FlightID, priority: RequestPriority)? {
        guard let old = waiters[waiter], old.priority != priority else { return nil }
        waiters[waiter]?.priority = priority
        let change = update(old.flight) { flight in
            flight.counts[old.priority.rawValue] -= 1
            flight.counts[priority.rawValue] += 1
        }
        return change.map { (old.flight, $0) }
    }

    /// The highest priority of those who wait for it; the lowest when nobody does.
    package func priority(of flight: FlightID) -> RequestPriority { flights[flight]?.priority ?? .veryLow }

    /// The flight's work is over, with success or without: the callers to resume, in the order they came.
    package mutating func end(_ flight: FlightID) -> [WaiterID] {
        closeToJoiners(flight)
        guard let ended = flights.remove(flight) else { return [] }
        flightIDs.giveBack(flight)
        let served = ended.waiters.sorted { $0.number < $1.number }
        for waiter in served { waiters[waiter] = nil }
        return served
    }

    /// Callers of `key` from now on start a new flight; those who wait for the present one still get its outcome. A
    /// flight without waiters is returned, to be cancelled: nobody can join it any more.
    package mutating func retire(_ key: Key) -> FlightID? {
        guard let flight = joinable.removeValue(forKey: key), flights[flight]?.held != nil else { return nil }
        flights.modify(flight) { $0.held = nil }
        return flight
    }

    /// ``retire(_:)`` for every key that matches. O(flights).
    package mutating func retireAll(where matches: (Key) -> Bool = { _ in true }) -> [FlightID] {
        joinable.keys.filter(matches).compactMap { retire($0) }
    }

    package func waiterCount(of key: Key) -> Int { joinable[key].map { waiterCount(of: $0) } ?? 0 }

    /// How many wait for a flight.
    package func waiterCount(of flight: FlightID) -> Int { flights[flight]?.waiters.count ?? 0 }

    /// Flights whose work has not ended.
    package var flightCount: Int { flights.count }

    /// Why the table contradicts itself, nil when it does not; for tests.
    package var brokenInvariant: String? {
        for (key, flight) in joinable {
            guard let found = flights[flight] else { return "a joinable flight has ended" }
            if found.key != key { return "a flight is joinable under another key" }
            if found.waiters.isEmpty != (found.held != nil) { return "a flight is held with waiters, or not without" }
        }
        for (id, flight) in flights.contents {
            if flight.held != nil, joinable[flight.key] != id { return "a flight is held that nobody can join" }
            for priority in RequestPriority.allCases {
                let count = flight.waiters.all.count { waiters[$0]?.priority == priority }
                if count != flight.counts[priority.rawValue] { return "the priorities are miscounted" }
            }
        }
        for (id, waiter) in waiters where flights[waiter.flight]?.waiters.contains(id) != true {
            return "a waiter's flight does not know it"
        }
        return flights.contents.reduce(0) { $0 + $1.value.waiters.count } == waiters.count
            ? nil : "a waiter is in two flights"
    }

    private mutating func add(
        _ waiter: WaiterID, to id: FlightID, _ priority: RequestPriority
    ) -> RequestPriority? {
        waiters[waiter] = Waiter(flight: id, priority: priority)
        return update(id) { flight in
            flight.held = nil
            flight.waiters.insert(waiter)
            flight.counts[priority.rawValue] += 1
        }
    }

    /// Changes a flight: its new priority, when that changed.
    private mutating func update(_ id: FlightID, _ change: (inout Flight) -> Void) -> RequestPriority? {
        let changed = flights.modify(id) { flight in
            let before = flight.priority
            change(&flight)
            return flight.priority == before ? nil : flight.priority
        }
        return changed ?? nil
    }

    private mutating func closeToJoiners(_ flight: FlightID) {
        guard let key = flights[flight]?.key, joinable[key] == flight else { return }
        joinable[key] = nil
    }
}

/// Those who wait for one flight. Most often that is one, who needs no table.
private struct WaiterSet<ID: Hashable & Sendable>: Sendable {
    private var first: ID?
    private var others: Set<ID> = []

    var isEmpty: Bool { first == nil && others.isEmpty }
    var count: Int { (first == nil ? 0 : 1) + others.count }
    var all: Set<ID> { first.map { others.union([$0]) } ?? others }

    func contains(_ id: ID) -> Bool { first == id || others.contains(id) }

    /// Adds one that is not there yet.
    mutating func insert(_ id: ID) {
        if first == nil { first = id } else { others.insert(id) }
    }

    mutating func remove(_ id: ID) {
        if first == id { first = nil } else { others.remove(id) }
    }

    func sorted(by areInOrder: (ID, ID) -> Bool) -> [ID] {
        if others.isEmpty { return first.map { [$0] } ?? [] }
        return all.sorted(by: areInOrder)
    }
}
