/// How far a store has come with evicting what exceeds its limits.
///
/// Entries are evicted in slices, each once the one before has been carried out, so what is stored and removed
/// meanwhile waits for one slice only.
struct DiskShrinking: Sendable {
    /// The number of entries that may still be evicted. Files that can't be removed aren't tried again and again.
    private var rest = 0
    /// The order that evicts the latest slice.
    private(set) var order: UInt64 = 0

    private static let slice = 64

    /// The number of entries to evict next; 0 at the end.
    var next: Int { min(rest, Self.slice) }

    /// Called when more entries than the limits allow may be among `count`.
    mutating func begin(count: Int) { rest = count }

    /// Called when an order evicts so many more entries; 0 if the limits are kept.
    mutating func evict(_ count: Int, by order: UInt64) {
        rest = count == 0 ? 0 : rest - count
        if count > 0 { self.order = order }
    }
}
