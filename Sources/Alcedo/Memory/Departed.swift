/// An entry that was removed from a table.
package struct Departed<Key: GroupedKey, Value: Sendable>: Sendable {
    package let key: Key
    package var entry: TableEntry<Value>
    package let reason: EvictionReason

    package var value: Value { entry.value }
    package var cost: Int { entry.cost }
}

/// An entry of a table.
package struct TableEntry<Value: Sendable>: Sendable {
    package let cost: Int
    package var value: Value
    /// When the entry expires; nil for never.
    package let expiry: Duration?
}
