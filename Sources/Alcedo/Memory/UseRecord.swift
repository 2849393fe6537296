/// A table's record of an entry's use, from which the entry's value is computed: uses × weight ÷ idle time.
///
/// It is small, because the hand examines 16 of them for each entry it evicts.
struct UseRecord: Sendable {
    /// The tick of the last use. Ticks are counted modulo 2³², so an entry idle for longer than that appears recently
    /// used.
    private var lastUse: UInt32
    /// The number of uses, capped at 15, times the weight.
    private var gain: Float
    private let weight: Float

    /// - Parameters:
    ///   - meanCost: The mean cost of the existing entries.
    ///   - earlier: The record of the replaced entry with the same key, whose uses are carried over.
    init(cost: Int, meanCost: Float, tick: UInt32, earlier: UseRecord? = nil) {
        // An entry smaller than most takes little room and saves a whole load.
        let weight = 1 + meanCost / Float(max(1, cost))
        self.weight = weight
        gain = earlier.map { $0.gain / $0.weight * weight } ?? weight
        lastUse = tick
    }

    /// Records a use.
    mutating func record(at tick: UInt32) {
        lastUse = tick
        gain = min(gain + weight, 15 * weight)
    }

    /// Returns the index in `records`, from zero, of the first of the least valuable records. There must be at most 16.
    ///
    /// No branch depends on a value, because the processor couldn't predict it: the index is stored in the last bits of
    /// each number, and the minimum gives the result. For positive floating-point numbers, the bits compare like the
    /// numbers.
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
