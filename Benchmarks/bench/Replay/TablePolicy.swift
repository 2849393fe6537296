import Alcedo

/// The library's own table, as its memory cache uses it.
struct TablePolicy: ReplayPolicy {
    private struct Key: GroupedKey {
        let group: Int
    }

    private let sizes: [Int]
    private var table: EvictionTable<Key, Void>
    private var departures = EvictionTable<Key, Void>.Departures()

    init(limit: Int, sizes: [Int]) {
        self.sizes = sizes
        table = EvictionTable(limits: EvictionLimits(cost: limit))
    }

    mutating func request(_ object: Int) -> Bool {
        let key = Key(group: object)
        if table.lookUp(key, now: .zero) != nil { return true }
        table.store((), cost: sizes[object], for: key, into: &departures)
        departures.removeAll(keepingCapacity: true)
        return false
    }
}
