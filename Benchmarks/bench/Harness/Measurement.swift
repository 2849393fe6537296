/// What the rounds of one case gave, per operation.
struct Measurement: Sendable {
    var ours: [Double] = []
    /// One for each of ours, from the same round; empty without a baseline.
    var baseline: [Double] = []
    /// Allocator calls per operation of ours, nil where they cannot be counted.
    var allocations: Double?

    /// Whether it was counted, not timed: then there are no rounds but parts, and none of them is noise.
    var isCounted = false

    /// The median of the rounds' own ratios (the mean of the parts'), nil without a baseline or when that measured
    /// nothing.
    ///
    /// Not the ratio of the medians: the machine's speed changes during a run (other processes, the clock rate), which
    /// meets both sides of one round alike and so cancels in that round's ratio, while the two medians may come from
    /// different spells.
    var ratio: Double? {
        guard baseline.count == ours.count, baseline.allSatisfy({ $0 > 0 }) else { return nil }
        let ratios = zip(ours, baseline).map { $0 / $1 }
        return isCounted && !ratios.isEmpty
            ? ratios.reduce(0, +) / Double(ratios.count) : Statistics(ratios).median
    }
}
