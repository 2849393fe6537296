extension DiskIndex {
    package typealias Version = UInt32

    package struct Limits: Hashable, Sendable {
        /// The total size of all entries in bytes, as allocated on disk.
        package var bytes: Int
        package var count: Int
        /// The seconds since its last use after which an entry is no longer found. With nil, entries stay as long as
        /// there is room.
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

    /// An entry's file and how much of the limit it takes.
    package struct Item: Hashable, Sendable {
        package let name: EntryName
        package let bytes: Int
    }

    /// The work that adding an entry requires on disk.
    package struct Plan: Sendable {
        package let version: Version
        /// To be removed from the disk first.
        package let victims: [Item]
        /// The size of the file that exists under this name if the write fails, or that of the new one if it is larger.
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
