/// The reason why an entry was removed from a table.
package enum EvictionReason: Int, CaseIterable, Hashable, Sendable {
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
    /// Another value was stored under the entry's key, or would have been if the limits had admitted it.
    case replaced

    /// Whether the entry was only removed for lack of room.
    var isForRoom: Bool { self == .cost || self == .count || self == .trim }
}

/// Counts of a table's operations and removals since its creation.
package struct EvictionCounts: Hashable, Sendable {
    /// Look-ups that found a value.
    package var hits = 0
    /// Look-ups that found no value or an expired one.
    package var misses = 0
    /// Values that were stored.
    package var stores = 0

    /// The number of removals by reason.
    private var removals = SIMD8<Int>.zero

    package init() {}

    /// The number of entries removed for a reason.
    package subscript(_ reason: EvictionReason) -> Int { removals[reason.rawValue] }

    /// Counts a removed entry.
    package mutating func add(_ reason: EvictionReason) { removals[reason.rawValue] += 1 }
}
