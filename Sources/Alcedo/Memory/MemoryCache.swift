import Foundation
import Synchronization

/// Decoded pictures, ready to be drawn.
///
/// The actor is the only writer, and what it has lies on a pictures behind a lock. What is looked up on a core again
/// lies in a shard of that core too, so a view gets its picture in the frame it asks in, and tasks that ask at the same
/// time do not wait for each other (`Docs/Decisions/0013-memory-in-shards.md`).
public actor MemoryCache {
    package typealias Ticket = RemovalLog<ResourceKey>.Ticket
    private typealias Gone = MemoryStore.Gone

    /// A picture that was found.
    package struct Found: Sendable {
        package let image: DecodedImage
        package let freshness: Freshness?
        /// Whether it had been let go, and should be kept again.
        package var isReleased = false
    }

    private nonisolated let shards: MemoryShards
    private nonisolated let pictures: Mutex<MemoryStore>
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
        _ settings: Settings, cores: Int = CoreNumber.count, memory: ProcessMemory = .shared,
        now: @escaping @Sendable () -> Duration = { .zero }
    ) {
        pictures = Mutex(MemoryStore(limits: settings.limits(cost: settings.costLimit ?? 0)))
        hasLimits = settings.costLimit != nil
        shards = MemoryShards(cores: cores)
        self.memory = memory
        timeToLive = settings.timeToLive
        self.now = now
    }

    /// The picture of `key`, if it is here; or, where `largerServes`, the least one of the same resource that covers
    /// its size. Never suspends, from any isolation, and allocates only where a picture is found on a core for the
    /// first time.
    package nonisolated func find(_ key: ImageKey, largerServes: Bool = false) -> Found? {
        if let found = shards.find(key, now: now) { return found }
        return findInStore(key, largerServes: largerServes)
    }

    /// The picture of `key` for a caller that has looked before: its miss isn't counted twice.
    package nonisolated func findAgain(_ key: ImageKey) -> Found? {
        if let found = find(key) { return found }
        pictures.withLock { $0.uncountMiss() }
        return nil
    }

    private nonisolated func findInStore(_ key: ImageKey, largerServes: Bool) -> Found? {
        pictures.withLock { pictures in
            pictures.ticks = shards.tell(1)
            if let (found, expiry) = pictures.find(key, now: now) {
                // With the lock of the pictures, or it might have left meanwhile.
                shards.keep(key, found, expiry: expiry)
                return found
            }
            return pictures.findElsewhere(key, largerServes: largerServes, now: now)
        }
    }

    /// Whether a look-up would find something; is none.
    package nonisolated func contains(_ key: ImageKey, largerServes: Bool) -> Bool {
        pictures.withLock { $0.contains(key, largerServes: largerServes, now: now) }
    }

    /// What was counted; look-ups meanwhile may be in it or not.
    package nonisolated var statistics: MemoryStatistics {
        pictures.withLock { pictures in
            var statistics = MemoryStatistics(cost: pictures.cost, count: pictures.count)
            pictures.count(into: &statistics)
            statistics.hits += shards.hits
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
        change { pictures, gone in
            let limits = pictures.limits
            gone = pictures.setLimits(EvictionLimits(cost: cost, count: limits.count, entryCost: limits.entryCost))
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
        change { pictures, gone in
            pictures.ticks = shards.tell(1)
            sweep(&pictures, &gone)
            // One whose time is over is not kept, and needs no room.
            if expiry.map({ now() < $0 }) ?? true {
                let cost = entry.cost
                while let shortage = pictures.shortage(for: cost, key), let departed = evictOne(shortage, of: &pictures)
                {
                    gone.append(consume departed)
                }
            }
            gone.append(pictures.store(entry, for: key, expiry: expiry, now: now()))
        }
    }

    /// Takes out what has expired, before others have to go for want of room. A sweep looks at all pictures: not for
    /// each of many that expire one after the other.
    private func sweep(_ pictures: inout MemoryStore, _ gone: inout Gone) {
        guard let earliest = pictures.earliestExpiry else { return }
        let now = now()
        // A clock that was set back is no reason to wait until it is there again.
        guard nextSweep <= now || nextSweep - now > Self.sweepInterval, earliest <= now else { return }
        gone.append(pictures.removeExpired(now: now))
        nextSweep = now + Self.sweepInterval
    }

    private static let sweepInterval = Duration.seconds(1)

    /// To be taken when the work begins whose result will take the place of a resource's pictures: the result of work
    /// that began before is not kept from now on.
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
        guard let entry = pictures.withLock({ $0.released(key, image, now: now) }) else { return }
        store(entry.value, for: key, expiry: entry.expiry)
        // Larger than what there is room for by now: it stays where it was.
        pictures.withLock { $0.putBack(entry, for: key) }
    }

    /// Changes the pictures, and sees to it that no shard has what left.
    private func change(_ event: (_ pictures: inout MemoryStore, _ gone: inout Gone) -> Void) {
        // Let go after the lock: it may be large to give back.
        var gone = Gone()
        pictures.withLock { pictures in
            event(&pictures, &gone)
            gone.forEachHash { hash in shards.forEach { $0.forget(hash) } }
            pictures.note(&gone)
        }
    }

    // MARK: Room

    /// Evicts the least worthy of some, by what is known on the pictures and in all shards. Nil when nothing is left.
    private func evictOne(
        _ reason: EvictionReason, of pictures: inout MemoryStore
    ) -> Departed<ImageKey, MemoryEntry>? {
        shards.forEach { pictures.noteUses(of: &$0) }
        return pictures.evictOne(reason)
    }

    /// Evicts one after the other, with look-ups in between.
    private func evict(_ reason: EvictionReason, while isTooMuch: (MemoryStore) -> Bool) {
        var isOver = false
        while !isOver {
            change { pictures, gone in
                pictures.ticks = shards.ticks
                if isTooMuch(pictures), let departed = evictOne(reason, of: &pictures) {
                    gone.append(consume departed)
                } else {
                    isOver = true
                }
            }
        }
    }

    /// What nobody can find any more goes before what somebody might look for. O(1) when nothing has expired.
    private func removeExpired() {
        change { pictures, gone in gone = pictures.removeExpired(now: now()) }
    }

    /// Evicts until no more than this part of the present cost is left: nothing from zero downwards (or not a number).
    /// What has expired is not counted, and goes in any case.
    package func trim(toFraction fraction: Double) {
        removeExpired()
        guard fraction < 1 || fraction.isNaN else { return }
        let cost = pictures.withLock { $0.cost }
        trim(toCost: fraction > 0 ? Int(Double(cost) * fraction) : 0)
    }

    package func trim(toCost cost: Int) {
        removeExpired()
        evict(.trim) { $0.cost > max(0, cost) }
    }

    private func costLimit(of settings: Settings) async -> Int {
        if let cost = settings.costLimit { return cost }
        return MemoryBudget.costLimit(within: await memory.limit())
    }

    /// What is above the new limits leaves at once; the time to live is that of pictures stored from now on.
    package func change(_ settings: Settings) async {
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
        change { pictures, gone in
            let old = pictures.limits
            gone = pictures.setLimits(
                EvictionLimits(cost: old.cost, count: old.count, entryCost: min(new.entryCost, new.cost)))
        }
        evict(.count) { $0.count > new.count }
        evict(.cost) { $0.cost > new.cost }
        change { pictures, gone in gone = pictures.setLimits(new) }
    }

    // MARK: Removals

    /// Removes all sizes of a resource.
    package func remove(_ resource: ResourceKey) {
        removals.record(resource)
        change { pictures, gone in gone = pictures.remove(resource) }
    }

    /// Removes what matches, and keeps nothing that was begun before: whether that would match, nobody knows yet.
    ///
    /// - Returns: how many were removed, those among them that had been evicted and were still in use.
    package func removeAll(where matches: @Sendable (ImageKey, MemoryEntry) -> Bool) -> Int {
        removals.recordAll()
        removeExpired()
        // Not under a lock, as `matches` may be the program's own. Nothing changes meanwhile: nobody else writes.
        let keys = Set(pictures.withLock { $0.contents(now: now) }.filter(matches).map(\.key))
        if !keys.isEmpty { change { pictures, gone in gone = pictures.removeAll { key, _ in keys.contains(key) } } }
        return keys.count
    }

    package func removeAll() {
        removals.recordAll()
        change { pictures, gone in
            gone = pictures.removeAll()
            shards.removeAll()
        }
    }

    // MARK: For tests

    /// Why the cache contradicts itself, nil when it does not.
    package var brokenInvariant: String? {
        pictures.withLock { pictures in
            var problem = pictures.brokenInvariant
            shards.forEach { shard in problem = problem ?? shard.brokenInvariant(pictures) }
            return problem
        }
    }
}

extension MemoryCache.Found {
    init(_ entry: MemoryEntry, isReleased: Bool = false) {
        self.init(image: entry.image, freshness: entry.freshness, isReleased: isReleased)
    }
}

extension MemoryCache.Settings {
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
