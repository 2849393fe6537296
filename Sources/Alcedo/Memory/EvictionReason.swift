/// Why an entry left a table.
package enum EvictionReason: CaseIterable, Hashable, Sendable {
    /// The sum of the costs, or its own, was more than a limit.
    case cost
    /// There were more entries than the limit.
    case count
    /// The table was made smaller for once, as memory was short.
    case trim
    /// Its time was over.
    case expired
    /// Someone removed it.
    case removed
    /// Another value was stored under its key, or was to be.
    case replaced

    /// Whether it would have stayed, had there been room.
    var isForRoom: Bool {
        switch self {
        case .cost, .count, .trim: true
        case .expired, .removed, .replaced: false
        }
    }
}

/// What was asked of a table and what left it, since it was made.
package struct EvictionCounts: Hashable, Sendable {
    /// Look-ups that found a value.
    package var hits = 0
    /// Look-ups that found none, or one whose time was over.
    package var misses = 0
    /// Values that were taken.
    package var stores = 0

    private var cost = 0
    private var count = 0
    private var trim = 0
    private var expired = 0
    private var removed = 0
    private var replaced = 0

    package init() {}

    /// Entries that left for a reason.
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

    /// Counts an entry that leaves.
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
