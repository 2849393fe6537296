/// Who waits for which flight: the decisions of coalescing, without a Task, a lock or a clock.
///
/// A flight is one piece of work that several callers wait for. The table hands out ids only; continuations and Tasks
/// stay with the actor that asks. Every flight is a generation of its own: a key whose flight was cancelled or retired
/// gets a new one, and what the old one still brings reaches no one who joined later.
package struct FlightTable<Key: Hashable & Sendable>: Sendable {
    package struct WaiterID: Hashable, Sendable { fileprivate let number: UInt64 }
    package struct FlightID: Hashable, Sendable { fileprivate let number: UInt64 }

    /// What to do for a caller that joined.
    package enum Join: Equatable, Sendable {
        /// The first one: start this flight.
        case start(FlightID)
        /// The flight is under way.
        case joined(FlightID)
    }

    /// What to do for a caller that leaves.
    package enum Leave: Equatable, Sendable {
        /// Served already, or never joined: nothing.
        case unknown
        /// Resume it; others still wait.
        case resume
        /// Resume it, and cancel the flight: it was the last one.
        case resumeAndCancel(FlightID)
    }

    private struct Flight: Sendable {
        let key: Key
        var waiters: Set<WaiterID>
    }

    /// Flights whose work has not ended, those that wind down after their last waiter left among them.
    private var flights: [FlightID: Flight] = [:]
    /// The flight that a caller of this key would join.
    private var joinable: [Key: FlightID] = [:]
    private var flightOfWaiter: [WaiterID: FlightID] = [:]
    private var lastNumber: UInt64 = 0

    package init() {}

    /// A fresh id, to be taken before the caller suspends.
    package mutating func makeWaiter() -> WaiterID { WaiterID(number: nextNumber()) }

    package mutating func join(_ key: Key, as waiter: WaiterID) -> Join {
        if let flight = joinable[key] {
            flights[flight]?.waiters.insert(waiter)
            flightOfWaiter[waiter] = flight
            return .joined(flight)
        }
        let flight = FlightID(number: nextNumber())
        flights[flight] = Flight(key: key, waiters: [waiter])
        joinable[key] = flight
        flightOfWaiter[waiter] = flight
        return .start(flight)
    }

    /// The caller goes; may be called any number of times, in any order with ``end(_:)``.
    package mutating func leave(_ waiter: WaiterID) -> Leave {
        guard let flight = flightOfWaiter.removeValue(forKey: waiter) else { return .unknown }
        flights[flight]?.waiters.remove(waiter)
        guard flights[flight]?.waiters.isEmpty == true else { return .resume }
        closeToJoiners(flight)
        return .resumeAndCancel(flight)
    }

    /// The flight's work is over, with success or without: the callers to resume, in the order they came.
    package mutating func end(_ flight: FlightID) -> [WaiterID] {
        closeToJoiners(flight)
        guard let ended = flights.removeValue(forKey: flight) else { return [] }
        for waiter in ended.waiters { flightOfWaiter[waiter] = nil }
        return ended.waiters.sorted { $0.number < $1.number }
    }

    /// Callers of `key` from now on start a new flight; those who wait for the present one still get its outcome.
    package mutating func retire(_ key: Key) { joinable[key] = nil }

    /// ``retire(_:)`` for every key.
    package mutating func retireAll() { joinable.removeAll() }

    package func waiterCount(of key: Key) -> Int { joinable[key].flatMap { flights[$0]?.waiters.count } ?? 0 }

    /// Flights whose work has not ended.
    package var flightCount: Int { flights.count }

    /// Why the table contradicts itself, nil when it does not; for tests.
    package var brokenInvariant: String? {
        for (key, flight) in joinable {
            guard let found = flights[flight] else { return "a joinable flight has ended" }
            if found.key != key { return "a flight is joinable under another key" }
            if found.waiters.isEmpty { return "a flight without waiters is joinable" }
        }
        for (waiter, flight) in flightOfWaiter where flights[flight]?.waiters.contains(waiter) != true {
            return "a waiter's flight does not know it"
        }
        let waiters = flights.values.reduce(0) { $0 + $1.waiters.count }
        return waiters == flightOfWaiter.count ? nil : "a waiter is in two flights"
    }

    private mutating func closeToJoiners(_ flight: FlightID) {
        guard let key = flights[flight]?.key, joinable[key] == flight else { return }
        joinable[key] = nil
    }

    private mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }
}
