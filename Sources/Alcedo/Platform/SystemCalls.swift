import Foundation

/// The kinds of system calls that the disk store makes.
package enum SystemCall: String, Sendable, CaseIterable {
    case open, close, fstat, read, pread, writev, ftruncate, rename, link, unlink, mkdir, rmdir
    case opendir, readdir, closedir, fstatat, lstat, flock, statvfs
    case synchronize = "fsync"
    // These calls answer from memory. If they would have to wait, they fail with `EAGAIN`, so any thread may make them.
    case openWarmDirectory, openWarm, fstatWarm, readWarm, closeWarm
}

/// Makes the disk store's system calls. This is where tests can observe, delay, shorten and fail each of them.
///
/// The calls block and are made on ``WorkerThreads`` only, except for the warm ones.
package protocol SystemCalls: Sendable {
    /// Makes a call. Returns -1 on failure, with the reason in `errno`.
    ///
    /// - Parameters:
    ///   - path: The path, relative to the store's directory for files that are read warm. For a rename or a link, the
    ///     new path.
    ///   - byteCount: The number of bytes to read or write; 0 for other calls.
    ///   - body: The call itself, for at most that many bytes.
    func perform(_ call: SystemCall, on path: String, byteCount: Int, _ body: (_ byteCount: Int) -> Int) -> Int

    // MARK: Calls that not all systems have

    /// Opens a directory to find files below it. Fails with `EOPNOTSUPP` where the other calls might wait for a server.
    func openWarmDirectory(_ path: String) -> Int32
    /// Opens a file below a directory for reading. Fails if one of the names is a symbolic link.
    ///
    /// - Parameter isOwned: Whether the file belongs to this user, so that its access time may be left unchanged.
    func openWarm(_ directory: Int32, _ path: String, isOwned: Bool) -> Int32
    /// Reads from the beginning of a file as many bytes as are in memory.
    func readWarm(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int
}

extension SystemCalls {
    @discardableResult
    package func perform(_ call: SystemCall, on path: String, _ body: () -> Int32) -> Int32 {
        Int32(truncatingIfNeeded: perform(call, on: path, byteCount: 0) { _ in Int(body()) })
    }
}

/// Makes each call unchanged.
package struct PosixSystemCalls: SystemCalls {
    package init() {}

    package func perform(
        _ call: SystemCall, on path: String, byteCount: Int, _ body: (_ byteCount: Int) -> Int
    ) -> Int {
        body(byteCount)
    }
}

/// Opens a new file for reading and appending, and removes its name. Returns -1 on failure.
func openUnlinkedFile(_ directory: String) -> Int32 {
    var path = Array((directory + "/body-XXXXXX").utf8CString)
    let file = mkstemp(&path)
    if file < 0 { return -1 }
    if unlink(path) == 0, fcntl(file, F_SETFD, FD_CLOEXEC) == 0, fcntl(file, F_SETFL, O_APPEND) == 0 { return file }
    close(file)
    return -1
}
