/// Images of the memory cache that were looked up on some of the cores, and their recorded uses.
///
/// Even a look-up writes, if only when an image was last used, and cores contend for memory that they both write. So
/// each core has its own shard, which is filled by the look-ups on that core. The store has the same images and more:
/// an image that leaves the store is removed here before anybody can see that it has left.
struct MemoryShard: Sendable {
    // The properties that each look-up writes come first, next to the lock.

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
    }

    private(set) var pictures = DenseTable<ImageKey, Picture>()
    /// By index: look-ups that have not been reported to the store, and when the last one was. Apart from the pictures,
    /// because changing one of those checks the ownership of two arrays.
    private(set) var uses: [(count: UInt32, tick: UInt32)] = []
    private let space = CacheLines()

    // MARK: Look-up

    /// Returns the image of `key` and records its use.
    ///
    /// - Parameters:
    ///   - now: Evaluated only if the image can expire.
    ///   - isUsable: Called only if the image was made from a response.
    @inline(__always)
    mutating func find(
        _ key: ImageKey, now: () -> Duration, isUsable: (Freshness) -> Bool
    ) -> MemoryCache.Found? {
        guard let at = pictures.place(of: key) else { return nil }
        if let expiry = pictures[at].element.expiry, expiry <= now() { return nil }
        if let freshness = pictures[at].element.freshness, !isUsable(freshness) { return nil }
        hits += 1
        tick &+= 1
        uses[at] = (uses[at].count &+ 1, tick)
        return MemoryCache.Found(image: pictures[at].element.image, freshness: pictures[at].element.freshness)
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
        if let at = pictures.place(of: key) { takeOut(at) }
        pictures.append(key, Picture(image: found.image, freshness: found.freshness, expiry: expiry))
        uses.appendTightly((0, 0))
    }

    /// Removes an image that has left the store, by its key's hash, along with any other with that hash.
    mutating func forget(_ hash: UInt64) {
        while let at = pictures.place(ofHash: hash) { takeOut(at) }
    }

    private mutating func takeOut(_ at: Int) {
        pictures.takeOut(at)
        uses.takeOut(at)
    }

    mutating func removeAll() { (pictures, uses) = (DenseTable(), []) }

    var isEmpty: Bool { pictures.count == 0 }

    /// Returns and resets the recorded uses of an image, by its key's hash. If two images have the same hash, the uses
    /// of one may be attributed to the other.
    mutating func takeUses(_ hash: UInt64) -> (count: UInt32, tick: UInt32)? {
        guard let at = pictures.place(ofHash: hash), uses[at].count > 0 else { return nil }
        defer { uses[at].count = 0 }
        return uses[at]
    }
}
