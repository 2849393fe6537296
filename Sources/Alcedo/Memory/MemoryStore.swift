/// What the memory cache has: the pictures it keeps, those it let go that are still in use somewhere, and which
/// variants there are of one resource. Decisions only; the actor holds the lock.
package struct MemoryStore: Sendable {
    private typealias Table = EvictionTable<ImageKey, MemoryEntry>
    package typealias Gone = EvictedEntries<ImageKey, MemoryEntry>

    /// Changed by the actor alone; the look-up records a use.
    private var table: Table
    private var released = WeakImages()
    /// The variants that are kept of a resource, but for the one in which it came.
    private var variants: [ResourceKey: [ImageVariant]] = [:]
    private var hitsOfLarger = 0
    private var hitsOfReleased = 0
    private var repeatedMisses = 0

    package init(limits: EvictionLimits) {
        table = EvictionTable(limits: limits)
    }

    // MARK: Look-up

    /// The picture that is kept under `key`, and the end of its time; its use is recorded.
    ///
    /// - Parameter now: read only where an entry can expire.
    package mutating func find(
        _ key: ImageKey, now: () -> Duration
    ) -> (found: MemoryCache.Found, expiry: Duration?)? {
        table.lookUp(key, now: now()).map { (MemoryCache.Found($0), table.expiry(of: key)) }
    }

    /// For a look-up that has found nothing under `key`: the least larger picture of the same resource, where
    /// `largerServes`, or one that was let go, itself or a larger one.
    ///
    /// - Parameter now: read only where an entry can expire.
    package mutating func findElsewhere(
        _ key: ImageKey, largerServes: Bool, now: () -> Duration
    ) -> MemoryCache.Found? {
        if largerServes, let larger = larger(than: key, now: now), let entry = table.lookUp(larger, now: now()) {
            hitsOfLarger += 1
            return MemoryCache.Found(entry)
        }
        if let entry = released.entry(of: key, now: now) {
            hitsOfReleased += 1
            return MemoryCache.Found(entry.value, isReleased: true)
        }
        if largerServes, hasPixels(key), let entry = released.entry(serving: key, now: now) {
            hitsOfReleased += 1
            return MemoryCache.Found(entry.value)
        }
        return nil
    }

    /// The last miss was of a caller whose miss has been counted before.
    mutating func uncountMiss() { repeatedMisses += 1 }

    /// Whether a look-up would find something; records nothing.
    func contains(_ key: ImageKey, largerServes: Bool, now: () -> Duration) -> Bool {
        if table.contains(key, now: now()) || released.entry(of: key, now: now) != nil { return true }
        guard largerServes, hasPixels(key) else { return false }
        return larger(than: key, now: now) != nil || released.entry(serving: key, now: now) != nil
    }

    /// Whether it has a target, and that pixels: one without is an error to whoever loads it.
    private func hasPixels(_ key: ImageKey) -> Bool {
        key.variant.target.map { $0.size.width > 0 && $0.size.height > 0 } ?? false
    }

    private func larger(than key: ImageKey, now: () -> Duration) -> ImageKey? {
        guard hasPixels(key) else { return nil }
        let serving = variants[key.resource]?.filter { variant in
            variant.serves(key.variant) && table.contains(ImageKey(key.resource, variant), now: now())
        }
        if let least = serving?.min(by: { $0.area < $1.area }) { return ImageKey(key.resource, least) }
        let whole = key.variant.unscaled
        let full = ImageKey(key.resource, whole)
        return whole.serves(key.variant) && table.contains(full, now: now()) ? full : nil
    }

    // MARK: Changes; what left is to be noted when nobody else in the cache has it any more

    /// Keeps a picture, if there is room for it.
    ///
    /// - Parameter now: read only if there is an expiry.
    package mutating func store(
        _ entry: consuming MemoryEntry, for key: ImageKey, expiry: Duration?, now: @autoclosure () -> Duration
    ) -> Gone {
        released.remove(key)
        let cost = entry.cost
        let outcome = table.store(entry, cost: cost, for: key, expiry: expiry, now: now())
        if outcome.isTaken { list(key) }
        return outcome.departures
    }

    /// A picture that was let go, unless it was removed or stored anew meanwhile, or its time is over.
    func released(_ key: ImageKey, _ image: DecodedImage, now: Duration) -> WeakImages.Entry? {
        guard let entry = released.entry(of: key, now: { now }), entry.image.bitmap === image.bitmap,
            !table.contains(key, now: now)
        else { return nil }
        return entry
    }

    /// Lets a picture be found for as long as it is in use, unless it is kept.
    mutating func putBack(_ entry: WeakImages.Entry, for key: ImageKey) {
        if table.cost(of: key) == nil { released.add(entry.value, for: key, expiry: entry.expiry) }
    }

    package mutating func remove(_ resource: ResourceKey) -> Gone {
        var gone = Gone()
        for variant in [ImageVariant()] + (variants[resource] ?? []) {
            if let departed = table.remove(ImageKey(resource, variant)) { gone.append(departed) }
        }
        released.remove(resource)
        return gone
    }

    package mutating func removeAll(where matches: (ImageKey, MemoryEntry) -> Bool) -> Gone {
        released.removeAll(where: matches)
        return table.removeAll(where: matches)
    }

    package mutating func removeAll() -> Gone {
        released = WeakImages()
        variants = [:]
        return table.removeAll()
    }

    /// Takes out what has expired by `now`. O(1) before the earliest expiry, else O(entries).
    package mutating func removeExpired(now: Duration) -> Gone { table.removeExpired(now: now) }

    /// Nothing here expires before this; nil when nothing ever does.
    var earliestExpiry: Duration? { table.earliestExpiry }

    package mutating func setLimits(_ limits: EvictionLimits) -> Gone { table.setLimits(limits) }

    /// What left is listed no more; what left for want of room is found for as long as somebody uses it.
    package mutating func note(_ gone: inout Gone) {
        gone.update { departed in
            // Another one may have come under its key, for which this one had to go.
            if !departed.key.variant.isOriginal, table.cost(of: departed.key) == nil { unlist(departed.key) }
            guard departed.reason.isForRoom, departed.value.image.isSharedElsewhere(),
                table.cost(of: departed.key) == nil
            else { return }
            released.add(departed.value, for: departed.key, expiry: departed.expiry)
        }
    }

    private mutating func list(_ key: ImageKey) {
        guard !key.variant.isOriginal else { return }
        if variants[key.resource]?.contains(key.variant) != true {
            variants[key.resource, default: []].append(key.variant)
        }
    }

    private mutating func unlist(_ key: ImageKey) {
        guard var rest = variants[key.resource] else { return }
        rest.removeAll { $0 == key.variant }
        variants[key.resource] = rest.isEmpty ? nil : rest
    }

    // MARK: Room

    /// The limit that a picture of this cost would break, nil when there is room or never will be.
    func shortage(for cost: Int, _ key: ImageKey) -> EvictionReason? {
        let limits = table.limits
        guard limits.admits(cost) else { return nil }
        let (isTooMuch, isTooMany) = (table.totalCost > limits.cost - cost, table.count >= limits.count)
        guard isTooMuch || isTooMany else { return nil }
        // The one whose place it takes gives its room, too.
        guard let earlier = table.cost(of: key) else { return isTooMuch ? .cost : .count }
        return table.totalCost - earlier > limits.cost - cost ? .cost : nil
    }

    /// Takes over what a shard has noted of those that may be evicted next.
    mutating func noteUses(of shard: inout MemoryShard) {
        guard !shard.isEmpty else { return }
        table.noteUses { hash in shard.takeUses(hash).map { ($0.count, $0.tick) } }
    }

    /// Evicts the least worthy of some sixteen. Nil when nothing is left.
    package mutating func evictOne(_ reason: EvictionReason) -> Departed<ImageKey, MemoryEntry>? {
        table.evictOne(reason)
    }

    /// How many look-ups and stores there were, about, counted modulo 2³².
    var ticks: UInt32 {
        get { table.ticks }
        set { table.catchUp(with: newValue) }
    }

    // MARK: Looks

    package var cost: Int { table.totalCost }
    package var count: Int { table.count }
    var limits: EvictionLimits { table.limits }

    /// All that can be found, what was let go and is still in use too. O(entries).
    package func contents(now: () -> Duration) -> [(key: ImageKey, entry: MemoryEntry)] {
        var contents = released.contents(now: now)
        table.forEach { key, entry, _ in contents.append((key, entry)) }
        return contents
    }

    /// Adds what was counted here.
    package func count(into statistics: inout MemoryStatistics) {
        statistics.add(table.counts)
        statistics.hits += hitsOfReleased
        statistics.misses -= hitsOfReleased + hitsOfLarger + repeatedMisses
        statistics.hitsOfReleased += hitsOfReleased
        statistics.hitsOfLarger += hitsOfLarger
    }

    /// Whether this is what is kept under a key; for tests.
    func keeps(_ image: DecodedImage, under key: ImageKey, until expiry: Duration?) -> Bool {
        var isKept = false
        table.forEach { other, entry, _ in
            if other == key { isKept = entry.image.bitmap === image.bitmap && table.expiry(of: key) == expiry }
        }
        return isKept
    }

    /// Why the store contradicts itself, nil when it does not; for tests.
    package var brokenInvariant: String? {
        var listed = Set(variants.flatMap { resource, variants in variants.map { ImageKey(resource, $0) } })
        var problem = table.brokenInvariant
        if variants.contains(where: \.value.isEmpty) { problem = "an empty list of variants is kept" }
        table.forEach { key, _, _ in
            if !key.variant.isOriginal, listed.remove(key) == nil { problem = "a variant is not listed" }
        }
        return listed.isEmpty ? problem : "a variant is listed that is not kept"
    }
}

extension ImageVariant {
    /// Pixels of its room.
    fileprivate var area: Int { target.map { $0.size.width * $0.size.height } ?? .max }
}
