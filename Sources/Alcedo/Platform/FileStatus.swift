package import Foundation

/// The properties of a file that are known without reading it.
package struct FileStatus: Sendable, Hashable {
    /// The file's length in bytes.
    package var length: Int
    /// The number of bytes that the file takes up on disk. Never less than its length, because some file systems
    /// allocate late and others pack data.
    package var allocated: Int
    /// The modification time in seconds since 1970.
    package var modified: Int
    package var kind: Kind
    package var identity: Identity

    package enum Kind: Sendable, Hashable {
        case file, directory, other
    }

    /// Distinguishes a file from all others that exist at the same time, regardless of their names.
    package struct Identity: Sendable, Hashable {
        package var device: UInt64
        package var number: UInt64

        /// Stands for no file.
        static let nothing = Identity(device: 0, number: 0)
    }

    package init(_ status: stat) {
        length = Int(status.st_size)
        // No volume is this large, and sums of such values don't overflow.
        allocated = min(max(length, min(Int(clamping: status.st_blocks), .max / 512) * 512), .max / 2)
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
