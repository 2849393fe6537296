#if os(Linux)
import CShims
import Foundation

typealias DirectoryStream = OpaquePointer

extension stat {
    /// The modification time in seconds since 1970.
    var modificationSeconds: Int { st_mtim.tv_sec }
}

/// `fsync`, which on Linux waits for the device.
func synchronizeWithDevice(_ file: Int32) -> Int32 { fsync(file) }

/// The same as ``synchronizeWithDevice(_:)``, because Linux has no call for the order alone.
func orderOnDevice(_ file: Int32) -> Int32 { fsync(file) }

/// Opens a new, unnamed file for reading and appending. If the file system doesn't support that, the name is removed
/// immediately, and the file can't get another.
func openUnnamedFile(_ directory: String) -> Int32 {
    let file = alcedo_open_unnamed(directory)
    return file < 0 && (errno == EOPNOTSUPP || errno == EISDIR) ? openUnlinkedFile(directory) : file
}

/// Gives an unnamed file a name. Fails if the name is taken.
func nameFile(_ file: Int32, _ path: String) -> Int32 {
    linkat(AT_FDCWD, "/proc/self/fd/\(file)", AT_FDCWD, path, AT_SYMLINK_FOLLOW)
}

/// The system's identifier of the current boot; empty when it provides none. Blocks.
func systemRun() -> String { SystemFile.text(of: "/proc/sys/kernel/random/boot_id") ?? "" }

extension PosixSystemCalls {
    package func openWarmDirectory(_ path: String) -> Int32 { alcedo_open_warm_directory(path) }

    package func openWarm(_ directory: Int32, _ path: String, isOwned: Bool) -> Int32 {
        // Avoids the allocation that passing the string would need.
        path.withCString { alcedo_open_warm(directory, $0, isOwned ? 1 : 0) }
    }

    package func readWarm(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
        alcedo_read_warm(file, bytes, UInt(count))
    }
}
#endif
