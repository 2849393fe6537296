/// An entry that left a table.
package struct Departed<Key: Sendable, Value: Sendable>: Sendable {
    package let key: Key
    package var value: Value
    package let cost: Int
    /// The end of its time; nil when it had none.
    package let expiry: Duration?
    package let reason: EvictionReason
    /// Of the key's hash, spread.
    let hash: UInt64

    init(key: Key, hash: UInt64, value: Value, cost: Int, expiry: Duration?, reason: EvictionReason) {
        self.key = key
        self.hash = hash
        self.value = value
        self.cost = cost
        self.expiry = expiry
        self.reason = reason
    }
}

/// What one event made leave a table, in order. The first takes no memory of its own, as there is seldom a second.
///
/// Whoever holds a lock around the table lets go of this after the lock: what it holds may be large to give back.
package struct EvictedEntries<Key: Sendable, Value: Sendable>: Sendable {
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

    /// The hashes of their keys.
    func forEachHash(_ body: (UInt64) -> Void) {
        guard let hash = first?.hash else { return }
        body(hash)
        for place in rest.indices { body(rest[place].hash) }
    }

    /// Adds what another event made leave after these.
    package mutating func append(_ others: consuming EvictedEntries) {
        if first == nil {
            self = others
        } else {
            rest += others.all
        }
    }

    /// ``forEach(_:)``, where it holds of each what may be the last reference.
    package mutating func update(_ body: (inout Departed<Key, Value>) -> Void) {
        guard var only = first.take() else { return }
        body(&only)
        first = only
        for position in rest.indices { body(&rest[position]) }
    }

    /// All of them, in memory of its own.
    package var all: [Departed<Key, Value>] { first.map { [$0] + rest } ?? [] }
}
