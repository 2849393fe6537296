/// What a table may hold. What is below zero counts as zero, and a limit of zero holds nothing.
package struct EvictionLimits: Hashable, Sendable {
    /// The most that the costs of all entries come to.
    package let cost: Int
    /// The most entries.
    package let count: Int
    /// The most that one entry costs.
    package let entryCost: Int

    package init(cost: Int, count: Int = .max, entryCost: Int = .max) {
        self.cost = max(0, cost)
        self.count = min(max(0, count), SlotIndex.mostPlaces)
        self.entryCost = max(0, entryCost)
    }

    /// Whether an entry of this cost, not below zero, may be in the table at all.
    func admits(_ entryCost: Int) -> Bool {
        cost > 0 && count > 0 && self.entryCost > 0 && entryCost <= min(cost, self.entryCost)
    }
}
