/// What a table notes about the use of an entry, and what its worth is told by: uses × weight ÷ idle time.
///
/// It is small, as the hand looks at 16 of them for each entry it evicts.
struct UseRecord: Sendable {
    /// The event of the last use. Events are counted modulo 2³²: what was idle for longer passes for young, once.
    private var lastUse: UInt32
    /// Uses, of which more than 15 are not told apart, times the weight.
    private var gain: Float
    private let weight: Float
    /// Whether the entry has an end of its time.
    let expires: Bool

    /// - Parameters:
    ///   - meanCost: of the entries that are there.
    ///   - earlier: the record of what was under the key, whose uses count on.
    init(cost: Int, meanCost: Float, tick: UInt32, expires: Bool, earlier: UseRecord? = nil) {
        // What is smaller than most holds up little and saves a whole load.
        let weight = 1 + meanCost / Float(max(1, cost))
        self.weight = weight
        gain = earlier.map { $0.gain / $0.weight * weight } ?? weight
        lastUse = tick
        self.expires = expires
    }

    /// Notes uses, the last of which was at `tick`.
    mutating func record(_ count: UInt32, at tick: UInt32) {
        // What was used elsewhere is told late.
        if Int32(bitPattern: tick &- lastUse) > 0 { lastUse = tick }
        gain = min(gain + Float(count) * weight, 15 * weight)
    }

    /// The first of those that are worth the least, of at most 16; its place in `records`, from zero.
    ///
    /// No branch depends on a worth, as the processor could not foresee it: the place is hidden in the last bits of the
    /// number, and the least number is the answer. Of numbers above zero the bits compare as the numbers do.
    static func leastWorthy(of records: UnsafeBufferPointer<UseRecord>, at tick: UInt32) -> Int {
        var least = Int32.max
        for place in 0..<records.count {
            let record = records[place]
            let idle = Float(Int32(bitPattern: tick &- record.lastUse &+ 1))
            let worth = Int32(bitPattern: (record.gain / idle).bitPattern)
            least = min(least, worth & ~15 | Int32(truncatingIfNeeded: place))
        }
        return Int(least & 15)
    }
}
