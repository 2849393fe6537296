import Synchronization

@testable import Alcedo
@testable import TestFixtures

// Invariants of the memory cache and its parts between two calls.

extension EvictionTable {
    /// Stores a value and returns the entries removed for it.
    mutating func store(
        _ value: Value, cost: Int, for key: Key, expiry: Duration? = nil, now: @autoclosure () -> Duration = .zero
    ) -> Departures {
        var departures: Departures = []
        store(value, cost: cost, for: key, expiry: expiry, now: now(), into: &departures)
        return departures
    }

    /// Stores a value. Returns whether it is in the table now, and the entries removed for it.
    mutating func outcome(
        ofStoring value: Value, cost: Int, for key: Key, expiry: Duration? = nil, now: Duration = .zero
    ) -> (isTaken: Bool, departures: Departures) {
        let departures = store(value, cost: cost, for: key, expiry: expiry, now: now)
        return (contains(key, now: now), departures)
    }

    /// Describes a broken invariant, or nil when there is none.
    var brokenInvariant: String? {
        if totalCost > limits.cost || count > limits.count { return "a limit is exceeded" }
        if uses.count != entries.count { return "entries and their uses differ in number" }
        let costs = entries.rows.map(\.element.cost)
        if costs.contains(where: { !limits.admits($0) }) { return "an entry is not admitted" }
        if costs.reduce(0, +) != totalCost { return "the costs do not add up" }
        if let least = leastExpiry, earliestExpiry.map({ $0 > least }) ?? true { return "an expiry is not known" }
        return entries.brokenInvariant
    }
}

extension MemoryStore {
    /// Describes a broken invariant, or nil when there is none.
    var brokenInvariant: String? { table.brokenInvariant }
}

extension MemoryCache {
    /// Describes a broken invariant, or nil when there is none.
    var brokenInvariant: String? { pictures.withLock { $0.brokenInvariant } }
}
