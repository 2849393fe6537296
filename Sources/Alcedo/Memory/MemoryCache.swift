import Foundation
import Synchronization

/// A cache of decoded images in memory.
///
/// A loader creates its own cache unless it is given one. A cache can also be used alone, or shared between loaders:
///
/// ```swift
/// let cache = MemoryCache()
/// let loader = ImageLoader(memoryCache: cache)
/// ```
///
/// Look-ups are synchronous, under a lock. Only the actor adds, removes and evicts entries. An evicted image that is
/// still in use elsewhere is found until its last user releases it.
public actor MemoryCache {
    package typealias Ticket = RemovalLog<UInt32>.Ticket
    private typealias Gone = MemoryStore.Gone

    /// An image found by a look-up.
    package struct Found: Sendable {
        package let image: DecodedImage
        /// The response that the image was made from; nil if there was none.
        package let response: StoredResponse?

        package var freshness: Freshness? { response?.freshness }
    }

    nonisolated let pictures: Mutex<MemoryStore>
    nonisolated let now: @Sendable () -> Duration
    /// The current time, in seconds since 1970, to compare with the freshness of images.
    nonisolated let second: @Sendable () -> Int64
    /// How long an image is used after its response was validated, in seconds.
    nonisolated let reuseWindow: Atomic<Int64>
    private nonisolated let pressure = Mutex<MemoryPressureTrimmer?>(nil)
    private let memory: ProcessMemory
    /// Removals, by the hashes of the keys. If two keys have the same hash, removing one also invalidates tickets for
    /// the other.
    private nonisolated let removals = Removals<UInt32>()
    private var timeToLive: Duration?
    /// Whether the limit in bytes is known; nothing is stored before that.
    private(set) var hasLimits = false
    /// The number of times the settings were changed.
    private var changes = 0
    private var pressureBurst = PressureBurst()
    /// The earliest time of the next search for expired images.
    private var nextSweep = Duration.zero

    /// Creates a cache with the default settings.
    public init() { self.init(valid: Settings(), time: TimeSource()) }

    /// Creates a cache with these settings.
    ///
    /// - Parameters:
    ///   - settings: The limits of the cache and the lifetime of its images.
    ///   - onFailure: Called, on any thread, when memory pressure can't be watched.
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` for a setting that is out of range.
    public init(
        _ settings: Settings, onFailure: @escaping @Sendable (CacheFailure) -> Void = { _ in }
    ) throws(ImageLoaderError) {
        try settings.validate()
        self.init(valid: settings, time: TimeSource(), onFailure: onFailure)
    }

    /// - Parameters:
    ///   - memory: The memory that the default limit in bytes is a share of.
    package init(
        valid settings: Settings, memory: ProcessMemory = .shared,
        time: TimeSource? = nil, now: @escaping @Sendable () -> Duration = { .zero },
        onFailure: @escaping @Sendable (CacheFailure) -> Void = { _ in }
    ) {
        pictures = Mutex(MemoryStore(limits: settings.limits(cost: settings.maximumBytes ?? 0)))
        hasLimits = settings.maximumBytes != nil
        self.memory = memory
        timeToLive = settings.timeToLive
        self.now = time?.now ?? now
        second = time?.secondsSince1970 ?? TimeOfDay.seconds
        reuseWindow = Atomic(settings.reuseWindow.components.seconds)
        guard settings.watchesMemoryPressure else { return }
        let trimmer = MemoryPressureTrimmer(self, onFailure: onFailure)
        pressure.withLock { $0 = trimmer }
    }

    /// The cache's operations since its creation, and its current contents.
    ///
    /// Doesn't suspend; holds a lock for a few nanoseconds.
    public nonisolated var statistics: MemoryStatistics {
        pictures.withLock { pictures in
            var statistics = MemoryStatistics(cost: pictures.cost, count: pictures.count)
            pictures.count(into: &statistics)
            return statistics
        }
    }

    // MARK: Storing

    /// Returns a ticket. Take it when work begins whose result will be stored.
    package nonisolated func ticket() -> Ticket { removals.ticket() }

    /// Whether a resource hasn't been removed since `ticket` was taken.
    nonisolated func permits(_ ticket: Ticket, _ resource: ResourceKey) -> Bool {
        removals.permits(ticket, resource.shortHash)
    }

    /// Stores an image, unless its key was removed since `ticket` was taken or the limits don't admit it.
    ///
    /// Images made from other versions of the response are removed.
    ///
    /// - Parameters:
    ///   - timeToLive: How long the image can be found; nil applies the cache's setting.
    ///   - replacesStored: Whether the image's response replaces one that the caches may have. If so, results of work
    ///     that began earlier with another version are no longer stored.
    package func store(
        _ entry: MemoryEntry, for key: ImageKey, timeToLive: Duration? = nil, begun ticket: Ticket,
        replacesStored: Bool = false
    ) async {
        await store(entry, key, timeToLive, ticket, replacesStored ? .otherVersions : .nothing)
    }

    /// The images that a store removes in addition to the one under the same key and those of other known versions.
    enum Replacement {
        case nothing
        /// All images of the resource except those of the same version.
        case otherVersions
        /// All images of the resource.
        case all
    }

    /// - Parameters:
    ///   - entry: Nil to remove the images of the resource.
    ///   - ticket: Nil if earlier removals don't matter.
    func store(
        _ entry: MemoryEntry?, _ key: ImageKey, _ timeToLive: Duration?, _ ticket: Ticket?, _ replacement: Replacement
    ) async {
        if !hasLimits { await setDefaultLimit() }
        var replacement = replacement
        if let ticket, !removals.permits(ticket, key.resource.shortHash) {
            // Another image of the same version has replaced the earlier ones, and hasn't been removed.
            guard let version = entry?.response?.version,
                pictures.withLock({ $0.contains(key.resource, version: version) })
            else { return }
            replacement = .nothing
        }
        if let entry {
            if replacement != .nothing { removals.record(key.resource.shortHash) }
            let expiry = (timeToLive ?? self.timeToLive).map { $0.added(to: now()) }
            store(entry, for: key, expiry: expiry, replacement)
        } else {
            remove(key.resource)
        }
    }

    /// Sets the default limit in bytes, once the amount of available memory is known. No image is stored before that.
    func setDefaultLimit() async {
        let cost = await defaultCostLimit()
        guard !hasLimits else { return }
        hasLimits = true
        change { pictures, gone in
            let limits = pictures.limits
            gone = pictures.setLimits(EvictionLimits(cost: cost, count: limits.count, entryCost: limits.entryCost))
        }
    }

    private func defaultCostLimit() async -> Int { MemoryBudget.costLimit(within: await memory.limit()) }

    private func store(
        _ entry: MemoryEntry, for key: ImageKey, expiry: Duration?, _ replacement: Replacement = .nothing
    ) {
        change { pictures, gone in
            if replacement == .all {
                gone = pictures.remove(key.resource)
            } else if let response = entry.response {
                gone = pictures.remove(
                    key.resource, replacedBy: response, includingUnknown: replacement == .otherVersions)
            }
            sweep(&pictures, &gone)
            pictures.store(entry, for: key, expiry: expiry, now: now(), into: &gone)
        }
    }

    /// Removes expired images before others are evicted for lack of room. Because a sweep examines all images, it runs
    /// at most once per second.
    private func sweep(_ pictures: inout MemoryStore, _ gone: inout Gone) {
        guard let earliest = pictures.earliestExpiry else { return }
        let now = now()
        // If the clock was set back, don't wait until it reaches the old time again.
        guard nextSweep <= now || nextSweep - now > Self.sweepInterval, earliest <= now else { return }
        gone += pictures.removeExpired(now: now)
        nextSweep = now + Self.sweepInterval
    }

    private static let sweepInterval = Duration.seconds(1)

    /// Returns a ticket. Take it when work begins whose result will replace a resource's images. Results of work that
    /// began earlier are no longer stored.
    package func ticketToReplace(_ resource: ResourceKey) -> Ticket {
        removals.record(resource.shortHash)
        return removals.ticket()
    }

    /// Replaces all sizes of a resource's image with one image or none, unless the resource was removed since `ticket`
    /// was taken. An image that the limits don't admit isn't stored. Work that began earlier can't undo it.
    package func replace(
        with entry: MemoryEntry?, for key: ImageKey, timeToLive: Duration?, begun ticket: Ticket? = nil
    ) async {
        await store(entry, key, timeToLive, ticket, .all)
    }

    /// Renews the response of all images of a resource that have the same version. The server has confirmed them.
    package func confirm(_ response: StoredResponse, for resource: ResourceKey) {
        change { pictures, _ in pictures.confirm(response, resource) }
    }

    /// Stores an evicted image again, unless it has been removed since.
    package func keepAgain(_ key: ImageKey, _ image: DecodedImage) {
        let now = now()
        guard let entry = pictures.withLock({ $0.released(key, image, now: now) }) else { return }
        store(entry.value, for: key, expiry: entry.expiry)
        // If the image no longer fits, it stays with the evicted images that are in use.
        pictures.withLock { $0.putBack(entry, for: key) }
    }

    /// Changes the store. Images evicted for lack of room can still be found while they are in use.
    private func change(_ event: (_ pictures: inout MemoryStore, _ gone: inout Gone) -> Void) {
        // Released after the lock, because freeing a large image takes time.
        var gone: Gone = []
        pictures.withLock { pictures in
            event(&pictures, &gone)
            pictures.note(&gone)
        }
    }

    // MARK: Making room

    /// Evicts images one by one, so that look-ups can run in between.
    private func evict(_ reason: EvictionReason, while isTooMuch: (MemoryStore) -> Bool) {
        var isOver = false
        while !isOver {
            change { pictures, gone in
                if isTooMuch(pictures), let departed = pictures.evictOne(reason) {
                    gone.append(departed)
                } else {
                    isOver = true
                }
            }
        }
    }

    /// Removes expired images. O(1) when nothing has expired.
    @discardableResult
    func removeExpired() -> Int {
        var count = 0
        change { pictures, gone in
            gone = pictures.removeExpired(now: now())
            count = gone.count
        }
        return count
    }

    /// Evicts images, least useful first, until at most `fraction` of the current bytes is left.
    ///
    /// Expired images are removed first and don't count. An evicted image is still found while it is in use elsewhere.
    ///
    /// - Parameter fraction: 0 (or less, or NaN) evicts all images; 1 evicts none.
    public func trim(toFraction fraction: Double) {
        removeExpired()
        guard fraction < 1 || fraction.isNaN else { return }
        let cost = pictures.withLock { $0.cost }
        trim(toBytes: fraction > 0 ? Int(Double(cost) * fraction) : 0)
    }

    /// Evicts images, least useful first, until they take at most `bytes` bytes; see ``trim(toFraction:)``.
    ///
    /// - Parameter bytes: 0 (or less) evicts all images.
    public func trim(toBytes bytes: Int) {
        removeExpired()
        evict(.trim) { $0.cost > bytes }
    }

    /// Trims the cache because memory is short. Reports within a second count as one, with the smallest fraction.
    ///
    /// - Parameter fraction: See ``trim(toFraction:)``.
    package func trimUnderPressure(toFraction fraction: Double) {
        if let rest = pressureBurst.take(fraction, at: now()) { trim(toFraction: rest) }
    }

    /// Changes the limits and the time to live.
    ///
    /// Images that exceed the new limits are evicted immediately. The time to live applies to images stored from now
    /// on. ``Settings/watchesMemoryPressure`` isn't changed.
    ///
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` for a setting out of range; nothing changes in that
    ///   case.
    public nonisolated func change(to settings: Settings) async throws(ImageLoaderError) {
        try settings.validate()
        await apply(settings)
    }

    private func apply(_ settings: Settings) async {
        changes += 1
        let number = changes
        let cost = if let bytes = settings.maximumBytes { bytes } else { await defaultCostLimit() }
        // A later call may have overtaken this one.
        guard number == changes else { return }
        hasLimits = true
        timeToLive = settings.timeToLive
        reuseWindow.store(settings.reuseWindow.components.seconds, ordering: .relaxed)
        let new = settings.limits(cost: cost)
        removeExpired()
        // Images that are too large are evicted first, so that fewer others have to be.
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

    /// Removes the images of a resource except those of a response's version. Loads that began earlier with another
    /// version can't store their results.
    ///
    /// - Parameter ticket: The ticket of the load that received the response.
    /// - Returns: A ticket for images made from the response; nil if the resource was removed after `ticket` was taken.
    @discardableResult
    package func remove(
        _ resource: ResourceKey, replacedBy response: StoredResponse, begun ticket: Ticket? = nil
    ) -> Ticket? {
        let isCurrent = ticket.map { removals.permits($0, resource.shortHash) } ?? true
        removals.record(resource.shortHash)
        change { pictures, gone in gone = pictures.remove(resource, replacedBy: response, includingUnknown: true) }
        return isCurrent ? removals.ticket() : nil
    }

    package func remove(_ resource: ResourceKey) {
        removals.record(resource.shortHash)
        change { pictures, gone in gone = pictures.remove(resource) }
    }

    /// Removes the images that match. Loads that began earlier can't store their results, because it isn't known yet
    /// whether those would match.
    func removeAll(where matches: @Sendable (ImageKey, MemoryEntry) -> Bool) -> Int {
        removals.recordAll()
        removeExpired()
        // `matches` isn't called under the lock, because it may be user code. Nothing changes in between: only this
        // actor writes.
        let keys = Set(pictures.withLock { $0.contents(now: now) }.filter(matches).map(\.key))
        if !keys.isEmpty { change { pictures, gone in gone = pictures.removeAll { key, _ in keys.contains(key) } } }
        return keys.count
    }

    /// Removes all images; see ``remove(_:)-(CacheSelection)``.
    public func removeAll() {
        removals.recordAll()
        change { pictures, gone in gone = pictures.removeAll() }
    }
}

extension MemoryCache.Settings {
    fileprivate func limits(cost: Int) -> EvictionLimits {
        EvictionLimits(cost: cost, count: maximumCount ?? .max, entryCost: maximumBytesPerImage ?? .max)
    }
}
