/// Why an entry was removed from a table.
package enum EvictionReason: CaseIterable, Hashable, Sendable {
    /// The total cost, or the entry's own, exceeded a limit.
    case cost
    /// The number of entries exceeded the limit.
    case count
    /// The table was trimmed once because memory was short.
    case trim
    /// The entry expired.
    case expired
    /// The entry was removed by a caller.
    case removed
    /// Another value was stored under the entry's key, or was to be stored.
    case replaced

    /// Whether the entry was only removed for lack of room.
    var isForRoom: Bool {
        switch self {
        case .cost, .count, .trim: true
        case .expired, .removed, .replaced: false
        }
    }
}

/// Counts of a table's operations and removals since its creation.
package struct EvictionCounts: Hashable, Sendable {
    /// Look-ups that found a value.
    package var hits = 0
    /// Look-ups that found no value or an expired one.
    package var misses = 0
    /// Values that were stored.
    package var stores = 0

    private var cost = 0
    private var count = 0
    private var trim = 0
    private var expired = 0
    private var removed = 0
    private var replaced = 0

    package init() {}

    /// The number of entries removed for a reason.
    package subscript(_ reason: EvictionReason) -> Int {
        switch reason {
        case .cost: cost
        case .count: count
        case .trim: trim
        case .expired: expired
        case .removed: removed
        case .replaced: replaced
        }
    }

    /// Counts a removed entry.
    package mutating func add(_ reason: EvictionReason) {
        switch reason {
        case .cost: cost += 1
        case .count: count += 1
        case .trim: trim += 1
        case .expired: expired += 1
        case .removed: removed += 1
        case .replaced: replaced += 1
        }
    }
}
