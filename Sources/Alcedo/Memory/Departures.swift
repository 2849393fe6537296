/// An entry that left a table.
package struct Departed<Key: Sendable, Value: Sendable>: Sendable {
    package let key: Key
    package let value: Value
    package let cost: Int
    package let reason: EvictionReason

    package init(key: Key, value: Value, cost: Int, reason: EvictionReason) {
        self.key = key
        self.value = value
        self.cost = cost
        self.reason = reason
    }
}

/// What one event made leave a table, in order. The first takes no memory of its own, as there is seldom a second.
///
/// Whoever holds a lock around the table lets go of this after the lock: what it holds may be large to give back.
package struct Departures<Key: Sendable, Value: Sendable>: Sendable {
    package private(set) var first: Departed<Key, Value>?
    private var rest: [Departed<Key, Value>] = []

    package init() {}

    package var isEmpty: Bool { first == nil }
    package var count: Int { first == nil ? 0 : 1 + rest.count }

    package mutating func append(_ departed: Departed<Key, Value>) {
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

    /// All of them, in memory of its own.
    package var all: [Departed<Key, Value>] { first.map { [$0] + rest } ?? [] }
}
