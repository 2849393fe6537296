import Synchronization

/// The shards of a memory cache, each with its own lock. A look-up uses the shard of the core that it runs on.
///
/// Changes to the store update the shards while the store's lock is held. A shard's lock is held for one look-up only,
/// and no other lock is taken meanwhile.
struct MemoryShards: ~Copyable, Sendable {
    // Read by each look-up, so it is kept apart from what look-ups write. A power of two, because dividing is slow.
    private let count: Int
    private let space = CacheLines()
    // Properties rather than array elements: cores would contend for the reference count of a shard.
    private let first = Mutex(MemoryShard())
    private let second = Mutex(MemoryShard())
    private let third = Mutex(MemoryShard())
    private let fourth = Mutex(MemoryShard())
    private let clock = Atomic<UInt32>(0)
    /// One bit for each shard that has had images. Changed only while the store's lock is held.
    private let inUse = Atomic<UInt8>(0)

    /// - Parameter cores: The number of cores of the machine. If there are more than four, some share a shard.
    init(cores: Int) { count = cores > 2 ? 4 : max(1, cores) }

    /// The approximate number of look-ups and stores.
    var ticks: UInt32 { clock.load(ordering: .relaxed) }

    /// Adds to the count of events, and returns the sum.
    func advance(by ticks: UInt32) -> UInt32 { clock.wrappingAdd(ticks, ordering: .relaxed).newValue }

    private var current: Int { CoreNumber.current & (count - 1) }

    /// Returns the image of `key` and records its use, if it was looked up on this core before.
    @inline(__always)
    func find(_ key: ImageKey, now: () -> Duration, isUsable: (Freshness) -> Bool) -> MemoryCache.Found? {
        withShard(current) { shard in
            let found = shard.find(key, now: now, isUsable: isUsable)
            shard.reportTime { advance(by: $0) }
            return found
        }
    }

    /// Adds an image that was found in the store.
    func keep(_ key: ImageKey, _ found: MemoryCache.Found, expiry: Duration?) {
        let number = current
        inUse.bitwiseOr(1 << UInt8(number), ordering: .relaxed)
        withShard(number) { $0.keep(key, found, expiry: expiry) }
    }

    /// Calls `body` with each shard that may have images, one after the other. The caller must hold the store's lock.
    func forEach(_ body: (inout MemoryShard) -> Void) {
        let inUse = inUse.load(ordering: .relaxed)
        for number in 0..<count where inUse & 1 << UInt8(number) != 0 { withShard(number, body) }
    }

    /// Reports the uses of the entries that may be evicted next. The caller must hold the store's lock.
    func reportUses(to table: inout MemoryStore.Table) {
        forEach { shard in if !shard.isEmpty { table.noteUses { shard.takeUses($0) } } }
    }

    /// Removes all images from all shards. The caller must hold the store's lock.
    func removeAll() {
        forEach { $0.removeAll() }
        inUse.store(0, ordering: .relaxed)
    }

    /// The number of look-ups that found an image in a shard.
    var hits: Int { (0..<count).reduce(0) { sum, number in sum + withShard(number) { $0.hits } } }

    @inline(__always)
    private func withShard<Result>(_ number: Int, _ body: (inout MemoryShard) -> Result) -> Result {
        switch number {
        case 0: first.withLock { body(&$0) }
        case 1: second.withLock { body(&$0) }
        case 2: third.withLock { body(&$0) }
        default: fourth.withLock { body(&$0) }
        }
    }
}

/// Padding between what one core writes and what others use: two cache lines, because processors fetch them in pairs.
struct CacheLines: Sendable {
    private let bytes: (SIMD8<UInt64>, SIMD8<UInt64>) = (.zero, .zero)
}
