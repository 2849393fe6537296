import Foundation
import Synchronization

/// Decoded pictures, ready to be drawn.
///
/// The actor is the only writer, and what it has lies on a shelf behind a lock. What is looked up on a core again lies in a
/// lane of that core too, so a view gets its picture in the frame it asks in, and tasks that ask at the same time do not
/// wait for each other (`Docs/Decisions/0013-memory-in-lanes.md`).
package actor MemoryCache {
    package typealias Ticket = RemovalLog<ResourceKey>.Ticket
    private typealias Gone = MemoryShelf.Gone

    /// A picture that was found.
    package struct Found: Sendable {
        package let image: DecodedImage
        package let freshness: Freshness?
        /// Whether it had been let go, and should be kept again.
        package var isReleased = false
    }

    private nonisolated let lanes: MemoryLanes
    private nonisolated let shelf: Mutex<MemoryShelf>
    private nonisolated let now: @Sendable () -> Duration
    private let memory: ProcessMemory
    private var removals = RemovalLog<ResourceKey>()
    private var timeToLive: Duration?
    /// Whether the limit in bytes is known; nothing is kept before that.
    private var hasLimits = false
    /// How often the settings were changed.
    private var changes = 0
    /// When expired pictures are looked for again, at the earliest.
    private var nextSweep = Duration.zero

    /// - Parameters:
    ///   - cores: of the machine.
    ///   - memory: of which the default limit in bytes is a part.
    package init(
        _ settings: ImageLoader.Configuration.Memory, cores: Int = CoreNumber.count, memory: ProcessMemory = .shared,
        now: @escaping @Sendable () -> Duration = { .zero }
    ) {
        shelf = Mutex(MemoryShelf(limits: settings.limits(cost: settings.costLimit ?? 0)))
        hasLimits = settings.costLimit != nil
        lanes = MemoryLanes(cores: cores)
        self.memory = memory
        timeToLive = settings.timeToLive
        self.now = now
    }

    /// The picture of `key`, if it is here; or, where `largerServes`, the least one of the same resource that covers its
    /// size. Never suspends, from any isolation, and allocates only where a picture is found on a core for the first time.
    ///
    /// - Parameter again: whether this caller looked before, so that a miss is not counted twice.
    package nonisolated func find(_ key: ImageKey, largerServes: Bool = false, again: Bool = false) -> Found? {
        if let found = lanes.find(key, now: now) { return found }
        return findOnShelf(key, largerServes: largerServes, again: again)
    }

    private nonisolated func findOnShelf(_ key: ImageKey, largerServes: Bool, again: Bool) -> Found? {
        shelf.withLock { shelf in
            shelf.ticks = lanes.tell(1)
            if let (found, expiry) = shelf.find(key, now: now) {
                // With the lock of the shelf, or it might have left meanwhile.
                lanes.keep(key, found, expiry: expiry)
                return found
            }
            return shelf.findElsewhere(key, largerServes: largerServes, again: again, now: now)
        }
    }

    /// Whether a look-up would find something; is none.
    package nonisolated func contains(_ key: ImageKey, largerServes: Bool) -> Bool {
        shelf.withLock { $0.contains(key, largerServes: largerServes, now: now) }
    }

    /// What was counted; look-ups meanwhile may be in it or not.
    package nonisolated var statistics: MemoryStatistics {
        shelf.withLock { shelf in
            var statistics = MemoryStatistics(cost: shelf.cost, count: shelf.count)
            shelf.count(into: &statistics)
            statistics.hits += lanes.hits
            return statistics
        }
    }

    // MARK: Stores

    /// To be taken when the work begins whose result will be stored.
    package func ticket() -> Ticket { removals.ticket() }

    /// Keeps a picture, unless its key was removed since `ticket` was taken or the limits do not admit it.
    ///
    /// - Parameter timeToLive: nil is the cache's own.
    package func store(
        _ entry: MemoryEntry, for key: ImageKey, timeToLive: Duration? = nil, begun ticket: Ticket
    ) async {
        if !hasLimits { await setDefaultLimit() }
        storeNow(entry, for: key, timeToLive: timeToLive, begun: ticket)
    }

    /// The first picture waits until it is known how much memory there is.
    private func setDefaultLimit() async {
        let cost = MemoryBudget.costLimit(within: await memory.limit())
        guard !hasLimits else { return }
        hasLimits = true
        change { shelf, gone in
            let limits = shelf.limits
            gone = shelf.setLimits(EvictionLimits(cost: cost, count: limits.count, entryCost: limits.entryCost))
        }
    }

    private func storeNow(
        _ entry: MemoryEntry, for key: ImageKey, timeToLive: Duration?, begun ticket: Ticket
    ) {
        guard removals.permits(ticket, key.resource) else { return }
        let expiry = (timeToLive ?? self.timeToLive).map { $0.added(to: now()) }
        store(entry, for: key, expiry: expiry)
    }

    private func store(_ entry: MemoryEntry, for key: ImageKey, expiry: Duration?) {
        change { shelf, gone in
            shelf.ticks = lanes.tell(1)
            sweep(&shelf, &gone)
            // One whose time is over is not kept, and needs no room.
            if expiry.map({ now() < $0 }) ?? true {
                let cost = entry.cost
                while let shortage = shelf.shortage(for: cost, key), let departed = evictOne(shortage, of: &shelf) {
                    gone.append(consume departed)
                }
            }
            gone.append(shelf.store(entry, for: key, expiry: expiry, now: now()))
        }
    }

    /// Takes out what has expired, before others have to go for want of room. A sweep looks at all pictures: not for each
    /// of many that expire one after the other.
    private func sweep(_ shelf: inout MemoryShelf, _ gone: inout Gone) {
        guard let earliest = shelf.earliestExpiry else { return }
        let now = now()
        // A clock that was set back is no reason to wait until it is there again.
        guard nextSweep <= now || nextSweep - now > Self.sweepInterval, earliest <= now else { return }
        gone.append(shelf.removeExpired(now: now))
        nextSweep = now + Self.sweepInterval
    }

    private static let sweepInterval = Duration.seconds(1)

    /// To be taken when the work begins whose result will take the place of a resource's pictures: the result of work that
    /// began before is not kept from now on.
    package func ticketToReplace(_ resource: ResourceKey) -> Ticket {
        removals.record(resource)
        return removals.ticket()
    }

    /// Keeps a picture, or none, in the place of all sizes of its resource, unless that was removed since `ticket` was
    /// taken or the limits do not admit it. What was begun before can't undo it.
    package func replace(
        with entry: MemoryEntry?, for key: ImageKey, timeToLive: Duration?, begun ticket: Ticket? = nil
    ) async {
        if !hasLimits { await setDefaultLimit() }
        // In one turn, so that nothing is stored in between.
        if let ticket, !removals.permits(ticket, key.resource) { return }
        remove(key.resource)
        if let entry { storeNow(entry, for: key, timeToLive: timeToLive, begun: self.ticket()) }
    }

    /// Keeps a picture again that was found although it had been evicted, unless it was removed meanwhile.
    package func keepAgain(_ key: ImageKey, _ image: DecodedImage) {
        let now = now()
        guard let entry = shelf.withLock({ $0.released(key, image, now: now) }) else { return }
        store(entry.value, for: key, expiry: entry.expiry)
        // Larger than what there is room for by now: it stays where it was.
        shelf.withLock { $0.putBack(entry, for: key) }
    }

    /// Changes the shelf, and sees to it that no lane has what left.
    private func change(_ event: (_ shelf: inout MemoryShelf, _ gone: inout Gone) -> Void) {
        // Let go after the lock: it may be large to give back.
        var gone = Gone()
        shelf.withLock { shelf in
            event(&shelf, &gone)
            gone.forEachHash { hash in lanes.forEach { $0.forget(hash) } }
            shelf.note(&gone)
        }
    }

    // MARK: Room

    /// Evicts the least worthy of some, by what is known on the shelf and in all lanes. Nil when nothing is left.
    private func evictOne(
        _ reason: EvictionReason, of shelf: inout MemoryShelf
    ) -> Departed<ImageKey, MemoryEntry>? {
        lanes.forEach { shelf.noteUses(of: &$0) }
        return shelf.evictOne(reason)
    }

    /// Evicts one after the other, with look-ups in between.
    private func evict(_ reason: EvictionReason, while isTooMuch: (MemoryShelf) -> Bool) {
        var isOver = false
        while !isOver {
            change { shelf, gone in
                shelf.ticks = lanes.ticks
                if isTooMuch(shelf), let departed = evictOne(reason, of: &shelf) {
                    gone.append(consume departed)
                } else {
                    isOver = true
                }
            }
        }
    }

    /// What nobody can find any more goes before what somebody might look for. O(1) when nothing has expired.
    private func removeExpired() {
        change { shelf, gone in gone = shelf.removeExpired(now: now()) }
    }

    /// Evicts until no more than this part of the present cost is left: nothing from zero downwards (or not a number). What
    /// has expired is not counted, and goes in any case.
    package func trim(toFraction fraction: Double) {
        removeExpired()
        guard fraction < 1 || fraction.isNaN else { return }
        let cost = shelf.withLock { $0.cost }
        trim(toCost: fraction > 0 ? Int(Double(cost) * fraction) : 0)
    }

    package func trim(toCost cost: Int) {
        removeExpired()
        evict(.trim) { $0.cost > max(0, cost) }
    }

    private func costLimit(of settings: ImageLoader.Configuration.Memory) async -> Int {
        if let cost = settings.costLimit { return cost }
        return MemoryBudget.costLimit(within: await memory.limit())
    }

    /// What is above the new limits leaves at once; the time to live is that of pictures stored from now on.
    package func change(_ settings: ImageLoader.Configuration.Memory) async {
        changes += 1
        let number = changes
        let cost = await costLimit(of: settings)
        // Later settings may have come meanwhile.
        guard number == changes else { return }
        hasLimits = true
        timeToLive = settings.timeToLive
        let new = settings.limits(cost: cost)
        removeExpired()
        // What is too large goes first: of the others fewer have to go then.
        change { shelf, gone in
            let old = shelf.limits
            gone = shelf.setLimits(
                EvictionLimits(cost: old.cost, count: old.count, entryCost: min(new.entryCost, new.cost)))
        }
        evict(.count) { $0.count > new.count }
        evict(.cost) { $0.cost > new.cost }
        change { shelf, gone in gone = shelf.setLimits(new) }
    }

    // MARK: Removals

    /// Removes all sizes of a resource.
    package func remove(_ resource: ResourceKey) {
        removals.record(resource)
        change { shelf, gone in gone = shelf.remove(resource) }
    }

    /// Removes what matches, and keeps nothing that was begun before: whether that would match, nobody knows yet.
    ///
    /// - Returns: how many were removed, those among them that had been evicted and were still in use.
    package func removeAll(where matches: @Sendable (ImageKey, MemoryEntry) -> Bool) -> Int {
        removals.recordAll()
        removeExpired()
        // Not under a lock, as `matches` may be the program's own. Nothing changes meanwhile: nobody else writes.
        let keys = Set(shelf.withLock { $0.contents(now: now) }.filter(matches).map(\.key))
        if !keys.isEmpty { change { shelf, gone in gone = shelf.removeAll { key, _ in keys.contains(key) } } }
        return keys.count
    }

    package func removeAll() {
        removals.recordAll()
        change { shelf, gone in
            gone = shelf.removeAll()
            lanes.removeAll()
        }
    }

    // MARK: For tests

    /// Why the cache contradicts itself, nil when it does not.
    package var brokenInvariant: String? {
        shelf.withLock { shelf in
            var problem = shelf.brokenInvariant
            lanes.forEach { lane in problem = problem ?? lane.brokenInvariant(shelf) }
            return problem
        }
    }
}

extension MemoryCache.Found {
    init(_ entry: MemoryEntry, isReleased: Bool = false) {
        self.init(image: entry.image, freshness: entry.freshness, isReleased: isReleased)
    }
}

extension ImageLoader.Configuration.Memory {
    fileprivate func limits(cost: Int) -> EvictionLimits {
        EvictionLimits(cost: cost, count: countLimit ?? .max, entryCost: entryCostLimit ?? .max)
    }
}

extension Duration {
    /// The sum, or the end of all times; a sum of what is without measure would overflow.
    fileprivate func added(to moment: Duration) -> Duration {
        moment + min(max(self, .zero), .seconds(1_000_000_000_000))
    }
}
