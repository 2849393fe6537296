package import Foundation

/// The disk store's system calls, unchanged: -1, or no stream, means failure, and `errno` holds the reason.
///
/// They are behind a protocol so that tests can make each of them fail. They block, and are called on ``WorkerThreads``
/// only, except for the warm ones.
package protocol SystemCalls: Sendable {
    typealias Path = UnsafePointer<CChar>

    func open(_ path: Path, _ flags: Int32, _ mode: mode_t) -> Int32
    func close(_ file: Int32) -> Int32
    func fstat(_ file: Int32, _ status: UnsafeMutablePointer<stat>) -> Int32
    func read(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int
    func pread(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int, _ offset: off_t) -> Int
    func writev(_ file: Int32, _ parts: UnsafePointer<iovec>, _ count: Int32) -> Int
    func ftruncate(_ file: Int32, _ length: off_t) -> Int32
    func rename(_ path: Path, _ newPath: Path) -> Int32
    /// Gives a file another name unless that name is taken.
    func link(_ path: Path, _ newPath: Path) -> Int32
    func unlink(_ path: Path) -> Int32
    func mkdir(_ path: Path, _ mode: mode_t) -> Int32
    func rmdir(_ path: Path) -> Int32
    func opendir(_ path: Path) -> DirectoryStream?
    func readdir(_ directory: DirectoryStream) -> UnsafeMutablePointer<dirent>?
    func closedir(_ directory: DirectoryStream) -> Int32
    func fstatat(_ directory: DirectoryStream, _ name: Path, _ status: UnsafeMutablePointer<stat>) -> Int32
    /// The status of whatever has this name. A symbolic link isn't followed.
    func lstat(_ path: Path, _ status: UnsafeMutablePointer<stat>) -> Int32
    func flock(_ file: Int32, _ operation: Int32) -> Int32
    func statvfs(_ path: Path, _ status: UnsafeMutablePointer<statvfs>) -> Int32
    /// Waits until a file, or a directory's entries, are on the device.
    func synchronize(_ file: Int32) -> Int32

    // MARK: Warm ones

    // They answer from memory. Where they would have to wait, they fail with `EAGAIN`, so any thread may make them.

    /// Opens a directory to find files below it. Fails with `EOPNOTSUPP` where the other calls might wait for a server.
    func openWarmDirectory(_ path: Path) -> Int32
    /// Opens a file below a directory for reading. Fails if one of the names is a symbolic link.
    ///
    /// - Parameter isOwned: Whether the file belongs to this user, who may leave its access time as it is.
    func openWarm(_ directory: Int32, _ path: Path, isOwned: Bool) -> Int32
    func fstatWarm(_ file: Int32, _ status: UnsafeMutablePointer<stat>) -> Int32
    /// Reads from the beginning of a file as many bytes as are in memory.
    func readWarm(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int
    /// Closes a file that still has a name: otherwise, closing it would delete it.
    func closeWarm(_ file: Int32) -> Int32
}

/// The real system calls.
package struct PosixSystemCalls: SystemCalls {
    package init() {}

    package func open(_ path: Path, _ flags: Int32, _ mode: mode_t) -> Int32 { Foundation.open(path, flags, mode) }
    package func close(_ file: Int32) -> Int32 { Foundation.close(file) }
    package func fstat(_ file: Int32, _ status: UnsafeMutablePointer<stat>) -> Int32 { Foundation.fstat(file, status) }

    package func read(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
        Foundation.read(file, bytes, count)
    }

    package func pread(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int, _ offset: off_t) -> Int {
        Foundation.pread(file, bytes, count, offset)
    }

    package func writev(_ file: Int32, _ parts: UnsafePointer<iovec>, _ count: Int32) -> Int {
        Foundation.writev(file, parts, count)
    }

    package func ftruncate(_ file: Int32, _ length: off_t) -> Int32 { Foundation.ftruncate(file, length) }
    package func rename(_ path: Path, _ newPath: Path) -> Int32 { Foundation.rename(path, newPath) }
    package func link(_ path: Path, _ newPath: Path) -> Int32 { Foundation.link(path, newPath) }
    package func unlink(_ path: Path) -> Int32 { Foundation.unlink(path) }
    package func mkdir(_ path: Path, _ mode: mode_t) -> Int32 { Foundation.mkdir(path, mode) }
    package func rmdir(_ path: Path) -> Int32 { Foundation.rmdir(path) }
    package func opendir(_ path: Path) -> DirectoryStream? { Foundation.opendir(path) }

    package func readdir(_ directory: DirectoryStream) -> UnsafeMutablePointer<dirent>? {
        // The only way to distinguish the end from a failure.
        errno = 0
        return Foundation.readdir(directory)
    }

    package func closedir(_ directory: DirectoryStream) -> Int32 { Foundation.closedir(directory) }

    package func fstatat(
        _ directory: DirectoryStream, _ name: Path, _ status: UnsafeMutablePointer<stat>
    ) -> Int32 {
        Foundation.fstatat(dirfd(directory), name, status, AT_SYMLINK_NOFOLLOW)
    }

    package func lstat(_ path: Path, _ status: UnsafeMutablePointer<stat>) -> Int32 { Foundation.lstat(path, status) }
    package func flock(_ file: Int32, _ operation: Int32) -> Int32 { lockFile(file, operation) }

    package func statvfs(_ path: Path, _ status: UnsafeMutablePointer<statvfs>) -> Int32 { volumeStatus(path, status) }

    package func synchronize(_ file: Int32) -> Int32 { synchronizeWithDevice(file) }
    package func fstatWarm(_ file: Int32, _ status: UnsafeMutablePointer<stat>) -> Int32 { fstat(file, status) }
    package func closeWarm(_ file: Int32) -> Int32 { close(file) }
}

// Inside the type, these names would refer to the structures.

private func lockFile(_ file: Int32, _ operation: Int32) -> Int32 { flock(file, operation) }

private func volumeStatus(_ path: UnsafePointer<CChar>, _ status: UnsafeMutablePointer<statvfs>) -> Int32 {
    statvfs(path, status)
}
