/// The operations of a memory cache since its creation, and its current contents.
public struct MemoryStatistics: Sendable, Hashable {
    /// The number of look-ups that found an image.
    public internal(set) var hits: Int
    /// The number of hits served by a larger image; see ``ImageRequest/Precision/atLeast``.
    public internal(set) var hitsOfLarger = 0
    /// The number of hits that found an evicted image that was still in use.
    public internal(set) var hitsOfReleased = 0
    /// The number of look-ups that found nothing; a load counts once.
    public internal(set) var misses: Int
    /// The number of images stored.
    public internal(set) var stores: Int
    /// The number of images that left the cache, by reason.
    public internal(set) var evictions: Evictions
    /// The number of images in the cache.
    public internal(set) var count: Int
    /// The number of bytes of the pixels of the images in the cache.
    public internal(set) var byteCount: Int

    /// The number of images that left a memory cache, by reason.
    public struct Evictions: Sendable, Hashable {
        /// Evicted to meet the limit in bytes.
        public internal(set) var byCost: Int
        /// Evicted to meet the limit in number.
        public internal(set) var byCount: Int
        /// Evicted because the cache was trimmed.
        public internal(set) var byTrim: Int
        /// Removed because they expired.
        public internal(set) var byExpiry: Int
        /// Removed by a caller.
        public internal(set) var byRemoval: Int
        /// Replaced by another image under the same key.
        public internal(set) var byReplacement: Int
    }

    init(cost: Int, count: Int) {
        (hits, misses, stores) = (0, 0, 0)
        evictions = Evictions(byCost: 0, byCount: 0, byTrim: 0, byExpiry: 0, byRemoval: 0, byReplacement: 0)
        self.count = count
        byteCount = cost
    }

    /// Adds the counts of a part of the cache.
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
