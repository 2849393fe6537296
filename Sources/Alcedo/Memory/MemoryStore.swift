/// The contents of the memory cache: its entries, and evicted images that are still in use elsewhere.
///
/// It only makes decisions; the actor holds the lock.
package struct MemoryStore: Sendable {
    package typealias Table = EvictionTable<ImageKey, MemoryEntry>
    package typealias Gone = Table.Departures

    /// Only the actor adds and removes entries. A look-up only records a use.
    private(set) var table: Table
    private var released = WeakImages()
    private var hitsOfLarger = 0
    private var hitsOfReleased = 0
    private var repeatedMisses = 0

    package init(limits: EvictionLimits) {
        table = EvictionTable(limits: limits)
    }

    // MARK: Look-up

    /// Returns the image stored under `key`, and records its use.
    ///
    /// - Parameters:
    ///   - now: Evaluated only if an entry can expire.
    ///   - isUsable: Whether an image with this freshness may be returned.
    @inline(__always)
    package mutating func find(
        _ key: ImageKey, now: () -> Duration, isUsable: (Freshness?) -> Bool = { _ in true }
    ) -> MemoryCache.Found? {
        table.lookUp(key, now: now(), where: { isUsable($0.freshness) }).map { MemoryCache.Found($0) }
    }

    /// The entry of `key`, however stale, including an evicted one that is still in use. Records nothing.
    func entry(_ key: ImageKey, now: () -> Duration) -> MemoryEntry? {
        table.peek(key, now: now()) ?? released.entry(of: key, now: now)?.value
    }

    /// Continues a look-up that found nothing under `key`. Returns the smallest larger image of the same resource, if
    /// `largerServes`; or else the evicted image of `key`; or else a larger evicted image, if `largerServes`.
    /// `isReleased` is true only for the evicted image of `key`.
    ///
    /// - Parameters:
    ///   - now: Evaluated only if an entry can expire.
    ///   - isUsable: Whether an image with this freshness may be returned.
    package mutating func findElsewhere(
        _ key: ImageKey, largerServes: Bool, now: () -> Duration, isUsable: (Freshness?) -> Bool = { _ in true }
    ) -> (found: MemoryCache.Found?, isReleased: Bool) {
        if largerServes, let larger = larger(than: key, now: now, isUsable),
            let entry = table.lookUp(larger, now: now())
        {
            hitsOfLarger += 1
            return (MemoryCache.Found(entry), false)
        }
        if let entry = released.entry(of: key, now: now), isUsable(entry.value.freshness) {
            hitsOfReleased += 1
            return (MemoryCache.Found(entry.value), true)
        }
        if largerServes, hasPixels(key), let entry = released.entry(serving: key, now: now, isUsable: isUsable) {
            hitsOfReleased += 1
            return (MemoryCache.Found(entry.value), false)
        }
        return (nil, false)
    }

    /// Takes back the last miss, because one had already been counted for its caller.
    mutating func uncountMiss() { repeatedMisses += 1 }

    /// Whether a look-up would find something. Records nothing.
    func contains(
        _ key: ImageKey, largerServes: Bool, now: () -> Duration, isUsable: (Freshness?) -> Bool
    ) -> Bool {
        if let entry = entry(key, now: now), isUsable(entry.freshness) { return true }
        guard largerServes, hasPixels(key) else { return false }
        return larger(than: key, now: now, isUsable) != nil
            || released.entry(serving: key, now: now, isUsable: isUsable) != nil
    }

    /// Whether the key has a target with a positive size. Loading an image with a target without pixels is an error.
    private func hasPixels(_ key: ImageKey) -> Bool {
        key.variant.target.map { $0.size.width > 0 && $0.size.height > 0 } ?? false
    }

    private func larger(
        than key: ImageKey, now: () -> Duration, _ isUsable: (Freshness?) -> Bool
    ) -> ImageKey? {
        guard hasPixels(key) else { return nil }
        return table.entries(of: key.resource)
            .filter { other, entry in
                other.variant.serves(key.variant) && isUsable(entry.value.freshness)
                    && entry.expiry.map { now() < $0 } ?? true
            }
            .min { $0.key.variant.area < $1.key.variant.area }?.key
    }

    // MARK: Changes; pass evicted entries to `note` once they are nowhere else in the cache

    /// Stores an image if the limits admit it; see the table's parameters.
    package mutating func store(
        _ entry: consuming MemoryEntry, for key: ImageKey, expiry: Duration?, now: @autoclosure () -> Duration,
        into gone: inout Gone
    ) {
        released.remove(key)
        let cost = entry.cost
        table.store(entry, cost: cost, for: key, expiry: expiry, now: now(), into: &gone)
    }

    /// An evicted image, unless it has been removed or stored again, or has expired.
    func released(_ key: ImageKey, _ image: DecodedImage, now: Duration) -> WeakImages.Entry? {
        guard let entry = released.entry(of: key, now: { now }), entry.image.bitmap === image.bitmap,
            !table.contains(key, now: now)
        else { return nil }
        return entry
    }

    /// Makes an image available while it is in use, unless it is in the table.
    mutating func putBack(_ entry: WeakImages.Entry, for key: ImageKey) {
        // At time zero, `contains` also finds expired entries.
        if !table.contains(key, now: .zero) { released.add(entry.value, for: key, expiry: entry.expiry) }
    }

    package mutating func remove(_ resource: ResourceKey) -> Gone {
        released.remove(resource)
        return table.removeAll(of: resource)
    }

    /// Removes the images of a resource that another response has replaced.
    ///
    /// - Parameter includingUnknown: Whether to remove all images not known to be of the same version, rather than only
    ///   those known to differ.
    mutating func remove(_ resource: ResourceKey, replacedBy new: StoredResponse, includingUnknown: Bool) -> Gone {
        func stays(_ response: StoredResponse?) -> Bool {
            if includingUnknown { return response?.version == new.version }
            return response.map { !new.isKnownToDiffer(from: $0) } ?? true
        }
        released.remove(resource, keeping: stays)
        return table.removeAll(of: resource) { !stays($0.response) }
    }

    /// Whether there is an image of a resource with this version.
    func contains(_ resource: ResourceKey, version: UInt64) -> Bool {
        table.entries(of: resource).contains { $0.entry.value.response?.version == version }
    }

    /// Renews the response of the images of a resource that have the same version.
    mutating func confirm(_ response: StoredResponse, _ resource: ResourceKey) {
        released.confirm(response, resource)
        table.updateAll(of: resource) { if $0.response?.version == response.version { $0.response = response } }
    }

    package mutating func removeAll(where matches: (ImageKey, MemoryEntry) -> Bool) -> Gone {
        released.removeAll(where: matches)
        return table.removeAll { matches($0, $1.value) }
    }

    package mutating func removeAll() -> Gone {
        released = WeakImages()
        return table.removeAll()
    }

    /// Removes the entries that have expired by `now`. O(1) before the earliest expiry, otherwise O(entries).
    package mutating func removeExpired(now: Duration) -> Gone { table.removeExpired(now: now) }

    /// No entry expires before this; nil when none ever does.
    var earliestExpiry: Duration? { table.earliestExpiry }

    package mutating func setLimits(_ limits: EvictionLimits) -> Gone { table.setLimits(limits) }

    /// Keeps images that were evicted for lack of room available while they are in use.
    package mutating func note(_ gone: inout Gone) {
        // Examined in place, because a copy of an entry would be another user of its image.
        for at in gone.indices where gone[at].reason.isForRoom && gone[at].entry.value.image.isSharedElsewhere() {
            released.add(gone[at].entry.value, for: gone[at].key, expiry: gone[at].entry.expiry)
        }
    }

    /// Evicts the least valuable of about 16 entries. Returns nil if there are none.
    package mutating func evictOne(_ reason: EvictionReason) -> Departed<ImageKey, MemoryEntry>? {
        table.evictOne(reason)
    }

    // MARK: Contents

    package var cost: Int { table.totalCost }
    package var count: Int { table.count }
    var limits: EvictionLimits { table.limits }

    /// Everything that can be found, including evicted images that are still in use. O(entries).
    package func contents(now: () -> Duration) -> [(key: ImageKey, entry: MemoryEntry)] {
        var contents = released.contents(now: now)
        table.forEach { contents.append(($0, $1.value)) }
        return contents
    }

    /// Adds the store's counts.
    package func count(into statistics: inout MemoryStatistics) {
        statistics.add(table.counts)
        statistics.hits += hitsOfReleased
        statistics.misses -= hitsOfReleased + hitsOfLarger + repeatedMisses
        statistics.hitsOfReleased += hitsOfReleased
        statistics.hitsOfLarger += hitsOfLarger
    }
}

extension ImageVariant {
    /// The number of pixels of the target.
    fileprivate var area: Int { target.map { $0.size.width * $0.size.height } ?? .max }
}
