extension DiskIndex {
    package typealias Version = UInt32

    package struct Limits: Hashable, Sendable {
        /// Bytes of all entries, as they are allocated on disk.
        package var bytes: Int
        package var count: Int
        /// Seconds since its last use after which an entry is not found any more; nil keeps it for as long as there is
        /// room.
        package var timeToLive: Int?

        package init(bytes: Int, count: Int = .max, timeToLive: Int? = nil) {
            self.bytes = max(0, bytes)
            self.count = max(0, count)
            self.timeToLive = timeToLive
        }
    }

    /// What is known of an entry.
    package enum Presence: Equatable, Sendable {
        case absent
        case present(Version)
        /// The directory has not been read yet: only the file itself can tell.
        case unknown
    }

    /// An entry's file and what it takes of the limit.
    package struct Item: Hashable, Sendable {
        package let name: EntryName
        package let bytes: Int

        package init(name: EntryName, bytes: Int) {
            self.name = name
            self.bytes = bytes
        }
    }

    /// What taking an entry in means for the disk.
    package struct Plan: Sendable {
        package let version: Version
        /// To be removed from the disk first.
        package let victims: [Item]
        /// What the file takes that lies under this name should the write fail, or the new one if that is larger.
        package let mayRemain: Item
        /// Whether a file lies under this name already.
        package let replaces: Bool
        package let entry: IndexedEntry
    }

    /// A file of the directory.
    package struct Found: Sendable {
        package let name: EntryName
        package let bytes: Int
        package let modified: UInt32

        package init(name: EntryName, bytes: Int, modified: UInt32) {
            self.name = name
            self.bytes = bytes
            self.modified = modified
        }
    }
}
