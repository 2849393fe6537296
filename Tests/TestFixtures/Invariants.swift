@testable import Alcedo

// Invariants of the tables and queues between two calls.

extension DenseTable {
    /// Describes a broken invariant, or nil when there is none.
    var brokenInvariant: String? {
        if let problem = index.brokenInvariant(count: count) { return problem }
        if blocks.reduce(0, { $0 + $1.count }) != count { return "the blocks have another number of entries" }
        return (0..<count).allSatisfy { place(of: self[$0].key) == $0 } ? nil : "an entry is not found"
    }
}

extension LazyHeap {
    /// The capacity reserved for entries.
    var capacity: Int { entries.capacity }

    /// Describes a broken invariant, or nil when there is none.
    var brokenInvariant: String? {
        for child in entries.indices.dropFirst() where entries[child].rank <= entries[(child - 1) / 2].rank {
            return "a rank is not above its parent's"
        }
        if let first = entries.first, crossedOut.contains(first.rank) { return "the first one is crossed out" }
        return contents.count == count ? nil : "what is crossed out is not in the heap"
    }
}

extension SlotQueue {
    var runningCount: Int { running.count }

    /// The capacity reserved for waiting jobs.
    var lineCapacity: Int { line.capacity }

    /// Describes a broken invariant, or nil when there is none.
    var brokenInvariant: String? {
        if running.count > width { return "more run than there are slots" }
        if running.count > 1, runningWeight > weightLimit { return "the weight limit is exceeded" }
        if running.values.reduce(0, +) != runningWeight { return "the weights do not add up" }
        if let broken = line.brokenInvariant { return broken }
        if line.contents.contains(where: { waiting[$0.element]?.rank != $0.rank }) { return "a place is not its own" }
        if line.count != waiting.count { return "one waits outside the line" }
        if let first = line.first, let place = waiting[first], fits(place.weight) {
            return "one waits although it fits"
        }
        return nil
    }
}
