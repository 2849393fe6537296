/// An entry that was removed from a table.
package struct Departed<Key: PrehashedKey, Value: Sendable>: Sendable {
    // The row as it was: copying its parts would count references to each of them.
    var row: DenseTable<Key, Entry>.Row
    /// When the entry expires; nil for never.
    package let expiry: Duration?
    package let reason: EvictionReason

    /// An entry of a table.
    struct Entry: Sendable {
        let cost: Int
        var value: Value
    }

    package var key: Key { row.key }
    package var value: Value { row.element.value }
    package var cost: Int { row.element.cost }
}

/// The entries that one event removed from a table, in order.
///
/// If a lock protects the table, release them after unlocking: freeing their contents may take long.
package struct EvictedEntries<Key: PrehashedKey, Value: Sendable>: Sendable {
    package var all: [Departed<Key, Value>] = []

    package init() {}

    package var count: Int { all.count }

    package mutating func append(_ departed: consuming Departed<Key, Value>) { all.append(departed) }

    /// Appends entries removed by a later event.
    package mutating func append(_ others: consuming EvictedEntries) {
        if all.isEmpty { self = others } else { all += others.all }
    }

    /// Calls `body` with the hash of each entry's key.
    func forEachHash(_ body: (UInt64) -> Void) {
        for place in all.indices { body(all[place].row.key.slotHash) }
    }

    /// Calls `body` with each entry. None is copied, so `body` may hold the last reference to a value.
    mutating func update(_ body: (inout Departed<Key, Value>) -> Void) {
        for place in all.indices { body(&all[place]) }
    }
}
