/// A store's progress in evicting the entries that exceed its limits.
///
/// Entries are evicted in slices. Each slice begins once the one before has been carried out, so other writes and
/// removals wait for one slice at most.
struct DiskShrinking: Sendable {
    /// The number of entries that may still be evicted. This prevents endless attempts to remove files that can't be
    /// removed.
    private var rest = 0
    /// The order that evicts the latest slice.
    private(set) var order: UInt64 = 0

    private static let slice = 64

    /// The number of entries to evict next; 0 when done.
    var next: Int { min(rest, Self.slice) }

    /// Called when the limits may be exceeded. `count` is the number of all entries.
    mutating func begin(count: Int) { rest = count }

    /// Called when an order evicts `count` more entries; 0 if the limits are met.
    mutating func evict(_ count: Int, by order: UInt64) {
        rest = count == 0 ? 0 : rest - count
        if count > 0 { self.order = order }
    }
}
