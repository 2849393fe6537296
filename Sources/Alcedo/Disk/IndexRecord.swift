/// A change to an entry, as recorded in the index file. Each record is self-contained, so it may be read repeatedly.
package enum IndexRecord: Hashable, Sendable {
    /// The entry is about to be written, with this size.
    case entry(EntryName, IndexedEntry)
    /// The entry is gone.
    case removed(EntryName)
    /// The entry was used at a time in seconds since 1970.
    case used(EntryName, at: UInt32)

    var name: EntryName {
        switch self {
        case .entry(let name, _), .removed(let name), .used(let name, _): name
        }
    }
}

/// The index's information about an entry.
package struct IndexedEntry: Hashable, Sendable {
    /// The size on disk in units of 512 bytes.
    package var units: UInt32
    /// Seconds since 1970.
    package var lastUse: UInt32
    /// Seconds since 1970; 0 means never.
    package var expires: UInt32 = 0
    /// The hashes of the entry's tags, sorted.
    package var tags: [UInt64] = []
    /// Whether the tags and the expiry can only be read from the entry's file.
    package var isUnread = false
    /// Whether the file should be gone but could not be removed. It takes up space, and look-ups don't find it.
    package var isLeftover = false

    /// The same entry with a file of this size.
    func taking(_ bytes: Int) -> IndexedEntry {
        var entry = self
        entry.units = DiskIndex.units(bytes) ?? .max
        return entry
    }

    /// The same entry, with tags and expiry only in its file.
    var unread: IndexedEntry { IndexedEntry(units: units, lastUse: lastUse, isUnread: true) }
}
