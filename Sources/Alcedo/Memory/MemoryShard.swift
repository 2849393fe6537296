/// Pictures of the memory cache that were looked up on some of the cores, and what was noted of that.
///
/// A look-up writes, if only when a picture was used last; what two cores write, both wait for. So each core has a
/// shard of its own, which fills with what is looked up there. The store has the same pictures and more: whatever
/// leaves it is forgotten here before anybody can see that it has left.
struct MemoryShard: Sendable {
    // What each look-up writes comes first, to lie beside the lock.

    /// Counts look-ups that hit, and what happened elsewhere as far as it was told.
    private var tick: UInt32 = 0
    /// What the count was when the others were told the last time.
    private var toldAt: UInt32 = 0
    private(set) var hits = 0

    private struct Picture: Sendable {
        let image: DecodedImage
        let freshness: Freshness?
        /// The end of its time, nil when it has none.
        let expiry: Duration?
    }

    /// Look-ups that the store has not been told of.
    struct Uses: Sendable {
        fileprivate(set) var count: UInt32 = 0
        /// When the last one was.
        fileprivate(set) var tick: UInt32 = 0
    }

    private var pictures = DenseTable<ImageKey, Picture>()
    /// Of the pictures, by place.
    private var uses: [Uses] = []
    private let space = CacheLines()

    // MARK: Look-up

    /// The picture of `key`, its use noted.
    ///
    /// - Parameter now: read only where the picture can expire.
    @inline(__always)
    mutating func find(_ key: ImageKey, now: () -> Duration) -> MemoryCache.Found? {
        guard let at = pictures.place(of: key) else { return nil }
        if let expiry = pictures.rows[at].element.expiry, expiry <= now() { return nil }
        hits += 1
        tick &+= 1
        uses[at].count &+= 1
        uses[at].tick = tick
        return MemoryCache.Found(image: pictures.rows[at].element.image, freshness: pictures.rows[at].element.freshness)
    }

    /// Look-ups after which the others are told of them.
    private static var round: UInt32 { 16 }

    /// Idle time is counted in look-ups and stores, of which each shard tells the others now and then: a count that all
    /// of them wrote each time would be what they wait for.
    ///
    /// - Parameter add: adds to what all share, and returns the sum.
    @inline(__always)
    mutating func tellTime(_ add: (UInt32) -> UInt32) {
        guard tick &- toldAt >= Self.round else { return }
        let told = add(Self.round)
        if Int32(bitPattern: told &- tick) > 0 { tick = told }
        toldAt = tick
    }

    // MARK: Changes, for who holds the lock of the store

    /// Takes in a picture that was found in the store.
    mutating func keep(_ key: ImageKey, _ found: MemoryCache.Found, expiry: Duration?) {
        if let at = pictures.place(of: key) { forget(at) }
        pictures.append(key, Picture(image: found.image, freshness: found.freshness, expiry: expiry))
        uses.append(Uses())
    }

    /// Forgets a picture that has left the store, by the hash of its key, and with it any other one of that hash.
    mutating func forget(_ hash: UInt64) {
        while let at = pictures.place(ofHash: hash) { forget(at) }
    }

    private mutating func forget(_ at: Int) {
        _ = pictures.takeOut(at)
        uses.takeOut(at)
    }

    mutating func removeAll() {
        pictures = DenseTable()
        uses = []
    }

    var isEmpty: Bool { pictures.count == 0 }

    /// Hands over what was noted of a picture, by the hash of its key. Should two have it, what was noted of one may be
    /// taken for the other's.
    mutating func takeUses(_ hash: UInt64) -> Uses? {
        guard let at = pictures.place(ofHash: hash), uses[at].count > 0 else { return nil }
        defer { uses[at].count = 0 }
        return uses[at]
    }

    // MARK: For tests

    /// Why the shard contradicts itself or the store, nil when it does not.
    func brokenInvariant(_ store: MemoryStore) -> String? {
        if let problem = pictures.brokenInvariant { return problem }
        if pictures.count != uses.count { return "pictures and their uses differ in number" }
        let isKept = pictures.rows.allSatisfy { store.keeps($0.element.image, under: $0.key, until: $0.element.expiry) }
        return isKept ? nil : "a shard has a picture that is not in the store"
    }
}
