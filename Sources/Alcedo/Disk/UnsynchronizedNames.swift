/// Names of entries that were written and not yet synchronized with the device.
///
/// If the store is never asked to synchronize, it holds at most about twice as many names as there are entries, or
/// 1024: names of removed entries are dropped once there are many.
struct UnsynchronizedNames: Sendable {
    private var names: Set<EntryName> = []
    /// The number of names above which names of removed entries are dropped.
    private var most = leastMost
    private static let leastMost = 1024

    var count: Int { names.count }

    /// - Parameter isThere: Whether there is an entry with a name.
    mutating func insert(_ name: EntryName, isThere: (EntryName) -> Bool) {
        names.insert(name)
        guard names.count > most else { return }
        names = names.filter(isThere)
        most = max(Self.leastMost, 2 * names.count)
    }

    mutating func take() -> Set<EntryName> {
        defer { self = UnsynchronizedNames() }
        return names
    }
}
