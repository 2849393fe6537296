import Synchronization

// Look-ups, which may be made from any isolation.

extension MemoryCache {
    /// The image of `key`, if it is in memory; or, if `largerServes`, the smallest image of the same resource that
    /// covers its size. Never suspends, and may be called from any isolation.
    ///
    /// - Parameters:
    ///   - keepsReleased: Whether an image that was evicted but is still in use is stored again.
    ///   - acceptsStale: Whether an image may be returned even though its response has to be validated. An image whose
    ///     response is known to match no request is never returned.
    package nonisolated func find(
        _ key: ImageKey, largerServes: Bool = false, keepsReleased: Bool = false, acceptsStale: Bool = false
    ) -> Found? {
        func isAccepted(_ freshness: Freshness?) -> Bool { freshness.map { isUsable($0, acceptsStale) } ?? true }
        let (found, isReleased) = pictures.withLock { pictures in
            if let found = pictures.find(key, now: now, isUsable: isAccepted) { return (Found?.some(found), false) }
            return pictures.findElsewhere(key, largerServes: largerServes, now: now, isUsable: isAccepted)
        }
        if isReleased, keepsReleased, let image = found?.image { Task { await keepAgain(key, image) } }
        return found
    }

    @inline(__always) private nonisolated func isUsable(_ freshness: Freshness, _ acceptsStale: Bool) -> Bool {
        acceptsStale
            ? !freshness.matchesNoRequest
            : freshness.isUsable(at: second(), window: reuseWindow.load(ordering: .relaxed))
    }

    /// The image of `key` for a caller that has looked it up before: a second miss isn't counted.
    package nonisolated func findAgain(_ key: ImageKey, acceptsStale: Bool = false) -> Found? {
        if let found = find(key, acceptsStale: acceptsStale) { return found }
        pictures.withLock { $0.uncountMiss() }
        return nil
    }

    /// The entry of `key`, however stale. Counts neither as a hit nor as a miss.
    nonisolated func entry(_ key: ImageKey) -> MemoryEntry? { pictures.withLock { $0.entry(key, now: now) } }

    /// Whether ``find(_:largerServes:keepsReleased:acceptsStale:)`` would find something usable.
    nonisolated func isThere(_ key: ImageKey, _ largerServes: Bool, _ acceptsStale: Bool = false) -> Bool {
        pictures.withLock {
            $0.contains(key, largerServes: largerServes, now: now) { $0.map { isUsable($0, acceptsStale) } ?? true }
        }
    }
}

extension MemoryCache.Found {
    init(_ entry: MemoryEntry) { self.init(image: entry.image, response: entry.response) }
}
