/// Names of entries that were written and that nobody has waited for.
///
/// Who never asks for the device keeps no more of them than there are entries, or a thousand: names of entries that
/// have left are dropped as they become many.
struct UnsynchronizedNames: Sendable {
    private var names: Set<EntryName> = []
    /// As many are kept before those that have left are looked for.
    private var most = leastMost
    private static let leastMost = 1024

    var count: Int { names.count }

    /// - Parameter isThere: whether there is an entry of a name.
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
