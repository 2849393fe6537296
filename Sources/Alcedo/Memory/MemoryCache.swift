import Synchronization

/// Decoded pictures, ready to be drawn.
///
/// The actor is the only writer. What it has is published for two readers, the look-up and the statistics, which take the
/// lock for some nanoseconds, so that a view gets its picture in the frame it asks in.
package actor MemoryCache {
    package typealias Ticket = RemovalLog<ResourceKey>.Ticket

    private nonisolated let shelf: Mutex<MemoryShelf>
    private nonisolated let now: @Sendable () -> Duration
    private var removals = RemovalLog<ResourceKey>()
    private var timeToLive: Duration?

    package init(_ settings: ImageLoader.Configuration.Memory, now: @escaping @Sendable () -> Duration = { .zero }) {
        shelf = Mutex(MemoryShelf(limits: settings.limits))
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
        shelf.withLock { $0.find(key, largerServes: largerServes, again: again, now: now) }
    }

    package nonisolated var statistics: MemoryStatistics { shelf.withLock { $0.statistics } }

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
        // What leaves is let go after the lock: it may be large to give back.
        letGo(shelf.withLock { $0.store(entry, for: key, expiry: expiry, now: now) })
    }

    /// Keeps a picture again that was found although it had been evicted, unless it was removed meanwhile.
    package func keepAgain(_ key: ImageKey, _ image: DecodedImage) {
        let now = now()
        letGo(shelf.withLock { $0.keepAgain(key, image, now: now) })
    }

    /// Removes all sizes of a resource.
    package func remove(_ resource: ResourceKey) {
        removals.record(resource)
        letGo(shelf.withLock { $0.remove(resource) })
    }

    /// Removes what matches, and keeps nothing that was begun before: whether that would match, nobody knows yet.
    ///
    /// - Returns: how many were removed.
    package func removeAll(where matches: @Sendable (ImageKey, MemoryEntry) -> Bool) -> Int {
        removals.recordAll()
        // Not under the lock, as `matches` may be the program's own. Nothing changes meanwhile: nobody else writes.
        let matching = Set(shelf.withLock { $0.contents }.filter(matches).map(\.key))
        let departures = shelf.withLock { $0.removeAll { key, _ in matching.contains(key) } }
        return departures.count
    }

    package func removeAll() {
        removals.recordAll()
        letGo(shelf.withLock { $0.removeAll() })
    }

    package func removeExpired() {
        let now = now()
        shelf.withLock { $0.removeExpired(now: now) }
    }

    package func trim(toFraction fraction: Double) { letGo(shelf.withLock { $0.trim(toFraction: fraction) }) }

    package func trim(toCost cost: Int) { letGo(shelf.withLock { $0.trim(toCost: cost) }) }

    /// What is above the new limits leaves at once; the time to live is that of pictures stored from now on.
    package func change(_ settings: ImageLoader.Configuration.Memory) {
        timeToLive = settings.timeToLive
        letGo(shelf.withLock { $0.setLimits(settings.limits) })
    }

    private func letGo(_ departures: consuming Departures<ImageKey, MemoryEntry>) {}
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
