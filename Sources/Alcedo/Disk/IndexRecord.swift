/// What has become of an entry, as the index file tells it. Each record says all there is to say, so that it makes no
/// difference how often it is read.
package enum IndexRecord: Hashable, Sendable {
    /// It is about to be there, with this size.
    case entry(EntryName, IndexedEntry)
    /// It is gone.
    case removed(EntryName)
    /// It was used, at a time in seconds since 1970.
    case used(EntryName, at: UInt32)
}

/// What the index holds of an entry.
package struct IndexedEntry: Hashable, Sendable {
    /// Bytes on disk, in units of 512.
    package var units: UInt32
    /// Seconds since 1970.
    package var lastUse: UInt32
    /// Seconds since 1970; 0 is never.
    package var expires: UInt32
    /// The hashes of its tags, sorted.
    package var tags: [UInt64]
    /// Whether tags and expiry are not known but from the file.
    package var isUnread: Bool
    /// Whether its file should be gone and could not be removed: it takes room, and look-ups do not find it.
    package var isLeftover: Bool

    /// The same with a file that takes so many bytes.
    func taking(_ bytes: Int) -> IndexedEntry {
        var entry = self
        entry.units = DiskIndex.units(bytes) ?? .max
        return entry
    }

    /// The same, but that its file alone tells of tags and expiry.
    var unread: IndexedEntry { IndexedEntry(units: units, lastUse: lastUse, isUnread: true) }

    package init(
        units: UInt32, lastUse: UInt32, expires: UInt32 = 0, tags: [UInt64] = [], isUnread: Bool = false,
        isLeftover: Bool = false
    ) {
        self.units = units
        self.lastUse = lastUse
        self.expires = expires
        self.tags = tags
        self.isUnread = isUnread
        self.isLeftover = isLeftover
    }
}
