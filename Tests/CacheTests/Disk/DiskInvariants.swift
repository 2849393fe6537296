@testable import Alcedo
@testable import TestFixtures

// Invariants of the disk's index and its parts between two calls.

extension DiskEntries {
    /// Describes a broken invariant, or nil when there is none.
    var brokenInvariant: String? {
        if places.count != count { return "names and entries differ in number" }
        if all.indices.contains(where: { place(of: all[$0].name) != $0 }) { return "an entry is not found" }
        let order = order
        if order.count != count || Set(order).count != count { return "the order has other entries" }
        for (earlier, later) in zip(order, order.dropFirst()) where all[later].older != UInt32(earlier) {
            return "the order is another backwards"
        }
        return newest == order.last.map(UInt32.init) ?? Self.nowhere ? nil : "the order ends elsewhere"
    }
}

extension DiskIndex {
    /// Describes a broken invariant, or nil when there is none.
    var brokenInvariant: String? {
        let all = entries.all
        let leftovers = all.filter { $0.state.contains(.isLeftover) }
        let wanted = totalBytes - leftovers.reduce(0) { $0 + $1.bytes }
        if isComplete, wanted > limits.bytes { return "the limit is exceeded" }
        if isComplete, count - leftovers.count > limits.count { return "there are too many entries" }
        if all.reduce(0, { $0 + $1.bytes }) != totalBytes { return "the sizes do not add up" }
        if all.count(where: { $0.state.contains(.isUnread) }) != unreadCount { return "the unread do not add up" }
        if all.count(where: { $0.tags != TagSets.none }) != tags.useCount { return "the tags do not add up" }
        if all.contains(where: { $0.lastUse > latest }) { return "an entry was used in the future" }
        if all.contains(where: { $0.expires != 0 && $0.expires < nextExpiry }) { return "an entry never expires" }
        return entries.brokenInvariant
    }
}

extension TagSets {
    /// The number of entries that have tags.
    var useCount: Int { sets.reduce(0) { $0 + $1.count } }
}

extension WriteOrders {
    var waiterCount: Int { waiters.count }
}
