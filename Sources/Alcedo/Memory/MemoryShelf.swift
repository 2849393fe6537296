/// What the memory cache has: the pictures it keeps, those it let go that are still in use somewhere, and which sizes
/// there are of one resource. Decisions only; the actor holds the lock.
package struct MemoryShelf: Sendable {
    /// A picture that was found.
    package struct Found: Sendable {
        package let image: DecodedImage
        /// Whether it had been let go, and should be kept again.
        package let isReleased: Bool
    }

    /// Changed by the actor alone; the look-up records a use.
    private var table: EvictionTable<ImageKey, MemoryEntry>
    private var released = WeakImages()
    /// The sizes that are kept of a resource, but for the full one.
    private var sizes: [ResourceKey: [PixelSize]] = [:]
    private var hitsOfLarger = 0
    private var hitsOfReleased = 0
    private var repeatedMisses = 0
    /// When expired entries are looked for again, at the earliest.
    private var nextSweep = Duration.zero

    package init(limits: EvictionLimits) {
        table = EvictionTable(limits: limits)
    }

    // MARK: Look-up

    /// The picture of `key`; or, where `largerServes`, the least one of the same resource that covers its size. Its use
    /// is recorded.
    ///
    /// - Parameters:
    ///   - again: whether this caller looked before, and a miss was counted then.
    ///   - now: read only where an entry can expire.
    @inline(__always)
    package mutating func find(
        _ key: ImageKey, largerServes: Bool, again: Bool = false, now: () -> Duration
    ) -> Found? {
        if let entry = table.lookUp(key, now: now()) { return Found(image: entry.image, isReleased: false) }
        return findElsewhere(key, largerServes: largerServes, again: again, now: now)
    }

    private mutating func findElsewhere(
        _ key: ImageKey, largerServes: Bool, again: Bool, now: () -> Duration
    ) -> Found? {
        if largerServes, let larger = larger(than: key, now: now), let entry = table.lookUp(larger, now: now()) {
            hitsOfLarger += 1
            return Found(image: entry.image, isReleased: false)
        }
        guard let entry = released.entry(of: key, now: now) else {
            if again { repeatedMisses += 1 }
            return nil
        }
        hitsOfReleased += 1
        return Found(image: entry.image, isReleased: true)
    }

    private func larger(than key: ImageKey, now: () -> Duration) -> ImageKey? {
        guard let target = key.target else { return nil }
        let covering = sizes[key.resource]?.filter { $0.width >= target.width && $0.height >= target.height }
        let least = covering?.min { $0.width * $0.height < $1.width * $1.height }
        let names = [least.map { ImageKey(key.resource, target: $0) }, ImageKey(key.resource, target: nil)]
        return names.compactMap { $0 }.first { table.contains($0, now: now()) }
    }

    // MARK: Changes

    /// Keeps a picture and makes room for it. Returns what left, to be let go after the lock.
    package mutating func store(
        _ entry: MemoryEntry, for key: ImageKey, expiry: Duration?, now: Duration
    ) -> Departures<ImageKey, MemoryEntry> {
        if let earliest = table.earliestExpiry, earliest <= now, nextSweep <= now { removeExpired(now: now) }
        released.remove(key)
        let outcome = table.store(entry, cost: entry.cost, for: key, expiry: expiry, now: now)
        if outcome.isTaken { list(key) } else { unlist(key) }
        return noting(outcome.departures, besides: key)
    }

    /// Keeps a picture again that was let go, unless it was removed or stored anew meanwhile.
    package mutating func keepAgain(
        _ key: ImageKey, _ image: DecodedImage, now: Duration
    ) -> Departures<ImageKey, MemoryEntry> {
        guard let entry = released.entry(of: key, now: { now }), entry.image.bitmap === image.bitmap,
            !table.contains(key, now: now)
        else { return Departures() }
        let departures = store(entry.value, for: key, expiry: entry.expiry, now: now)
        // Larger than what there is room for by now: it stays where it was.
        if !table.contains(key, now: now) { released.add(entry.value, for: key, expiry: entry.expiry) }
        return departures
    }

    package mutating func remove(_ resource: ResourceKey) -> Departures<ImageKey, MemoryEntry> {
        var departures = Departures<ImageKey, MemoryEntry>()
        let targets = [nil] + (sizes.removeValue(forKey: resource) ?? []).map(Optional.some)
        for target in targets {
            if let departed = table.remove(ImageKey(resource, target: target)) { departures.append(departed) }
        }
        released.removeAll { key, _ in key.resource == resource }
        return departures
    }

    package mutating func removeAll(
        where matches: (ImageKey, MemoryEntry) -> Bool
    ) -> Departures<ImageKey, MemoryEntry> {
        released.removeAll(where: matches)
        return noting(table.removeAll(where: matches))
    }

    package mutating func removeAll() -> Departures<ImageKey, MemoryEntry> {
        released = WeakImages()
        sizes = [:]
        return table.removeAll()
    }

    package mutating func removeExpired(now: Duration) {
        _ = noting(table.removeExpired(now: now))
        // A sweep looks at all entries: not for each of many that expire one after the other.
        nextSweep = now + .seconds(1)
    }

    package mutating func trim(toFraction fraction: Double) -> Departures<ImageKey, MemoryEntry> {
        noting(table.trim(toFraction: fraction))
    }

    package mutating func trim(toCost cost: Int) -> Departures<ImageKey, MemoryEntry> {
        noting(table.trim(toCost: cost))
    }

    package mutating func setLimits(_ limits: EvictionLimits) -> Departures<ImageKey, MemoryEntry> {
        noting(table.setLimits(limits))
    }

    /// What left is listed no more; what left for want of room is found for as long as somebody uses it.
    private mutating func noting(
        _ departures: consuming Departures<ImageKey, MemoryEntry>, besides key: ImageKey? = nil
    ) -> Departures<ImageKey, MemoryEntry> {
        departures.update { departed in
            if departed.key != key { unlist(departed.key) }
            switch departed.reason {
            case .cost, .count, .trim:
                if departed.value.image.isSharedElsewhere() {
                    released.add(departed.value, for: departed.key, expiry: departed.expiry)
                }
            case .expired, .removed, .replaced: break
            }
        }
        return departures
    }

    private mutating func list(_ key: ImageKey) {
        guard let target = key.target else { return }
        if sizes[key.resource]?.contains(target) != true { sizes[key.resource, default: []].append(target) }
    }

    private mutating func unlist(_ key: ImageKey) {
        guard let target = key.target, var rest = sizes[key.resource] else { return }
        rest.removeAll { $0 == target }
        sizes[key.resource] = rest.isEmpty ? nil : rest
    }

    // MARK: Looks

    /// All that can be found, what was let go and is still in use too. O(entries).
    package var contents: [(key: ImageKey, entry: MemoryEntry)] {
        var contents = released.contents
        table.forEach { key, entry, _ in contents.append((key, entry)) }
        return contents
    }

    package var statistics: MemoryStatistics {
        var statistics = MemoryStatistics(table.counts, count: table.count, cost: table.totalCost)
        statistics.hits += hitsOfReleased
        statistics.misses -= hitsOfReleased + hitsOfLarger + repeatedMisses
        statistics.hitsOfReleased = hitsOfReleased
        statistics.hitsOfLarger = hitsOfLarger
        return statistics
    }

    package var limits: EvictionLimits { table.limits }

    /// Why the shelf contradicts itself, nil when it does not; for tests.
    package var brokenInvariant: String? {
        var listed = Set(sizes.flatMap { resource, targets in targets.map { ImageKey(resource, target: $0) } })
        var problem = table.brokenInvariant
        if sizes.contains(where: \.value.isEmpty) { problem = "an empty list of sizes is kept" }
        table.forEach { key, _, _ in
            if key.target != nil, listed.remove(key) == nil { problem = "a size is not listed" }
        }
        return listed.isEmpty ? problem : "a size is listed that is not kept"
    }
}
