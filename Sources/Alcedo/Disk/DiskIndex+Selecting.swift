// Queries for entries.

extension DiskIndex {
    /// The entries of the source with this digest.
    package func names(ofSource digest: UInt64) -> [EntryName] { names { $0.name.source == digest } }

    /// The entries with a tag. Call only when no entry is unread.
    package func names(withTag tag: String) -> [EntryName] {
        let sets = tags.numbers(with: TagSets.hash(tag))
        return sets.isEmpty ? [] : names { sets.contains($0.tags) }
    }

    /// The entries whose files have not been read, with their versions.
    package var unread: [(name: EntryName, version: Version)] {
        entries.all.filter { $0.state.contains(.isUnread) }.map { ($0.name, $0.version) }
    }

    /// The entries that look-ups find, least recently used first.
    package func names(at now: UInt32) -> [EntryName] {
        entries.order.map { entries[$0] }.filter { !$0.state.contains(.isLeftover) && !isExpired($0, now) }
            .map(\.name)
    }

    /// The record of an entry.
    package func entry(_ name: EntryName) -> IndexedEntry? {
        entries.place(of: name).map { described(entries[$0]) }
    }

    private func names(where matches: (DiskEntries.Entry) -> Bool) -> [EntryName] {
        entries.all.filter { !$0.state.contains(.isLeftover) && matches($0) }.map(\.name)
    }

    /// The whole index, least recently used entry first.
    package var records: [IndexRecord] {
        entries.order.map { .entry(entries[$0].name, described(entries[$0])) }
    }
}
