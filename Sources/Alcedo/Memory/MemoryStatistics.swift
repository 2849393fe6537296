/// What was asked of the memory cache since it was made, and what it holds.
public struct MemoryStatistics: Sendable, Hashable {
    /// Look-ups that found a picture.
    public internal(set) var hits: Int
    /// Those of them that were served by a larger picture; see ``ImageRequest/Precision/atLeast``.
    public internal(set) var hitsOfLarger = 0
    /// Those of them that found a picture that had been evicted, as somebody still used it.
    public internal(set) var hitsOfReleased = 0
    /// Look-ups that found none; a load counts once.
    public internal(set) var misses: Int
    /// Pictures that were taken in.
    public internal(set) var stores: Int
    /// Pictures that left, by reason.
    public internal(set) var evictions: Evictions
    /// Pictures that are kept.
    public internal(set) var count: Int
    /// Their decoded bytes.
    public internal(set) var cost: Int

    /// Pictures that left the memory cache.
    public struct Evictions: Sendable, Hashable {
        /// As the decoded bytes would have been above a limit.
        public internal(set) var byCost: Int
        /// As there would have been more than the limit.
        public internal(set) var byCount: Int
        /// As the cache was trimmed.
        public internal(set) var byTrim: Int
        /// As their time was over.
        public internal(set) var byExpiry: Int
        /// As they were removed.
        public internal(set) var byRemoval: Int
        /// As another picture took their place.
        public internal(set) var byReplacement: Int
    }

    /// Nothing but what is held.
    init(cost: Int, count: Int) {
        (hits, misses, stores) = (0, 0, 0)
        evictions = Evictions(byCost: 0, byCount: 0, byTrim: 0, byExpiry: 0, byRemoval: 0, byReplacement: 0)
        self.count = count
        self.cost = cost
    }

    /// Adds what a part of the cache counted.
    mutating func add(_ counts: EvictionCounts) {
        hits += counts.hits
        misses += counts.misses
        stores += counts.stores
        evictions.byCost += counts[.cost]
        evictions.byCount += counts[.count]
        evictions.byTrim += counts[.trim]
        evictions.byExpiry += counts[.expired]
        evictions.byRemoval += counts[.removed]
        evictions.byReplacement += counts[.replaced]
    }
}
