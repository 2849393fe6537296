/// What was asked of a memory cache since it was made, and what it holds.
public struct MemoryStatistics: Sendable, Hashable {
    /// Look-ups that found an image.
    public internal(set) var hits: Int
    /// Hits that a larger image served; see ``ImageRequest/Precision/atLeast``.
    public internal(set) var hitsOfLarger = 0
    /// Hits that found an evicted image that was still in use.
    public internal(set) var hitsOfReleased = 0
    /// Look-ups that found nothing; a load counts once.
    public internal(set) var misses: Int
    /// Images stored.
    public internal(set) var stores: Int
    /// Images that left the cache, by reason.
    public internal(set) var evictions: Evictions
    /// Images in the cache.
    public internal(set) var count: Int
    /// Bytes of their pixels.
    public internal(set) var byteCount: Int

    /// Images that left a memory cache.
    public struct Evictions: Sendable, Hashable {
        /// To keep the limit in bytes.
        public internal(set) var byCost: Int
        /// To keep the limit in number.
        public internal(set) var byCount: Int
        /// When the cache was trimmed.
        public internal(set) var byTrim: Int
        /// Because they expired.
        public internal(set) var byExpiry: Int
        /// Because they were removed.
        public internal(set) var byRemoval: Int
        /// Because another image was stored in their place.
        public internal(set) var byReplacement: Int
    }

    init(cost: Int, count: Int) {
        (hits, misses, stores) = (0, 0, 0)
        evictions = Evictions(byCost: 0, byCount: 0, byTrim: 0, byExpiry: 0, byRemoval: 0, byReplacement: 0)
        self.count = count
        byteCount = cost
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
