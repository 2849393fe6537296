package import Foundation

/// What a file is known to be without reading it.
package struct FileStatus: Sendable, Hashable {
    /// Bytes in it.
    package var length: Int
    /// Bytes it takes on disk: no fewer than its length, as some file systems allocate late and others pack.
    package var allocated: Int
    /// When it was written, in seconds since 1970.
    package var modified: Int
    package var kind: Kind
    package var identity: Identity

    package enum Kind: Sendable, Hashable {
        case file, directory, other
    }

    /// Tells a file from all others that are there at the same time, whatever their names.
    package struct Identity: Sendable, Hashable {
        package var device: UInt64
        package var number: UInt64

        /// Where there is nothing.
        static let nothing = Identity(device: 0, number: 0)
    }

    package init(_ status: stat) {
        length = Int(status.st_size)
        // No volume is as large as that; sums of it do not overflow.
        allocated = min(max(length, min(Int(clamping: status.st_blocks), .max / 512) * 512), 1 << 62)
        modified = status.modificationSeconds
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .file
        case S_IFDIR: kind = .directory
        default: kind = .other
        }
        identity = Identity(
            device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
    }
}
