@testable import Alcedo

// Invariants of the tables and queues between two calls.

extension GroupedTable {
    /// Describes a broken invariant, or nil when there is none.
    var brokenInvariant: String? {
        let groups = Set(rows.map(\.key.group))
        if groups.reduce(0, { $0 + indices(of: $1).count }) != count { return "an entry is not in its group" }
        return rows.indices.allSatisfy { index(of: rows[$0].key) == $0 } ? nil : "an entry is not found"
    }
}

extension FlightTable {
    /// The highest priority of a flight's waiters; the lowest priority if there are none.
    func priority(of flight: FlightID) -> RequestPriority { flights[flight]?.priority ?? .veryLow }

    /// The number of flights whose work has not ended.
    var flightCount: Int { flights.count }

    /// The number of callers that wait for the flight that a caller with this key would join.
    func waiterCount(of key: Key) -> Int { joinable[key].map { waiters(of: $0).count } ?? 0 }

    /// Describes a broken invariant, or nil when there is none.
    var brokenInvariant: String? {
        for (key, flight) in joinable {
            if flights[flight]?.key != key { return "a flight is joined under another key" }
            if waiters(of: flight).count == 0 { return "a flight without waiters can be joined" }
        }
        return nil
    }
}

extension Flights {
    /// The number of flights whose Tasks haven't ended.
}

extension SortedList {
    /// Describes a broken invariant, or nil when there is none.
    var brokenInvariant: String? {
        zip(entries, entries.dropFirst()).allSatisfy { $0.rank < $1.rank } ? nil : "a rank is not above the last one"
    }
}

extension SlotQueue {
    var runningCount: Int { running.count }

    /// The capacity reserved for waiting jobs.
    var lineCapacity: Int { line.entries.capacity }

    /// Describes a broken invariant, or nil when there is none.
    var brokenInvariant: String? {
        if running.count > width { return "more run than there are slots" }
        if running.count > 1, runningWeight > weightLimit { return "the weight limit is exceeded" }
        if running.values.reduce(0, +) != runningWeight { return "the weights do not add up" }
        if let broken = line.brokenInvariant { return broken }
        if line.entries.contains(where: { waiting[$0.element]?.rank != $0.rank }) { return "a place is not its own" }
        if line.entries.count != waiting.count { return "one waits outside the line" }
        if let first = line.first, let place = waiting[first], fits(place.weight) {
            return "one waits although it fits"
        }
        return nil
    }
}
