/// Images of the memory cache that were looked up on some of the cores, and their recorded uses.
///
/// Even a look-up writes, if only when an image was last used, and cores contend for memory that they both write. So
/// each core has its own shard, which is filled by the look-ups on that core. The store has the same images and more:
/// an image that leaves the store is removed here before anybody can see that it has left.
struct MemoryShard: Sendable {
    // What each look-up writes comes first, so that it is next to the lock.

    /// Counts look-ups that hit, and events elsewhere as far as they are known here.
    private var tick: UInt32 = 0
    /// The count when it was last shared.
    private var reportedAt: UInt32 = 0
    private(set) var hits = 0

    struct Picture: Sendable {
        let image: DecodedImage
        let freshness: Freshness?
        /// When the image expires; nil for never.
        let expiry: Duration?
        /// Look-ups that have not been reported to the store, and when the last one was.
        var uses: (count: UInt32, tick: UInt32) = (0, 0)

        @inline(__always)
        mutating func use(_ tick: UInt32, _ now: () -> Duration) -> MemoryCache.Found? {
            if let expiry, expiry <= now() { return nil }
            uses = (uses.count &+ 1, tick)
            return MemoryCache.Found(image: image, freshness: freshness)
        }
    }

    private(set) var pictures = DenseTable<ImageKey, Picture>()
    private let space = CacheLines()

    // MARK: Look-up

    /// Returns the image of `key` and records its use.
    ///
    /// - Parameter now: Evaluated only if the image can expire.
    @inline(__always)
    mutating func find(_ key: ImageKey, now: () -> Duration) -> MemoryCache.Found? {
        guard let at = pictures.place(of: key) else { return nil }
        guard let found = pictures[at].element.use(tick &+ 1, now) else { return nil }
        hits += 1
        tick &+= 1
        return found
    }

    /// The number of look-ups after which they are shared with the other shards.
    private static var round: UInt32 { 16 }

    /// Idle time is measured in look-ups and stores, which each shard reports to a shared counter from time to time.
    /// The shards would contend for a counter that all of them wrote every time.
    ///
    /// - Parameter add: Adds to the shared counter and returns the sum.
    @inline(__always)
    mutating func reportTime(_ add: (UInt32) -> UInt32) {
        guard tick &- reportedAt >= Self.round else { return }
        let reported = add(Self.round)
        if Int32(bitPattern: reported &- tick) > 0 { tick = reported }
        reportedAt = tick
    }

    // MARK: Changes, while the store's lock is held

    /// Adds an image that was found in the store.
    mutating func keep(_ key: ImageKey, _ found: MemoryCache.Found, expiry: Duration?) {
        if let at = pictures.place(of: key) { pictures.takeOut(at) }
        pictures.append(key, Picture(image: found.image, freshness: found.freshness, expiry: expiry))
    }

    /// Removes an image that has left the store, by its key's hash, along with any other with that hash.
    mutating func forget(_ hash: UInt64) {
        while let at = pictures.place(ofHash: hash) { pictures.takeOut(at) }
    }

    mutating func removeAll() { pictures = DenseTable() }

    var isEmpty: Bool { pictures.count == 0 }

    /// Returns and resets the recorded uses of an image, by its key's hash. If two images have the same hash, the uses
    /// of one may be attributed to the other.
    mutating func takeUses(_ hash: UInt64) -> (count: UInt32, tick: UInt32)? {
        guard let at = pictures.place(ofHash: hash), pictures[at].element.uses.count > 0 else { return nil }
        defer { pictures[at].element.uses.count = 0 }
        return pictures[at].element.uses
    }
}
