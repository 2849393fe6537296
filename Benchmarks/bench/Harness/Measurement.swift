/// The results of all rounds of one case, per operation.
struct Measurement: Sendable {
    var ours: [Double] = []
    /// The baseline's value for each value of ours, from the same round; empty without a baseline.
    var baseline: [Double] = []
    /// Allocator calls per operation of ours; nil on systems where they can't be counted.
    var allocations: Double?

    /// Whether the values were counted, not timed. They are then parts instead of rounds, and contain no noise.
    var isCounted = false

    /// The median of the rounds' own ratios (or the mean of the parts' ratios); nil if there is no baseline or its
    /// value was zero.
    ///
    /// It isn't the ratio of the medians. The machine's speed changes during a run (other processes, the clock rate).
    /// Such a change affects both sides of one round alike and so cancels out in that round's ratio, while the two
    /// medians may come from different periods.
    var ratio: Double? {
        guard baseline.count == ours.count, baseline.allSatisfy({ $0 > 0 }) else { return nil }
        let ratios = zip(ours, baseline).map { $0 / $1 }
        return isCounted && !ratios.isEmpty
            ? ratios.reduce(0, +) / Double(ratios.count) : Statistics(ratios).median
    }
}
