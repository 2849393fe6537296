import Synchronization

@testable import Alcedo
@testable import TestFixtures

// Invariants of the memory cache and its parts between two calls.

extension EvictionTable {
    /// Stores a value and returns the entries removed for it.
    mutating func store(
        _ value: Value, cost: Int, for key: Key, expiry: Duration? = nil, now: @autoclosure () -> Duration = .zero,
        beforeEviction: (inout EvictionTable) -> Void = { _ in }
    ) -> EvictedEntries<Key, Value> {
        var departures = EvictedEntries<Key, Value>()
        store(
            value, cost: cost, for: key, expiry: expiry, now: now(), into: &departures,
            beforeEviction: beforeEviction)
        return departures
    }

    /// Stores a value. Returns whether it is in the table now, and the entries removed for it.
    mutating func outcome(
        ofStoring value: Value, cost: Int, for key: Key, expiry: Duration? = nil, now: Duration = .zero
    ) -> (isTaken: Bool, departures: EvictedEntries<Key, Value>) {
        let departures = store(value, cost: cost, for: key, expiry: expiry, now: now)
        return (contains(key, now: now), departures)
    }

    /// Describes a broken invariant, or nil when there is none.
    var brokenInvariant: String? {
        if totalCost > limits.cost || count > limits.count { return "a limit is exceeded" }
        if uses.count != entries.count { return "entries and their uses differ in number" }
        if !expiries.isEmpty, expiries.count != count { return "entries and their expiries differ in number" }
        let costs = uses.indices.map { entries[$0].element.cost }
        if costs.contains(where: { !limits.admits($0) }) { return "an entry is not admitted" }
        if costs.reduce(0, +) != totalCost { return "the costs do not add up" }
        if let least = leastExpiry, earliestExpiry.map({ $0 > least }) ?? true { return "an expiry is not known" }
        return entries.brokenInvariant
    }
}

extension MemoryStore {
    /// Describes a broken invariant, or nil when there is none.
    var brokenInvariant: String? { table.brokenInvariant }

    /// Whether this image is stored under a key.
    fileprivate func keeps(_ image: DecodedImage, under key: ImageKey, until expiry: Duration?) -> Bool {
        var isKept = false
        table.forEach { other, entry, _ in isKept = isKept || other == key && entry.image.bitmap === image.bitmap }
        return isKept && table.expiry(of: key) == expiry
    }
}

extension MemoryShard {
    /// Describes a broken invariant, also with regard to the store; nil when there is none.
    func brokenInvariant(_ store: MemoryStore) -> String? {
        if let problem = pictures.brokenInvariant { return problem }
        if uses.count != pictures.count { return "pictures and their uses differ in number" }
        let isKept = (0..<pictures.count).map { pictures[$0] }.allSatisfy { row in
            store.keeps(row.element.image, under: row.key, until: row.element.expiry)
        }
        return isKept ? nil : "a shard has a picture that is not in the store"
    }
}

extension MemoryCache {
    /// Describes a broken invariant, or nil when there is none.
    var brokenInvariant: String? {
        pictures.withLock { pictures in
            var problem = pictures.brokenInvariant
            shards.forEach { shard in problem = problem ?? shard.brokenInvariant(pictures) }
            return problem
        }
    }
}
