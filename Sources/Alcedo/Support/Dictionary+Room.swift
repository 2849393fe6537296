extension Dictionary {
    /// Releases capacity when most of it is unused. A dictionary would keep it forever.
    mutating func giveBackRoom() {
        guard capacity > 4 * count + 64 else { return }
        self = reduce(into: Dictionary(minimumCapacity: count)) { $0[$1.key] = $1.value }
    }
}
