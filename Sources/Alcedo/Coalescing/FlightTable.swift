/// Tracks which callers wait for which flight and with what priority: the decisions of coalescing, without a Task, a
/// lock or a clock.
///
/// A flight is one piece of work that several callers wait for. The table hands out ids only; the owning actor holds
/// the continuations and Tasks. A key whose flight was cancelled or retired gets a new flight, and the old one's
/// outcome never reaches callers who joined later.
package struct FlightTable<Key: Hashable & Sendable>: Sendable {
    package struct WaiterID: Hashable, Sendable { fileprivate let number: UInt64 }
    package typealias FlightID = SlotID

    /// What to do for a caller that joined.
    package enum Join: Equatable, Sendable {
        /// The caller is the first: start this flight.
        case start(FlightID)
        /// The flight is under way. `priority` is its new priority if this caller changed it.
        case joined(FlightID, priority: RequestPriority?)
    }

    /// What to do for a caller that leaves.
    package enum Leave: Equatable, Sendable {
        /// Already served, or never joined: do nothing.
        case unknown
        /// Resume it; others still wait. `priority` is the flight's new priority if it changed because this caller
        /// left.
        case resume(FlightID, priority: RequestPriority?)
        /// Resume it and cancel the flight: it was the last waiter.
        case resumeAndCancel(FlightID)
        /// Resume it: it was the last waiter, and the flight is held for callers that will join. `priority` is the
        /// flight's new priority if that changed.
        case resumeAndHold(FlightID, priority: RequestPriority?)
    }

    private struct Waiter: Sendable {
        let flight: FlightID
        var priority: RequestPriority
    }

    private struct Flight: Sendable {
        let key: Key
        var waiters = WaiterSet<WaiterID>()
        /// The number of waiters of each priority.
        var counts = SIMD8<UInt32>.zero
        /// The priority of the callers that will join. Nil unless the flight has no waiters and is held for them.
        var held: RequestPriority?

        /// The highest priority of the present and expected waiters; the lowest priority if there are none.
        var priority: RequestPriority {
            RequestPriority.allCases.last { counts[$0.rawValue] > 0 } ?? held ?? .veryLow
        }
    }

    /// Flights whose work has not ended, including those that wind down after their last waiter left.
    private var flights = SlotMap<Flight>()
    private var flightIDs = SlotIDs()
    /// The flight that a caller with this key would join.
    private var joinable: [Key: FlightID] = [:]
    private var waiters: [WaiterID: Waiter] = [:]
    private var lastWaiter: UInt64 = 0

    package init() {}

    /// Creates a new id, which the caller must take before it suspends.
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

    /// Removes a caller. May be called any number of times, in any order with ``end(_:)``.
    ///
    /// - Parameter hold: Called with the key when the last waiter leaves. Returns the priority of the callers that will
    ///   join the flight, or nil if there are none.
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

    /// Stops holding the flight of `key`, because nobody will join it. Returns the flight if it must be cancelled, or
    /// nil if it has waiters.
    package mutating func release(_ key: Key) -> FlightID? {
        joinable[key].map { flights[$0]?.held != nil } == true ? retire(key) : nil
    }

    /// Changes a waiter's priority. Returns its flight and the flight's new priority if that changed.
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

    /// The flight that a caller waits for.
    package func flight(of waiter: WaiterID) -> FlightID? { waiters[waiter]?.flight }

    /// The highest priority of a flight's waiters; the lowest priority if there are none.
    package func priority(of flight: FlightID) -> RequestPriority { flights[flight]?.priority ?? .veryLow }

    /// Ends a flight, whether its work succeeded or not. Returns the callers to resume, in the order they joined.
    package mutating func end(_ flight: FlightID) -> [WaiterID] {
        closeToJoiners(flight)
        guard let ended = flights.remove(flight) else { return [] }
        flightIDs.giveBack(flight)
        let served = ended.waiters.sorted { $0.number < $1.number }
        for waiter in served { waiters[waiter] = nil }
        return served
    }

    /// Makes later callers of `key` start a new flight. Callers that wait for the current one still get its outcome. A
    /// flight without waiters is returned for cancellation, because nobody can join it any more.
    package mutating func retire(_ key: Key) -> FlightID? {
        guard let flight = joinable.removeValue(forKey: key), flights[flight]?.held != nil else { return nil }
        flights.modify(flight) { $0.held = nil }
        return flight
    }

    /// Like ``retire(_:)``, for every key that matches. O(flights).
    package mutating func retireAll(where matches: (Key) -> Bool = { _ in true }) -> [FlightID] {
        joinable.keys.filter(matches).compactMap { retire($0) }
    }

    package func waiterCount(of key: Key) -> Int { joinable[key].map { waiterCount(of: $0) } ?? 0 }

    /// The number of callers that wait for a flight.
    package func waiterCount(of flight: FlightID) -> Int { flights[flight]?.waiters.count ?? 0 }

    /// The number of flights whose work has not ended.
    package var flightCount: Int { flights.count }

    /// Describes a broken invariant, or nil when there is none; for tests.
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

    /// Changes a flight. Returns its new priority if that changed.
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

/// The waiters of one flight. Most often there is only one, which needs no set.
private struct WaiterSet<ID: Hashable & Sendable>: Sendable {
    private var first: ID?
    private var others: Set<ID> = []

    var isEmpty: Bool { first == nil && others.isEmpty }
    var count: Int { (first == nil ? 0 : 1) + others.count }
    var all: Set<ID> { first.map { others.union([$0]) } ?? others }

    func contains(_ id: ID) -> Bool { first == id || others.contains(id) }

    /// Adds an id that isn't in the set yet.
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
