extension Dictionary {
    /// Changes a value in place, and returns nil if there is none. The subscript would allocate memory.
    @discardableResult
    mutating func modify<Result>(_ key: Key, _ change: (inout Value) -> Result) -> Result? {
        guard let index = index(forKey: key) else { return nil }
        return change(&values[index])
    }

    /// Releases capacity when most of it is unused. A dictionary would keep it forever.
    mutating func giveBackRoom() {
        guard capacity > 4 * count + 64 else { return }
        self = reduce(into: Dictionary(minimumCapacity: count)) { $0[$1.key] = $1.value }
    }
}
