/// The limits of a table. Negative values count as zero, and with a limit of zero the table stays empty.
package struct EvictionLimits: Hashable, Sendable {
    /// The maximum total cost of all entries.
    package let cost: Int
    /// The maximum number of entries.
    package let count: Int
    /// The maximum cost of one entry.
    package let entryCost: Int

    package init(cost: Int, count: Int = .max, entryCost: Int = .max) {
        self.cost = max(0, cost)
        self.count = max(0, count)
        self.entryCost = max(0, entryCost)
    }

    /// Whether an entry of this cost, which must not be negative, is admitted at all.
    func admits(_ entryCost: Int) -> Bool {
        cost > 0 && count > 0 && self.entryCost > 0 && entryCost <= min(cost, self.entryCost)
    }
}
