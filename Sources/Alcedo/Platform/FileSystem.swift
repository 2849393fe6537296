package import Foundation

/// The library's file operations. All of them block.
///
/// They are bare system calls, because Foundation syncs each write to the disk and reads what it claims to map. Each
/// call is repeated when a signal interrupts it.
package struct FileSystem: Sendable {
    let calls: any SystemCalls
    private let followsLinks: Bool

    /// - Parameter followsLinks: Whether reads follow symbolic links. They never do for the cache's own files.
    package init(_ calls: any SystemCalls = PosixSystemCalls(), followsLinks: Bool = false) {
        self.calls = calls
        self.followsLinks = followsLinks
    }

    // MARK: Reading

    /// The bytes of a regular file.
    package func read(_ path: String, byteLimit: Int) throws(FileError) -> Data {
        try readWithTime(path, byteLimit: byteLimit).bytes
    }

    /// The bytes of a regular file whose name may be none of UTF-8.
    package func read(_ path: [UInt8], byteLimit: Int) throws(FileError) -> Data {
        let name = path.map { CChar(bitPattern: $0) } + [0]
        return try readWithTime(String(decoding: path, as: UTF8.self), named: name, byteLimit: byteLimit).bytes
    }

    /// The bytes of a regular file and its modification time in seconds since 1970.
    ///
    /// - Parameter name: The path as a C string; nil for that of `path`.
    package func readWithTime(
        _ path: String, named name: [CChar]? = nil, byteLimit: Int
    ) throws(FileError) -> (bytes: Data, modified: Int) {
        try withFile(path, named: name) { (file, status) throws(FileError) in
            let length = Int(status.st_size)
            guard length <= byteLimit else {
                var error = FileError(call: "read", path: path, code: EFBIG)
                error.length = length
                throw error
            }
            let bytes = try bytes(length, from: file, path) { calls.read(file, $0 + $1, $2) }
            return (bytes, status.modificationSeconds)
        }
    }

    /// The last `count` bytes of a regular file, or all if it is shorter, and its status.
    package func readEnd(_ path: String, count: Int) throws(FileError) -> (bytes: Data, status: FileStatus) {
        try withFile(path) { (file, status) throws(FileError) in
            let length = Int(status.st_size)
            let start = max(0, length - count)
            let end = try bytes(length - start, from: file, path) {
                calls.pread(file, $0 + $1, $2, off_t(start + $1))
            }
            return (end, FileStatus(status))
        }
    }

    /// The status of a regular file, without reading it.
    package func status(_ path: String) throws(FileError) -> FileStatus {
        try withFile(path) { (_, status) throws(FileError) in FileStatus(status) }
    }

    /// The status of whatever has this name, which may be a link or a directory; nil when nothing does.
    package func look(at path: String) throws(FileError) -> FileStatus? {
        var status = stat()
        do throws(FileError) {
            try check("lstat", path) { calls.lstat(path, &status) }
        } catch {
            if error.isNotFound { return nil }
            throw error
        }
        return FileStatus(status)
    }

    /// Whether something exists at `path`, as far as can be determined.
    package func exists(_ path: String) -> Bool {
        do throws(FileError) {
            _ = try status(path)
            return true
        } catch {
            return !error.isNotFound
        }
    }

    private func withFile<Result>(
        _ path: String, named name: [CChar]? = nil, _ body: (Int32, stat) throws(FileError) -> Result
    ) throws(FileError) -> Result {
        // Without O_NONBLOCK, opening a named pipe waits for a writer.
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW)
        let file = try check("open", path) { name.map { calls.open($0, flags, 0) } ?? calls.open(path, flags, 0) }
        defer { _ = calls.close(file) }
        var status = stat()
        try check("fstat", path) { calls.fstat(file, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileError(call: "open", path: path, code: EINVAL, reason: "not a regular file")
        }
        return try body(file, status)
    }

    /// Up to `length` bytes; fewer when the file was truncated meanwhile.
    private func bytes(
        _ length: Int, from file: Int32, _ path: String, _ read: (UnsafeMutableRawPointer, Int, Int) -> Int
    ) throws(FileError) -> Data {
        guard length > 0 else { return Data() }
        guard let bytes = malloc(length) else { throw FileError(call: "malloc", path: path, code: ENOMEM) }
        var offset = 0
        do throws(FileError) {
            while offset < length {
                let count = try check("read", path) { read(bytes, offset, length - offset) }
                if count == 0 { break }
                offset += count
            }
        } catch {
            free(bytes)
            throw error
        }
        return Data(bytesNoCopy: bytes, count: offset, deallocator: .free)
    }

    // MARK: Writing

    /// Writes `parts` at the end of an open file.
    package func write(_ parts: [Data], to file: Int32, _ path: String) throws(FileError) {
        // One call for all parts, unless it writes only some of the bytes.
        var rest = parts.filter { !$0.isEmpty }[...]
        while let first = rest.first {
            var written = try check("write", path) { writeOnce(rest, to: file) }
            if written == 0 { throw FileError(call: "write", path: path, code: EIO) }
            if written < first.count {
                rest[rest.startIndex] = first.dropFirst(written)
                continue
            }
            while let part = rest.first, written >= part.count {
                written -= part.count
                rest.removeFirst()
            }
            if let part = rest.first, written > 0 { rest[rest.startIndex] = part.dropFirst(written) }
        }
    }

    private func writeOnce(_ parts: ArraySlice<Data>, to file: Int32) -> Int {
        guard let first = parts.first else { return 0 }
        return first.withUnsafeBytes { bytes in
            var vectors = [iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)]
            guard let second = parts.dropFirst().first else { return calls.writev(file, vectors, 1) }
            return second.withUnsafeBytes { bytes in
                vectors.append(
                    iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count))
                return calls.writev(file, vectors, 2)
            }
        }
    }

    /// Appends `part` to a regular file. After a failure, the file is truncated to its previous length if possible.
    package func append(_ part: Data, to path: String, synchronizes: Bool) throws(FileError) -> FileStatus {
        let flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let file = try check("open", path) { calls.open(path, flags, 0) }
        defer { _ = calls.close(file) }
        let length = try status(of: file, path).length
        do throws(FileError) {
            try write([part], to: file, path)
            if synchronizes { try synchronize(file, path) }
            return try status(of: file, path)
        } catch {
            _ = calls.ftruncate(file, off_t(length))
            throw error
        }
    }

    package func rename(_ path: String, to newPath: String) throws(FileError) {
        try check("rename", path) { calls.rename(path, newPath) }
    }

    /// Gives a file another name. Fails when that name is taken.
    package func link(_ path: String, to newPath: String) throws(FileError) {
        try check("link", path) { calls.link(path, newPath) }
    }

    package func remove(_ path: String) throws(FileError) { try check("unlink", path) { calls.unlink(path) } }

    /// Waits until a file, or a directory's entries, are on the device.
    package func synchronize(_ path: String) throws(FileError) { try synchronize(path, O_NOFOLLOW | O_NONBLOCK) }

    /// Waits until a directory's entries are on the device. Follows a link.
    package func synchronizeDirectory(_ path: String) throws(FileError) { try synchronize(path, O_DIRECTORY) }

    private func synchronize(_ path: String, _ flags: Int32) throws(FileError) {
        let file = try check("open", path) { calls.open(path, O_RDONLY | O_CLOEXEC | flags, 0) }
        defer { _ = calls.close(file) }
        try synchronize(file, path)
    }

    // MARK: Files that stay open

    /// Opens a file for reading and appending, and creates it if there is none.
    package func openForAppending(_ path: String) throws(FileError) -> Int32 {
        let flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        return try check("open", path) { calls.open(path, flags, 0o600) }
    }

    package func status(of file: Int32, _ path: String) throws(FileError) -> FileStatus {
        var status = stat()
        try check("fstat", path) { calls.fstat(file, &status) }
        return FileStatus(status)
    }

    /// The bytes from `start` up to, but not including, `end`.
    package func read(_ file: Int32, from start: Int, to end: Int, _ path: String) throws(FileError) -> Data {
        try bytes(end - start, from: file, path) { calls.pread(file, $0 + $1, $2, off_t(start + $1)) }
    }

    package func truncate(_ file: Int32, to length: Int, _ path: String) throws(FileError) {
        try check("ftruncate", path) { calls.ftruncate(file, off_t(length)) }
    }

    package func synchronize(_ file: Int32, _ path: String) throws(FileError) {
        try check("fsync", path) { calls.synchronize(file) }
    }

    package func close(_ file: Int32) { _ = calls.close(file) }

    /// Waits until no other open file holds the lock.
    package func lock(_ file: Int32, _ path: String) throws(FileError) {
        try check("flock", path) { calls.flock(file, LOCK_EX) }
    }

    package func unlock(_ file: Int32, _ path: String) throws(FileError) {
        try check("flock", path) { calls.flock(file, LOCK_UN) }
    }

    /// Removes a file unless its lock is held.
    package func removeUnlessLocked(_ path: String) throws(FileError) {
        let file = try check("open", path) { calls.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0) }
        defer { _ = calls.close(file) }
        do throws(FileError) {
            try check("flock", path) { calls.flock(file, LOCK_EX | LOCK_NB) }
        } catch {
            if error.code == EWOULDBLOCK { return }
            throw error
        }
        try remove(path)
    }

    // MARK: Directories

    /// Creates a directory and its ancestors, accessible to its owner only.
    ///
    /// - Returns: The directories in which one was created, topmost first; empty when the directory already existed.
    @discardableResult
    package func createDirectory(_ path: String) throws(FileError) -> [String] {
        let parent = (path as NSString).deletingLastPathComponent
        let named = parent.isEmpty ? "." : parent
        if calls.mkdir(path, 0o700) == 0 { return [named] }
        let code = errno
        if code == EEXIST { return [] }
        guard code == ENOENT, !parent.isEmpty, parent != path else {
            throw FileError(call: "mkdir", path: path, code: code)
        }
        let above = try createDirectory(parent)
        if calls.mkdir(path, 0o700) == 0 { return above + [named] }
        guard errno == EEXIST else { throw FileError("mkdir", path) }
        return above
    }

    /// Creates a directory that the cache owns. A link or a file in its place is removed: a link would lead elsewhere,
    /// and a file can't hold entries.
    ///
    /// - Returns: The same as ``createDirectory(_:)``.
    @discardableResult
    package func createOwnDirectory(_ path: String) throws(FileError) -> [String] {
        if let status = try look(at: path) {
            if status.kind == .directory { return [] }
            try remove(path)
        }
        return try createDirectory(path)
    }

    /// Calls `body` with the name, as a C string, and the status of each regular file in a directory.
    package func list(_ path: String, _ body: (UnsafePointer<CChar>, FileStatus) -> Void) throws(FileError) {
        try forEachName(path) { (directory, name) throws(FileError) in
            var status = stat()
            guard calls.fstatat(directory, name, &status) == 0 else {
                // The file may have vanished meanwhile, which isn't an error.
                if errno == ENOENT { return }
                throw FileError("fstatat", path)
            }
            if status.st_mode & S_IFMT == S_IFREG { body(name, FileStatus(status)) }
        }
    }

    /// The names in a directory, of any kind of file.
    package func names(_ path: String) throws(FileError) -> [String] {
        var names: [String] = []
        try forEachName(path) { (_, name) throws(FileError) in names.append(String(cString: name)) }
        return names.filter { $0 != "." && $0 != ".." }
    }

    private func forEachName(
        _ path: String, _ body: (DirectoryStream, UnsafePointer<CChar>) throws(FileError) -> Void
    ) throws(FileError) {
        guard let directory = calls.opendir(path) else { throw FileError("opendir", path) }
        defer { _ = calls.closedir(directory) }
        let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
        while let found = calls.readdir(directory) {
            // A record is only as long as its name, which can be shorter than the struct, so the name is read in place.
            try body(directory, UnsafeRawPointer(found).advanced(by: nameOffset).assumingMemoryBound(to: CChar.self))
        }
        if errno != 0 { throw FileError("readdir", path) }
    }

    /// Removes a file, or a directory and everything in it. Missing files aren't a failure.
    package func removeTree(_ path: String) throws(FileError) {
        if calls.unlink(path) == 0 || errno == ENOENT { return }
        // Linux reports EISDIR, Apple platforms EPERM.
        guard errno == EISDIR || errno == EPERM else { throw FileError("unlink", path) }
        for name in try names(path) { try removeTree(path + "/" + name) }
        if calls.rmdir(path) != 0, errno != ENOENT { throw FileError("rmdir", path) }
    }

    /// The number of bytes available to this program on the volume of `path`.
    package func freeBytes(at path: String) throws(FileError) -> Int {
        var status = statvfs()
        try check("statvfs", path) { calls.statvfs(path, &status) }
        return Int(clamping: status.f_bavail).multiplied(by: Int(clamping: status.f_frsize))
    }

    /// Repeats a call until no signal interrupts it. Returns its result, or throws if that is -1.
    @discardableResult
    @inline(__always)
    func check<Result: SignedInteger>(
        _ call: StaticString, _ path: String, _ body: () -> Result
    ) throws(FileError) -> Result {
        while true {
            let result = body()
            if result != -1 { return result }
            if errno != EINTR { throw FileError("\(call)", path) }
        }
    }
}
