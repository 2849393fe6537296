/// What a part of the memory cache has: the pictures it keeps, those it let go that are still in use somewhere, and which
/// forms there are of one resource. Decisions only; the actor holds the lock, and sees to it that all parts together keep
/// the limits.
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
    /// The forms that are kept of a resource, but for the one in which it came.
    private var forms: [ResourceKey: [PictureForm]] = [:]
    private var hitsOfLarger = 0
    private var hitsOfReleased = 0
    private var repeatedMisses = 0
    /// What the count of look-ups and stores was when the others were told the last time.
    private var toldAt: UInt32 = 0

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
        // A target without pixels is an error to whoever loads it.
        guard let target = key.form.target?.size, target.width > 0, target.height > 0 else { return nil }
        let serving = forms[key.resource]?.filter { form in
            form.serves(key.form) && table.contains(ImageKey(key.resource, form), now: now())
        }
        if let least = serving?.min(by: { $0.area < $1.area }) { return ImageKey(key.resource, least) }
        var whole = PictureForm()
        whole.frames = key.form.frames
        let full = ImageKey(key.resource, whole)
        return whole.serves(key.form) && table.contains(full, now: now()) ? full : nil
    }

    // MARK: Changes

    /// Keeps a picture and makes room for it. Returns what left, to be let go after the lock.
    package mutating func store(
        _ entry: MemoryEntry, for key: ImageKey, expiry: Duration?, now: Duration
    ) -> Departures<ImageKey, MemoryEntry> {
        released.remove(key)
        let outcome = table.store(entry, cost: entry.cost, for: key, expiry: expiry, now: now)
        let isTaken = outcome.isTaken
        let departures = noting(outcome.departures)
        // After what took its place was unlisted.
        if isTaken { list(key) }
        return departures
    }

    /// A picture that was let go, unless it was removed or stored anew meanwhile, or its time is over.
    func released(_ key: ImageKey, _ image: DecodedImage, now: Duration) -> WeakImages.Entry? {
        guard let entry = released.entry(of: key, now: { now }), entry.image.bitmap === image.bitmap,
            !table.contains(key, now: now)
        else { return nil }
        return entry
    }

    /// Keeps a picture again that was let go, unless it was removed or stored anew meanwhile.
    package mutating func keepAgain(
        _ key: ImageKey, _ image: DecodedImage, now: Duration
    ) -> Departures<ImageKey, MemoryEntry> {
        guard let entry = released(key, image, now: now) else { return Departures() }
        let departures = store(entry.value, for: key, expiry: entry.expiry, now: now)
        // Larger than what there is room for by now: it stays where it was.
        if !table.contains(key, now: now) { released.add(entry.value, for: key, expiry: entry.expiry) }
        return departures
    }

    package mutating func remove(_ resource: ResourceKey) -> Departures<ImageKey, MemoryEntry> {
        var departures = Departures<ImageKey, MemoryEntry>()
        for form in [PictureForm()] + (forms.removeValue(forKey: resource) ?? []) {
            if let departed = table.remove(ImageKey(resource, form)) { departures.append(departed) }
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
        forms = [:]
        return table.removeAll()
    }

    /// Takes out what has expired by `now`. O(1) before the earliest expiry, else O(entries).
    package mutating func removeExpired(now: Duration) -> Departures<ImageKey, MemoryEntry> {
        noting(table.removeExpired(now: now))
    }

    /// Nothing here expires before this; nil when nothing ever does.
    package var earliestExpiry: Duration? { table.earliestExpiry }

    /// What would be evicted next, among few.
    package typealias Candidate = EvictionTable<ImageKey, MemoryEntry>.Candidate

    /// - Parameter tick: how many look-ups and stores there were on all shelves, about.
    package mutating func candidate(at tick: UInt32) -> Candidate? {
        let before = table.ticks
        table.catchUp(with: tick)
        // Not its own, to be told to others.
        toldAt &+= table.ticks &- before
        return table.candidate()
    }

    package mutating func evict(
        _ candidate: Candidate, _ reason: EvictionReason
    ) -> Departures<ImageKey, MemoryEntry> {
        var departures = Departures<ImageKey, MemoryEntry>()
        departures.append(table.evict(candidate, reason))
        return noting(consume departures)
    }

    package mutating func setLimits(_ limits: EvictionLimits) -> Departures<ImageKey, MemoryEntry> {
        noting(table.setLimits(limits))
    }

    /// What left is listed no more; what left for want of room is found for as long as somebody uses it.
    private mutating func noting(
        _ departures: consuming Departures<ImageKey, MemoryEntry>
    ) -> Departures<ImageKey, MemoryEntry> {
        departures.update { departed in
            unlist(departed.key)
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
        guard key.form != PictureForm() else { return }
        if forms[key.resource]?.contains(key.form) != true { forms[key.resource, default: []].append(key.form) }
    }

    private mutating func unlist(_ key: ImageKey) {
        guard key.form != PictureForm(), var rest = forms[key.resource] else { return }
        rest.removeAll { $0 == key.form }
        forms[key.resource] = rest.isEmpty ? nil : rest
    }

    // MARK: Time

    /// Look-ups and stores after which the other shelves are told of them.
    private static var round: UInt32 { 16 }

    /// Idle time is counted in look-ups and stores of all shelves, of which each tells the others now and then: a count
    /// that all of them wrote each time would be what they wait for.
    ///
    /// - Parameter add: adds to what all share, and returns the sum.
    @inline(__always)
    package mutating func tellTime(_ add: (UInt32) -> UInt32) {
        guard table.ticks &- toldAt >= Self.round else { return }
        table.catchUp(with: add(Self.round))
        toldAt = table.ticks
    }

    // MARK: Looks

    package var cost: Int { table.totalCost }
    package var count: Int { table.count }

    /// The cost of what is kept under a key, nil when nothing is.
    package func cost(of key: ImageKey) -> Int? { table.cost(of: key) }

    /// All that can be found, what was let go and is still in use too. O(entries).
    package var contents: [(key: ImageKey, entry: MemoryEntry)] {
        var contents = released.contents
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

    /// Why the shelf contradicts itself, nil when it does not; for tests.
    package var brokenInvariant: String? {
        var listed = Set(forms.flatMap { resource, forms in forms.map { ImageKey(resource, $0) } })
        var problem = table.brokenInvariant
        if forms.contains(where: \.value.isEmpty) { problem = "an empty list of forms is kept" }
        table.forEach { key, _, _ in
            if key.form != PictureForm(), listed.remove(key) == nil { problem = "a form is not listed" }
        }
        return listed.isEmpty ? problem : "a form is listed that is not kept"
    }
}

extension PictureForm {
    /// Pixels of its room.
    fileprivate var area: Int { target.map { $0.size.width * $0.size.height } ?? .max }
}
