import Alcedo

/// The library's own tables, as its memory cache uses them: sixteen, one limit for all.
struct TablePolicy: ReplayPolicy {
    private struct Key: FoldedKey {
        let object: Int
        var fold: UInt64 { UInt64(object) &* 0x9E37_79B9_7F4A_7C15 }
    }

    private let sizes: [Int]
    private let limit: Int
    private var tables: [EvictionTable<Key, Void>]
    private var total = 0
    private var hand = 0
    /// Look-ups and stores so far; each table learns of it every sixteenth of its own, as in the library.
    private var clock: UInt32 = 0
    private var toldAt: [UInt32]

    init(limit: Int, sizes: [Int], tables: Int = 16) {
        self.sizes = sizes
        self.limit = limit
        self.tables = (0..<tables).map { _ in EvictionTable(limits: EvictionLimits(cost: limit)) }
        toldAt = Array(repeating: 0, count: tables)
    }

    mutating func request(_ object: Int) -> Bool {
        let key = Key(object: object)
        let place = Int(key.fold >> 32) % tables.count
        let isHit = tables[place].lookUp(key, now: .zero) != nil
        if !isHit, sizes[object] <= limit {
            while total > limit - sizes[object] { evictOne() }
            _ = tables[place].store((), cost: sizes[object], for: key)
            total += sizes[object]
        }
        tellTime(place)
        return isHit
    }

    private mutating func tellTime(_ place: Int) {
        guard tables[place].ticks &- toldAt[place] >= 16 else { return }
        clock &+= 16
        tables[place].catchUp(with: clock)
        toldAt[place] = tables[place].ticks
    }

    private mutating func evictOne() {
        var best: (table: Int, candidate: EvictionTable<Key, Void>.Candidate)?
        var looks = 0
        for _ in tables where looks < 16 {
            let table = hand
            hand = (hand + 1) % tables.count
            tables[table].catchUp(with: clock)
            guard let candidate = tables[table].candidate() else { continue }
            looks += candidate.looks
            if best.map({ candidate.worth < $0.candidate.worth }) ?? true { best = (table, candidate) }
        }
        if let best { total -= tables[best.table].evict(best.candidate, .cost).cost }
    }
}
