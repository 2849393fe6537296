/// The entries of a cache, each with a cost, the sum of which never exceeds a limit.
///
/// Room is made by a hand that rotates over the entries: of the next 16 the one goes that is worth the least, by uses,
/// idle time and size. No lists are kept, so a hit only writes two numbers.
package struct EvictionTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    package let costLimit: Int
    package private(set) var totalCost = 0

    private struct Entry: Sendable {
        let key: Key
        var value: Value
        var cost: Int
        var uses: UInt8
        var lastUse: UInt64
    }

    private var entries: [Entry] = []
    private var slots: [Key: Int] = [:]
    private var hand = 0
    /// Counts look-ups and stores; idle time is measured in it, as what matters is what else was asked for meanwhile.
    private var tick: UInt64 = 0

    package init(costLimit: Int) {
        self.costLimit = max(0, costLimit)
    }

    package var count: Int { entries.count }

    /// The value of `key`, its use recorded.
    package mutating func lookUp(_ key: Key) -> Value? {
        guard let slot = slots[key] else { return nil }
        tick += 1
        entries[slot].lastUse = tick
        if entries[slot].uses < Self.mostUses { entries[slot].uses += 1 }
        return entries[slot].value
    }

    /// Puts a value in and makes room for it. One that costs more than the limit is not taken, and what was there
    /// under its key goes.
    ///
    /// - Returns: whether it was taken.
    package mutating func store(_ value: Value, cost: Int, for key: Key) -> Bool {
        let cost = max(0, cost)
        let earlierUses = remove(key) ?? 0
        guard cost <= costLimit else { return false }
        while totalCost > costLimit - cost { evictOne() }
        tick += 1
        slots[key] = entries.count
        entries.append(Entry(key: key, value: value, cost: cost, uses: max(1, earlierUses), lastUse: tick))
        totalCost += cost
        return true
    }

    /// Takes an entry out; its uses, nil when there is none.
    @discardableResult
    package mutating func remove(_ key: Key) -> UInt8? {
        guard let slot = slots[key] else { return nil }
        let uses = entries[slot].uses
        removeEntry(at: slot)
        return uses
    }

    package mutating func removeAll() {
        entries.removeAll()
        slots.removeAll()
        totalCost = 0
        hand = 0
    }

    /// Why the table contradicts itself, nil when it does not; for tests.
    package var brokenInvariant: String? {
        if totalCost > costLimit { return "the limit is exceeded" }
        if entries.reduce(0, { $0 + $1.cost }) != totalCost { return "the costs do not add up" }
        if slots.count != entries.count { return "keys and entries differ in number" }
        return slots.allSatisfy { entries[$0.value].key == $0.key } ? nil : "a key leads to another's entry"
    }

    private static var mostUses: UInt8 { 15 }
    private static var sampleSize: Int { 16 }

    private mutating func evictOne() {
        let meanCost = Double(totalCost) / Double(entries.count)
        var victim = 0
        var least = Double.infinity
        for step in 0..<min(Self.sampleSize, entries.count) {
            let slot = (hand + step) % entries.count
            let worth = worth(of: entries[slot], meanCost: meanCost)
            if worth < least {
                least = worth
                victim = slot
            }
        }
        hand = (hand + Self.sampleSize) % entries.count
        removeEntry(at: victim)
    }

    /// Uses per idle time, and more for what is smaller than most: it holds up little and saves a whole load.
    private func worth(of entry: Entry, meanCost: Double) -> Double {
        let sizeWeight = 1 + meanCost / Double(max(1, entry.cost))
        return Double(entry.uses) * sizeWeight / Double(tick - entry.lastUse + 1)
    }

    private mutating func removeEntry(at slot: Int) {
        totalCost -= entries[slot].cost
        slots[entries[slot].key] = nil
        let last = entries.removeLast()
        if slot < entries.count {
            entries[slot] = last
            slots[last.key] = slot
        }
    }
}
