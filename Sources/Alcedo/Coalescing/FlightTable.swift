/// Tracks which callers wait for which flight and with what priority: the decisions of coalescing, without a Task, a
/// lock or a clock.
///
/// A flight is one piece of work that several callers wait for. The table hands back what it was given for each caller;
/// its owner serves it. A key whose flight was cancelled or retired gets a new flight, and the old one's outcome
/// never reaches callers who joined later.
///
/// `Waiter` is what a caller is served by.
package struct FlightTable<Key: PrehashedKey, Waiter: Sendable>: Sendable {
    package struct WaiterID: Hashable, Sendable {
        package let flight: FlightID
        fileprivate let number: UInt64
    }
    package typealias FlightID = SlotID

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
        /// Resume it; others still wait. `priority` is the flight's new priority if it changed because this caller
        /// left.
        case resume(FlightID, priority: RequestPriority?)
        /// Resume it and cancel the flight: it was the last waiter.
        case resumeAndCancel(FlightID)
    }

    private struct Flight: Sendable {
        let key: Key
        /// Whether a caller with this key would join it.
        var isJoinable = true
        var waiters: WaiterList<Waiter>

        /// The highest priority of the waiters; the lowest priority if there are none.
        var priority: RequestPriority { waiters.priority ?? .veryLow }
    }

    /// Flights whose work has not ended, including those that wind down after their last waiter left.
    private var flights = SlotMap<Flight>()
    private var flightIDs = SlotIDs()
    /// The flights that callers would join, by the hashes of their keys.
    private var joinable = SlotIndex()
    private var joinableCount = 0
    private var lastWaiter: UInt64 = 0

    package init() {}

    package mutating func join(
        _ key: Key, _ waiter: Waiter, priority: RequestPriority = .normal
    ) -> (WaiterID, Join) {
        lastWaiter += 1
        let place = WaiterList.Place(number: lastWaiter, priority: priority, waiter: waiter)
        if let flight = joinableFlight(key) {
            let change = update(flight) { $0.waiters.insert(place) }
            return (WaiterID(flight: flight, number: lastWaiter), .joined(flight, priority: change))
        }
        let flight = flightIDs.take()
        open(flight, key)
        flights.insert(Flight(key: key, waiters: WaiterList(place)), at: flight)
        return (WaiterID(flight: flight, number: lastWaiter), .start(flight))
    }

    /// Removes a caller. May be called any number of times, also after ``serve(_:)``.
    package mutating func leave(_ waiter: WaiterID) -> Leave {
        let flight = waiter.flight
        var isKnown = false
        let change = update(flight) { isKnown = $0.waiters.remove(waiter.number) != nil }
        guard isKnown else { return .unknown }
        guard flights[flight]?.waiters.isEmpty == true else { return .resume(flight, priority: change) }
        close(flight)
        return .resumeAndCancel(flight)
    }

    /// Changes a waiter's priority. Returns its flight and the flight's new priority if that changed.
    package mutating func setPriority(
        _ priority: RequestPriority, of waiter: WaiterID
    ) -> (flight: FlightID, priority: RequestPriority)? {
        update(waiter.flight) { $0.waiters.setPriority(priority, of: waiter.number) }.map { (waiter.flight, $0) }
    }

    /// The entry that serves a caller; nil unless it waits.
    package subscript(waiter: WaiterID) -> Waiter? { flights[waiter.flight]?.waiters[waiter.number] }

    /// The flight that a caller with this key would join.
    func flight(of key: Key) -> FlightID? { joinableFlight(key) }

    /// All callers that wait.
    package var contents: [(id: WaiterID, waiter: Waiter)] {
        flights.contents.flatMap { flight in
            flight.value.waiters.sorted.map { (WaiterID(flight: flight.id, number: $0.number), $0.waiter) }
        }
    }

    /// The highest priority of a flight's waiters; the lowest priority if there are none.
    package func priority(of flight: FlightID) -> RequestPriority { flights[flight]?.priority ?? .veryLow }

    /// Closes a flight to later callers. Returns the callers to resume, in the order they joined. The flight stays
    /// until ``remove(_:)``, because its work goes on.
    ///
    /// Usually there is only one caller, and no array is allocated.
    package mutating func serve(_ flight: FlightID) -> Served {
        close(flight)
        return Served(waiters: flights.modify(flight) { $0.waiters.removeAll() } ?? WaiterList())
    }

    /// The callers to resume. They are sorted when they are read, without a lock.
    package struct Served: Sendable {
        fileprivate let waiters: WaiterList<Waiter>

        package var count: Int { waiters.count }
        package var first: Waiter? { waiters.first?.waiter }
        /// The callers after the first, in the order they joined.
        package var others: [Waiter] { waiters.later.map(\.waiter) }
    }

    /// Removes a flight whose work has ended.
    package mutating func remove(_ flight: FlightID) {
        guard let ended = flights.remove(flight) else { return }
        if ended.isJoinable { unlist(flight, ended.key.prehash) }
        flightIDs.giveBack(flight)
    }

    /// Makes later callers of `key` start a new flight. Callers that wait for the current one still get its outcome.
    package mutating func retire(_ key: Key) {
        if let flight = joinableFlight(key) { close(flight) }
    }

    /// The first flight that can be joined whose key has this hash and matches.
    private func joinableFlight(withHash prehash: UInt64, where matches: (Key) -> Bool) -> FlightID? {
        joinable.place(of: SlotIndex.hash(prehash)) { flights[at: $0].map { matches($0.key) } ?? false }
            .map(flights.id(at:))
    }

    /// Whether callers wait for a flight whose key has this hash and matches.
    package func hasWaiters(withHash prehash: UInt64, where matches: (Key) -> Bool) -> Bool {
        joinableFlight(withHash: prehash) { matches($0) && waiterCount(of: $0) > 0 } != nil
    }

    package func waiterCount(of key: Key) -> Int { joinableFlight(key).map { waiterCount(of: $0) } ?? 0 }

    /// Whether a caller that waits for a flight matches. O(callers).
    package func hasWaiter(of flight: FlightID, where matches: (Waiter) -> Bool) -> Bool {
        flights[flight]?.waiters.contains(where: matches) ?? false
    }

    /// The number of callers that wait for a flight.
    package func waiterCount(of flight: FlightID) -> Int { flights[flight]?.waiters.count ?? 0 }

    /// The number of flights whose work has not ended.
    package var flightCount: Int { flights.count }

    /// Describes a broken invariant, or nil when there is none; for tests.
    package var brokenInvariant: String? {
        if let problem = joinable.brokenInvariant(count: joinableCount) { return problem }
        if flights.contents.count(where: \.value.isJoinable) != joinableCount { return "the joinable are miscounted" }
        for (id, flight) in flights.contents {
            if flight.isJoinable != (joinableFlight(flight.key) == id) { return "a flight can't be joined, or two can" }
            if flight.isJoinable, flight.waiters.isEmpty { return "a flight without waiters can be joined" }
            if flight.waiters.sorted.map(\.priority).max() != flight.waiters.priority {
                return "the priorities are miscounted"
            }
        }
        return nil
    }

    private func joinableFlight(_ key: Key) -> FlightID? {
        joinableFlight(withHash: key.prehash) { $0 == key }
    }

    private mutating func open(_ flight: FlightID, _ key: Key) {
        if joinable.isFull(count: joinableCount) { rebuildIndex() }
        joinable.insert(SlotIndex.hash(key.prehash), at: flight.place)
        joinableCount += 1
    }

    /// Lets nobody else join a flight.
    private mutating func close(_ flight: FlightID) {
        let prehash = flights.modify(flight) { flight -> UInt64? in
            defer { flight.isJoinable = false }
            return flight.isJoinable ? flight.key.prehash : nil
        }
        if let prehash = prehash ?? nil { unlist(flight, prehash) }
    }

    /// Removes a flight that was joinable from the index.
    private mutating func unlist(_ flight: FlightID, _ prehash: UInt64) {
        joinable.remove(SlotIndex.hash(prehash), at: flight.place)
        joinableCount -= 1
        if joinable.isWasteful(count: joinableCount) { rebuildIndex() }
    }

    private mutating func rebuildIndex() {
        joinable = SlotIndex(count: 2 * joinableCount)
        for (id, flight) in flights.contents where flight.isJoinable {
            joinable.insert(SlotIndex.hash(flight.key.prehash), at: id.place)
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
}

/// The waiters of one flight. Most often there is only one.
private struct WaiterList<Waiter: Sendable>: Sendable {
    struct Place: Sendable {
        let number: UInt64
        var priority: RequestPriority
        let waiter: Waiter
    }

    private(set) var first: Place?
    private var others: [UInt64: Place] = [:]
    /// The number of others of each priority; empty before the first of them.
    private var counts: [Int] = []

    init(_ first: Place? = nil) { self.first = first }

    var isEmpty: Bool { count == 0 }
    var count: Int { (first == nil ? 0 : 1) + others.count }

    /// The highest priority; nil without waiters.
    var priority: RequestPriority? {
        guard !others.isEmpty else { return first?.priority }
        let highest = RequestPriority.allCases.last { counts[$0.rawValue] > 0 } ?? .veryLow
        return first.map { max($0.priority, highest) } ?? highest
    }

    /// In the order they joined.
    var sorted: [Place] { (first.map { [$0] } ?? []) + later }

    /// The waiters after the first, in the order they joined.
    var later: [Place] { others.isEmpty ? [] : others.values.sorted { $0.number < $1.number } }

    func contains(where matches: (Waiter) -> Bool) -> Bool {
        first.map { matches($0.waiter) } == true || others.values.contains { matches($0.waiter) }
    }

    subscript(number: UInt64) -> Waiter? { first?.number == number ? first?.waiter : others[number]?.waiter }

    mutating func insert(_ place: Place) {
        guard first != nil || !others.isEmpty else {
            first = place
            return
        }
        if counts.isEmpty { counts = RequestPriority.allCases.map { _ in 0 } }
        counts[place.priority.rawValue] += 1
        others[place.number] = place
    }

    mutating func remove(_ number: UInt64) -> Place? {
        if first?.number == number { return first.take() }
        let place = others.removeValue(forKey: number)
        if let place { counts[place.priority.rawValue] -= 1 }
        return place
    }

    mutating func removeAll() -> Self { exchange(&self, with: Self()) }

    mutating func setPriority(_ priority: RequestPriority, of number: UInt64) {
        guard first?.number != number else {
            first?.priority = priority
            return
        }
        guard var place = others[number] else { return }
        counts[place.priority.rawValue] -= 1
        counts[priority.rawValue] += 1
        place.priority = priority
        others[number] = place
    }
}
