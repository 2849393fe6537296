import Synchronization

/// Decoded pictures, ready to be drawn.
///
/// The actor is the only writer. What it has lies on shelves, by resource, each behind a lock of its own, and is published
/// for two readers, the look-up and the statistics, which take a lock for some nanoseconds: so a view gets its picture in
/// the frame it asks in, and tasks that ask at the same time seldom wait for each other
/// (`Docs/Decisions/0013-memory-on-shelves.md`).
package actor MemoryCache {
    package typealias Ticket = RemovalLog<ResourceKey>.Ticket
    private typealias Gone = Departures<ImageKey, MemoryEntry>

    private nonisolated let shelves: [MemoryShelfLock]
    private nonisolated let now: @Sendable () -> Duration
    private var removals = RemovalLog<ResourceKey>()
    private var limits: EvictionLimits
    private var timeToLive: Duration?
    /// What all shelves hold together: published, as shelves looked at one after the other would not add up.
    private nonisolated let cost = Atomic(0)
    private nonisolated let count = Atomic(0)
    /// The shelf from which a picture is evicted next.
    private var hand = 0
    /// No picture expires before this; nil when none ever does.
    private var earliestExpiry: Duration?
    /// When expired pictures are looked for again, at the earliest.
    private var nextSweep = Duration.zero

    private static let shelfCount = 16

    package init(_ settings: ImageLoader.Configuration.Memory, now: @escaping @Sendable () -> Duration = { .zero }) {
        let limits = settings.limits
        self.limits = limits
        let clock = MemoryClock()
        shelves = (0..<Self.shelfCount).map { _ in MemoryShelfLock(MemoryShelf(limits: limits), clock) }
        timeToLive = settings.timeToLive
        self.now = now
    }

    /// The picture of `key`, if it is here, or a larger one where that serves. Neither suspends nor allocates for a
    /// picture of the size that was asked for, from any isolation.
    ///
    /// - Parameter again: whether this caller looked before, so that a miss is not counted twice.
    package nonisolated func find(
        _ key: ImageKey, largerServes: Bool = false, again: Bool = false
    ) -> MemoryShelf.Found? {
        shelf(of: key.resource).find(key, largerServes: largerServes, again: again, now: now)
    }

    /// What was counted, shelf by shelf: look-ups and changes meanwhile may be in it in part.
    package nonisolated var statistics: MemoryStatistics {
        var sum = MemoryStatistics(cost: heldCost, count: heldCount)
        for shelf in shelves { shelf.read { $0.count(into: &sum) } }
        return sum
    }

    private nonisolated var heldCost: Int { cost.load(ordering: .relaxed) }
    private nonisolated var heldCount: Int { count.load(ordering: .relaxed) }

    private nonisolated func shelf(of resource: ResourceKey) -> MemoryShelfLock {
        shelves[Int(truncatingIfNeeded: resource.fold % UInt64(Self.shelfCount))]
    }

    // MARK: Stores

    /// To be taken when the work begins whose result will be stored.
    package func ticket() -> Ticket { removals.ticket() }

    /// Keeps a picture, unless its key was removed since `ticket` was taken or the limits do not admit it.
    ///
    /// - Parameter timeToLive: nil is the cache's own.
    package func store(
        _ entry: MemoryEntry, for key: ImageKey, timeToLive: Duration? = nil, begun ticket: Ticket
    ) {
        guard removals.permits(ticket, key.resource) else { return }
        let now = now()
        let expiry = (timeToLive ?? self.timeToLive).map { $0.added(to: now) }
        let shelf = shelf(of: key.resource)
        sweep(now)
        // One whose time is over is not kept, and needs no room.
        if expiry.map({ now < $0 }) ?? true { makeRoom(for: entry.cost, key, shelf) }
        change(shelf) { $0.store(entry, for: key, expiry: expiry, now: now) }
        if let expiry { earliestExpiry = min(expiry, earliestExpiry ?? expiry) }
    }

    /// Keeps a picture in the place of all sizes of its resource, unless the limits do not admit it. What was begun before
    /// can't undo it.
    package func replace(with entry: MemoryEntry, for key: ImageKey, timeToLive: Duration?) {
        remove(key.resource)
        store(entry, for: key, timeToLive: timeToLive, begun: ticket())
    }

    /// Keeps a picture again that was found although it had been evicted, unless it was removed meanwhile.
    package func keepAgain(_ key: ImageKey, _ image: DecodedImage) {
        let now = now()
        let shelf = shelf(of: key.resource)
        guard let entry = shelf.read({ $0.released(key, image, now: now) }) else { return }
        sweep(now)
        makeRoom(for: entry.value.cost, key, shelf)
        change(shelf) { $0.keepAgain(key, image, now: now) }
        if let expiry = entry.expiry { earliestExpiry = min(expiry, earliestExpiry ?? expiry) }
    }

    /// What leaves a shelf is let go after its lock: it may be large to give back.
    private func change(_ shelf: MemoryShelfLock, _ event: (inout MemoryShelf) -> Gone) {
        let (departures, growth, added) = shelf.change(event)
        // Room is made before it is taken, so no one sees more than the limit.
        cost.add(growth, ordering: .relaxed)
        count.add(added, ordering: .relaxed)
        _ = consume departures
    }

    // MARK: Room

    /// Takes out what has expired, before others have to go for want of room. A sweep looks at all pictures: not for each
    /// of many that expire one after the other.
    private func sweep(_ now: Duration) {
        guard let earliest = earliestExpiry, earliest <= now, nextSweep <= now else { return }
        for shelf in shelves { change(shelf) { $0.removeExpired(now: now) } }
        earliestExpiry = shelves.compactMap { $0.read { $0.earliestExpiry } }.min()
        nextSweep = now + .seconds(1)
    }

    /// Evicts, from whatever shelves, until there is room under the limits.
    private func makeRoom(for cost: Int, _ key: ImageKey, _ shelf: MemoryShelfLock) {
        guard limits.admits(cost), shortage(for: cost, inPlaceOf: nil) != nil else { return }
        var earlier = shelf.read { $0.cost(of: key) }
        while let shortage = shortage(for: cost, inPlaceOf: earlier), evictOne(shortage) {
            if earlier != nil { earlier = shelf.read { $0.cost(of: key) } }
        }
    }

    /// The limit that a picture of this cost would break.
    private func shortage(for cost: Int, inPlaceOf earlier: Int?) -> EvictionReason? {
        if heldCost - (earlier ?? 0) > limits.cost - cost { return .cost }
        return earlier == nil && heldCount >= limits.count ? .count : nil
    }

    /// Evicts the least worthy of some sixteen, from as many shelves as that takes. False when nothing is left.
    private func evictOne(_ reason: EvictionReason) -> Bool {
        var best: (shelf: MemoryShelfLock, candidate: MemoryShelf.Candidate)?
        var looks = 0
        for _ in shelves where looks < 16 {
            let shelf = shelves[hand]
            hand = (hand + 1) % shelves.count
            guard let candidate = shelf.candidate() else { continue }
            looks += candidate.looks
            if best.map({ candidate.worth < $0.candidate.worth }) ?? true { best = (shelf, candidate) }
        }
        guard let best else { return false }
        change(best.shelf) { $0.evict(best.candidate, reason) }
        return true
    }

    /// Evicts until no more than this part of the present cost is left: nothing from zero downwards (or not a number).
    package func trim(toFraction fraction: Double) {
        if fraction < 1 || fraction.isNaN { trim(toCost: fraction > 0 ? Int(Double(heldCost) * fraction) : 0) }
    }

    package func trim(toCost cost: Int) {
        while heldCost > max(0, cost), evictOne(.trim) {}
    }

    /// What is above the new limits leaves at once; the time to live is that of pictures stored from now on.
    package func change(_ settings: ImageLoader.Configuration.Memory) {
        timeToLive = settings.timeToLive
        limits = settings.limits
        for shelf in shelves { change(shelf) { $0.setLimits(limits) } }
        while heldCount > limits.count, evictOne(.count) {}
        while heldCost > limits.cost, evictOne(.cost) {}
    }

    // MARK: Removals

    /// Removes all sizes of a resource.
    package func remove(_ resource: ResourceKey) {
        removals.record(resource)
        change(shelf(of: resource)) { $0.remove(resource) }
    }

    /// Removes what matches, and keeps nothing that was begun before: whether that would match, nobody knows yet.
    ///
    /// - Returns: how many were removed, those among them that had been evicted and were still in use.
    package func removeAll(where matches: @Sendable (ImageKey, MemoryEntry) -> Bool) -> Int {
        removals.recordAll()
        // Not under a lock, as `matches` may be the program's own. Nothing changes meanwhile: nobody else writes.
        let matching = shelves.map { shelf in Set(shelf.read { $0.contents }.filter(matches).map(\.key)) }
        for (shelf, keys) in zip(shelves, matching) where !keys.isEmpty {
            change(shelf) { $0.removeAll { key, _ in keys.contains(key) } }
        }
        return matching.reduce(0) { $0 + $1.count }
    }

    package func removeAll() {
        removals.recordAll()
        for shelf in shelves { change(shelf) { $0.removeAll() } }
    }

    // MARK: For tests

    /// Why the cache contradicts itself, nil when it does not.
    package var brokenInvariant: String? {
        let held = shelves.reduce((cost: 0, count: 0)) { held, shelf in
            shelf.read { (held.cost + $0.cost, held.count + $0.count) }
        }
        if held != (heldCost, heldCount) { return "the shelves hold something else than is counted" }
        if heldCost > limits.cost || heldCount > limits.count { return "a limit is exceeded" }
        return shelves.compactMap { $0.read { $0.brokenInvariant } }.first
    }
}

extension ImageLoader.Configuration.Memory {
    fileprivate var limits: EvictionLimits {
        EvictionLimits(cost: costLimit, count: countLimit ?? .max, entryCost: entryCostLimit ?? .max)
    }
}

extension Duration {
    /// The sum, or the end of all times; a sum of what is without measure would overflow.
    fileprivate func added(to moment: Duration) -> Duration {
        moment + min(max(self, .zero), .seconds(1_000_000_000_000))
    }
}
