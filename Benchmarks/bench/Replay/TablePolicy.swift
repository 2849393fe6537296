import Alcedo

/// The library's own table, as its memory cache uses it.
struct TablePolicy: ReplayPolicy {
    private struct Key: PrehashedKey {
        let object: Int
        var prehash: UInt64 { UInt64(object) &* 0x9E37_79B9_7F4A_7C15 }
    }

    private let sizes: [Int]
    private var table: EvictionTable<Key, Void>
    private var departures = EvictedEntries<Key, Void>()

    init(limit: Int, sizes: [Int]) {
        self.sizes = sizes
        table = EvictionTable(limits: EvictionLimits(cost: limit))
    }

    mutating func request(_ object: Int) -> Bool {
        let key = Key(object: object)
        if table.lookUp(key, now: .zero) != nil { return true }
        table.store((), cost: sizes[object], for: key, into: &departures)
        departures.all.removeAll(keepingCapacity: true)
        return false
    }
}
