/// What a table notes about the use of an entry, and what its worth is told by.
struct UseRecord: Sendable {
    /// As the index has it.
    let hash: UInt64
    let cost: Int
    /// The event of the last use.
    var lastUse: Int
    /// A store is the first; more than `mostUses` are not told apart.
    var uses: UInt8 = 1
    /// Whether the entry has an end of its time.
    let expires: Bool

    init(hash: UInt64, cost: Int, lastUse: Int, expires: Bool) {
        self.hash = hash
        self.cost = cost
        self.lastUse = lastUse
        self.expires = expires
    }

    static var mostUses: UInt8 { 15 }

    mutating func record(_ tick: Int) {
        lastUse = tick
        if uses < Self.mostUses { uses += 1 }
    }

    /// Uses per idle time, and more for what is smaller than most: it holds up little and saves a whole load.
    ///
    /// That is `uses × (1 + meanCost ÷ cost) ÷ idle`, as a fraction that is not divided out.
    func worth(at tick: Int, meanCost: Double) -> Worth {
        let cost = Double(max(1, cost))
        return Worth(gain: Double(uses) * (cost + meanCost), price: cost * Double(tick - lastUse + 1))
    }

    /// A fraction: to compare two by multiplication is several times faster than to divide each.
    struct Worth: Comparable {
        let gain: Double
        /// Above zero.
        let price: Double

        static func < (one: Self, other: Self) -> Bool { one.gain * other.price < other.gain * one.price }
    }
}
