import Synchronization

/// The shards of a memory cache, each behind a lock of its own. A look-up takes that of the core it runs on.
///
/// Who changes the store holds its lock while the shards are told. A shard's lock is held for one look only, and no
/// other lock is asked for meanwhile.
struct MemoryShards: ~Copyable, Sendable {
    // Read by each look-up, so kept off what look-ups write.
    private let count: Int
    private let space = CacheLines()
    // Fields, not elements: to count references to a shard, cores would wait for one another.
    private let first = Mutex(MemoryShard())
    private let second = Mutex(MemoryShard())
    private let third = Mutex(MemoryShard())
    private let fourth = Mutex(MemoryShard())
    private let clock = Atomic<UInt32>(0)
    /// A bit for each shard that has had pictures. Changed by who holds the lock of the store.
    private let inUse = Atomic<UInt8>(0)

    /// - Parameter cores: of the machine. Where there are more than four, some share a shard.
    init(cores: Int) { count = min(max(1, cores), 4) }

    /// How many look-ups and stores there were, about.
    var ticks: UInt32 { clock.load(ordering: .relaxed) }

    /// Counts what happens in the store, and returns the sum.
    func tell(_ ticks: UInt32) -> UInt32 { clock.wrappingAdd(ticks, ordering: .relaxed).newValue }

    private var current: Int { CoreNumber.current % count }

    /// The picture of `key`, its use noted, if it was looked up on this core before.
    @inline(__always)
    func find(_ key: ImageKey, now: () -> Duration) -> MemoryCache.Found? {
        withLane(current) { shard in
            let found = shard.find(key, now: now)
            shard.tellTime { tell($0) }
            return found
        }
    }

    /// Takes in a picture that was found in the store.
    func keep(_ key: ImageKey, _ found: MemoryCache.Found, expiry: Duration?) {
        let number = current
        inUse.bitwiseOr(1 << UInt8(number), ordering: .relaxed)
        withLane(number) { $0.keep(key, found, expiry: expiry) }
    }

    /// Looks at each shard that may have pictures, one after the other; for who holds the lock of the store.
    func forEach(_ body: (inout MemoryShard) -> Void) {
        let inUse = inUse.load(ordering: .relaxed)
        for number in 0..<count where inUse & 1 << UInt8(number) != 0 { withLane(number, body) }
    }

    /// Takes all pictures out of all shards; for who holds the lock of the store.
    func removeAll() {
        forEach { $0.removeAll() }
        inUse.store(0, ordering: .relaxed)
    }

    /// Look-ups that have found a picture in a shard.
    var hits: Int { (0..<count).reduce(0) { sum, number in sum + withLane(number) { $0.hits } } }

    @inline(__always)
    private func withLane<Result>(_ number: Int, _ body: (inout MemoryShard) -> Result) -> Result {
        switch number {
        case 0: first.withLock { body(&$0) }
        case 1: second.withLock { body(&$0) }
        case 2: third.withLock { body(&$0) }
        default: fourth.withLock { body(&$0) }
        }
    }
}

/// Room between what one core writes and what others use: two lines of memory, as processors fetch them in pairs.
struct CacheLines: Sendable {
    private let bytes: (SIMD8<UInt64>, SIMD8<UInt64>) = (.zero, .zero)
}
