/// An entry that was removed from a table.
package struct Departed<Key: PrehashedKey, Value: Sendable>: Sendable {
    package let key: Key
    package var value: Value
    package let cost: Int
    /// When the entry expires; nil for never.
    package let expiry: Duration?
    package let reason: EvictionReason
}

/// The entries that one event removed from a table, in order.
///
/// The first needs no allocation, because there is seldom a second.
///
/// If a lock protects the table, release this after unlocking: freeing its contents may take long.
package struct EvictedEntries<Key: PrehashedKey, Value: Sendable>: Sendable {
    package private(set) var first: Departed<Key, Value>?
    private var rest: [Departed<Key, Value>] = []

    package init() {}

    package var isEmpty: Bool { first == nil }
    package var count: Int { first == nil ? 0 : 1 + rest.count }

    package mutating func append(_ departed: consuming Departed<Key, Value>) {
        if first == nil {
            first = departed
        } else {
            rest.append(departed)
        }
    }

    package func forEach(_ body: (Departed<Key, Value>) -> Void) {
        guard let first else { return }
        body(first)
        rest.forEach(body)
    }

    /// Calls `body` with the hash of each entry's key.
    func forEachHash(_ body: (UInt64) -> Void) {
        guard let hash = first?.key.slotHash else { return }
        body(hash)
        for place in rest.indices { body(rest[place].key.slotHash) }
    }

    /// Appends entries removed by a later event.
    package mutating func append(_ others: consuming EvictedEntries) {
        if first == nil {
            self = others
        } else {
            rest += others.all
        }
    }

    /// Like ``forEach(_:)``, but without copying the entries, so `body` may hold the last reference to a value.
    package mutating func update(_ body: (inout Departed<Key, Value>) -> Void) {
        guard var only = first.take() else { return }
        body(&only)
        first = only
        for position in rest.indices { body(&rest[position]) }
    }

    /// All entries, in a newly allocated array.
    package var all: [Departed<Key, Value>] { first.map { [$0] + rest } ?? [] }
}
