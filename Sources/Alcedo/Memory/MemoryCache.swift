import Foundation
import Synchronization

/// A cache of decoded images in memory.
///
/// A loader makes its own unless it is given one. A cache can be used alone, and be shared between loaders:
///
/// ```swift
/// let cache = MemoryCache()
/// let loader = ImageLoader(memoryCache: cache)
/// ```
///
/// Look-ups are synchronous. They take a shard's lock of the core they run on, so tasks on different cores don't wait
/// for each other (`Docs/Decisions/0013-memory-in-shards.md`). Only the actor adds, removes and evicts entries. An
/// evicted image that is still in use somewhere is found until its last user releases it.
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
    nonisolated let pictures: Mutex<MemoryStore>
    nonisolated let now: @Sendable () -> Duration
    private nonisolated let pressure = Mutex<MemoryPressureTrimmer?>(nil)
    private let memory: ProcessMemory
    private var removals = RemovalLog<ResourceKey>()
    private var timeToLive: Duration?
    /// Whether the limit in bytes is known; nothing is kept before that.
    private var hasLimits = false
    /// How often the settings were changed.
    private var changes = 0
    /// When expired pictures are looked for again, at the earliest.
    private var nextSweep = Duration.zero

    /// A cache with the default settings.
    public init() { self.init(valid: Settings(), now: TimeSource().now) }

    /// A cache with these settings.
    ///
    /// - Parameters:
    ///   - settings: What the cache may hold, and for how long.
    ///   - onFailure: Called, on any thread, when memory pressure can't be watched.
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` for a setting that is out of range.
    public init(
        _ settings: Settings, onFailure: @escaping @Sendable (CacheFailure) -> Void = { _ in }
    ) throws(ImageLoaderError) {
        try settings.validate()
        self.init(valid: settings, now: TimeSource().now, onFailure: onFailure)
    }

    /// - Parameters:
    ///   - cores: of the machine.
    ///   - memory: of which the default limit in bytes is a part.
    package init(
        valid settings: Settings, cores: Int = CoreNumber.count, memory: ProcessMemory = .shared,
        now: @escaping @Sendable () -> Duration = { .zero },
        onFailure: (@Sendable (CacheFailure) -> Void)? = nil
    ) {
        pictures = Mutex(MemoryStore(limits: settings.limits(cost: settings.maximumBytes ?? 0)))
        hasLimits = settings.maximumBytes != nil
        shards = MemoryShards(cores: cores)
        self.memory = memory
        timeToLive = settings.timeToLive
        self.now = now
        guard settings.watchesMemoryPressure, let onFailure else { return }
        let trimmer = MemoryPressureTrimmer(self, onFailure: onFailure)
        pressure.withLock { $0 = trimmer }
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

    /// What was asked of the cache since it was made, and what it holds. Doesn't suspend; takes a lock for some
    /// nanoseconds.
    public nonisolated var statistics: MemoryStatistics {
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

    /// Removes what no look-up finds any more. O(1) when nothing has expired.
    @discardableResult
    func removeExpired() -> Int {
        var count = 0
        change { pictures, gone in
            gone = pictures.removeExpired(now: now())
            count = gone.count
        }
        return count
    }

    /// Evicts images, the least useful first, until no more than `fraction` of the present bytes is left.
    ///
    /// Expired images are removed first and don't count. An evicted image is found while something else still uses it.
    ///
    /// - Parameter fraction: 0 (or less, or NaN) evicts all images, 1 none.
    public func trim(toFraction fraction: Double) {
        removeExpired()
        guard fraction < 1 || fraction.isNaN else { return }
        let cost = pictures.withLock { $0.cost }
        trim(toBytes: fraction > 0 ? Int(Double(cost) * fraction) : 0)
    }

    /// Evicts images, the least useful first, until they take no more than so many bytes; see ``trim(toFraction:)``.
    public func trim(toBytes bytes: Int) {
        removeExpired()
        evict(.trim) { $0.cost > max(0, bytes) }
    }

    private func costLimit(of settings: Settings) async -> Int {
        if let cost = settings.maximumBytes { return cost }
        return MemoryBudget.costLimit(within: await memory.limit())
    }

    /// Changes the limits and the time to live.
    ///
    /// Images above the new limits are evicted at once. The time to live applies to images stored from now on.
    /// ``Settings/watchesMemoryPressure`` keeps its value.
    ///
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` for a setting out of range; nothing changes then.
    public nonisolated func change(to settings: Settings) async throws(ImageLoaderError) {
        try settings.validate()
        await apply(settings)
    }

    private func apply(_ settings: Settings) async {
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

    package func remove(_ resource: ResourceKey) {
        removals.record(resource)
        change { pictures, gone in gone = pictures.remove(resource) }
    }

    /// Removes what matches, and stores nothing that began before: whether it would match isn't known yet.
    func removeAll(where matches: @Sendable (ImageKey, MemoryEntry) -> Bool) -> Int {
        removals.recordAll()
        removeExpired()
        // Not under a lock, as `matches` may call the program. Nothing changes meanwhile: this actor is the only
        // writer.
        let keys = Set(pictures.withLock { $0.contents(now: now) }.filter(matches).map(\.key))
        if !keys.isEmpty { change { pictures, gone in gone = pictures.removeAll { key, _ in keys.contains(key) } } }
        return keys.count
    }

    /// Removes all images; see ``remove(_:)-(CacheSelection)``.
    public func removeAll() {
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
        EvictionLimits(cost: cost, count: maximumCount ?? .max, entryCost: maximumBytesPerImage ?? .max)
    }
}

extension Duration {
    /// The sum, or the end of all times; a sum of what is without measure would overflow.
    fileprivate func added(to moment: Duration) -> Duration {
        moment + min(max(self, .zero), .seconds(1_000_000_000_000))
    }
}
