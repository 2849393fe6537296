extension DiskIndex {
    package typealias Version = UInt32

    package struct Limits: Hashable, Sendable {
        /// The total size of all entries in bytes, as allocated on disk.
        package var bytes: Int
        package var count: Int
        /// The seconds since its last use after which an entry is no longer found. If nil, entries stay while there is
        /// room.
        package var timeToLive: Int?

        package init(bytes: Int, count: Int = .max, timeToLive: Int? = nil) {
            self.bytes = max(0, bytes)
            self.count = max(0, count)
            self.timeToLive = timeToLive
        }
    }

    /// Whether an entry exists.
    package enum Presence: Equatable, Sendable {
        case absent
        case present(Version)
        /// The directory has not been read yet: only opening the file can tell.
        case unknown
    }

    /// An entry's file, and the number of bytes that count towards the limit.
    package struct Item: Hashable, Sendable {
        package let name: EntryName
        package let bytes: Int
    }

    /// The work that adding an entry requires on disk.
    package struct Plan: Sendable {
        package let version: Version
        /// The entries to remove from the disk first.
        package let victims: [Item]
        /// The file that may exist under this name if the write fails, with the size of the old or the new file,
        /// whichever is larger.
        package let mayRemain: Item
        /// Whether a file already exists under this name.
        package let replaces: Bool
        package let entry: IndexedEntry
    }

    /// A file in the directory.
    package struct Found: Sendable {
        package let name: EntryName
        package let bytes: Int
        package let modified: UInt32
    }
}
