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

    /// The bytes of a regular file whose name may not be UTF-8.
    package func read(_ path: [UInt8], byteLimit: Int) throws(FileError) -> Data {
        let name = path.map { CChar(bitPattern: $0) } + [0]
        return try readWithTime(String(decoding: path, as: UTF8.self), named: name, byteLimit: byteLimit).bytes
    }

    /// The bytes of a regular file and its modification time in seconds since 1970.
    ///
    /// - Parameter name: The path as a C string; nil to use `path`.
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
            let bytes = try bytes(length, .read, path) { Foundation.read(file, $0 + $1, $2) }
            return (bytes, status.modificationSeconds)
        }
    }

    /// The last `count` bytes of a regular file, or all if it is shorter, and its status.
    package func readEnd(_ path: String, count: Int) throws(FileError) -> (bytes: Data, status: FileStatus) {
        try withFile(path) { (file, status) throws(FileError) in
            let length = Int(status.st_size)
            let start = max(0, length - count)
            return (try read(file, from: start, to: length, path), FileStatus(status))
        }
    }

    /// The status of a regular file, without reading it.
    package func status(_ path: String) throws(FileError) -> FileStatus {
        try withFile(path) { (_, status) throws(FileError) in FileStatus(status) }
    }

    /// The status of the file with this name, which may be a link or a directory; nil if there is none.
    package func look(at path: String) throws(FileError) -> FileStatus? {
        var status = stat()
        do throws(FileError) {
            try check(.lstat, path) { lstat(path, &status) }
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
        let file = try check(.open, path) { name.map { open($0, flags) } ?? open(path, flags) }
        defer { close(file, path) }
        var status = stat()
        try check(.fstat, path) { fstat(file, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileError(call: "open", path: path, code: EINVAL, reason: "not a regular file")
        }
        return try body(file, status)
    }

    /// Up to `length` bytes; fewer if the file was truncated in the meantime.
    private func bytes(
        _ length: Int, _ call: SystemCall, _ path: String, _ read: (UnsafeMutableRawPointer, Int, Int) -> Int
    ) throws(FileError) -> Data {
        guard length > 0 else { return Data() }
        guard let bytes = malloc(length) else { throw FileError(call: "malloc", path: path, code: ENOMEM) }
        var offset = 0
        do throws(FileError) {
            while offset < length {
                let count = try check(call, path, byteCount: length - offset) { read(bytes, offset, $0) }
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
        // One call for two parts, unless it writes only some of the bytes.
        var rest = parts.filter { !$0.isEmpty }[...]
        while let first = rest.first {
            let byteCount = rest.reduce(0) { $0 + $1.count }
            var written = try check(.writev, path, byteCount: byteCount) { writeOnce(rest, to: file, most: $0) }
            if written == 0 { throw FileError(call: "writev", path: path, code: EIO) }
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

    /// Writes at most `most` bytes of the first two parts.
    private func writeOnce(_ parts: ArraySlice<Data>, to file: Int32, most: Int) -> Int {
        func vector(_ bytes: UnsafeRawBufferPointer, _ most: Int) -> iovec {
            iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: min(bytes.count, most))
        }
        guard let first = parts.first else { return 0 }
        return first.withUnsafeBytes { bytes in
            let vectors = [vector(bytes, most)]
            guard let second = parts.dropFirst().first else { return writev(file, vectors, 1) }
            return second.withUnsafeBytes { writev(file, vectors + [vector($0, most - vectors[0].iov_len)], 2) }
        }
    }

    /// Appends `part` to a regular file. After a failure, the file is truncated to its previous length if possible.
    package func append(_ part: Data, to path: String, synchronizes: Bool) throws(FileError) -> FileStatus {
        let flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let file = try check(.open, path) { open(path, flags) }
        defer { close(file, path) }
        let length = try status(of: file, path).length
        do throws(FileError) {
            try write([part], to: file, path)
            if synchronizes { try synchronize(file, path) }
            return try status(of: file, path)
        } catch {
            calls.perform(.ftruncate, on: path) { ftruncate(file, off_t(length)) }
            throw error
        }
    }

    package func rename(_ path: String, to newPath: String) throws(FileError) {
        try check(.rename, path, on: newPath) { Foundation.rename(path, newPath) }
    }

    /// Gives a file another name. Fails when that name is taken.
    package func link(_ path: String, to newPath: String) throws(FileError) {
        try check(.link, path, on: newPath) { Foundation.link(path, newPath) }
    }

    package func remove(_ path: String) throws(FileError) { try check(.unlink, path) { unlink(path) } }

    /// Waits until a file, or a directory's entries, are on the device.
    package func synchronize(_ path: String) throws(FileError) {
        try synchronize(path, O_NOFOLLOW | O_NONBLOCK, synchronizeWithDevice)
    }

    /// Waits until a directory's entries are on the device. Follows a link.
    package func synchronizeDirectory(_ path: String) throws(FileError) {
        try synchronize(path, O_DIRECTORY, synchronizeWithDevice)
    }

    /// Makes a file reach the device before whatever is synchronized later. Cheaper than ``synchronize(_:)`` on Apple
    /// platforms, and the same on Linux.
    func order(_ path: String) throws(FileError) { try synchronize(path, O_NOFOLLOW | O_NONBLOCK, orderOnDevice) }

    private func synchronize(_ path: String, _ flags: Int32, _ call: (Int32) -> Int32) throws(FileError) {
        let file = try check(.open, path) { open(path, O_RDONLY | O_CLOEXEC | flags) }
        defer { close(file, path) }
        try check(.synchronize, path) { call(file) }
    }

    // MARK: Files that stay open

    /// Opens a file for reading and appending, and creates it if there is none.
    package func openForAppending(_ path: String) throws(FileError) -> Int32 {
        let flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        return try check(.open, path) { open(path, flags, 0o600 as mode_t) }
    }

    package func status(of file: Int32, _ path: String) throws(FileError) -> FileStatus {
        var status = stat()
        try check(.fstat, path) { fstat(file, &status) }
        return FileStatus(status)
    }

    /// The bytes from `start` up to, but not including, `end`.
    package func read(_ file: Int32, from start: Int, to end: Int, _ path: String) throws(FileError) -> Data {
        try bytes(end - start, .pread, path) { pread(file, $0 + $1, $2, off_t(start + $1)) }
    }

    package func truncate(_ file: Int32, to length: Int, _ path: String) throws(FileError) {
        try check(.ftruncate, path) { ftruncate(file, off_t(length)) }
    }

    package func synchronize(_ file: Int32, _ path: String) throws(FileError) {
        try check(.synchronize, path) { synchronizeWithDevice(file) }
    }

    package func close(_ file: Int32, _ path: String) { calls.perform(.close, on: path) { Foundation.close(file) } }

    /// Waits until no other open file holds the lock.
    package func lock(_ file: Int32, _ path: String) throws(FileError) {
        try check(.flock, path) { flock(file, LOCK_EX) }
    }

    package func unlock(_ file: Int32, _ path: String) throws(FileError) {
        try check(.flock, path) { flock(file, LOCK_UN) }
    }

    /// Removes a file unless its lock is held.
    package func removeUnlessLocked(_ path: String) throws(FileError) {
        let file = try check(.open, path) { open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
        defer { close(file, path) }
        do throws(FileError) {
            try check(.flock, path) { flock(file, LOCK_EX | LOCK_NB) }
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
        func make() -> Int32 { calls.perform(.mkdir, on: path) { mkdir(path, 0o700 as mode_t) } }
        if make() == 0 { return [named] }
        let code = errno
        if code == EEXIST { return [] }
        guard code == ENOENT, !parent.isEmpty, parent != path else {
            throw FileError(call: "mkdir", path: path, code: code)
        }
        let above = try createDirectory(parent)
        if make() == 0 { return above + [named] }
        guard errno == EEXIST else { throw FileError(.mkdir, path) }
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
            do throws(FileError) {
                try check(.fstatat, path) { fstatat(dirfd(directory), name, &status, AT_SYMLINK_NOFOLLOW) }
            } catch {
                // The file may have been removed in the meantime, which isn't an error.
                if error.isNotFound { return }
                throw error
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
        var opened: DirectoryStream?
        try check(.opendir, path) {
            opened = opendir(path)
            return opened == nil ? -1 : 0
        }
        guard let directory = opened else { return }
        defer { calls.perform(.closedir, on: path) { closedir(directory) } }
        let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
        while let found = try next(in: directory, path) {
            // A record is only as long as its name, which can be shorter than the struct, so the name is read in place.
            try body(directory, UnsafeRawPointer(found).advanced(by: nameOffset).assumingMemoryBound(to: CChar.self))
        }
    }

    private func next(
        in directory: DirectoryStream, _ path: String
    ) throws(FileError) -> UnsafeMutablePointer<dirent>? {
        var found: UnsafeMutablePointer<dirent>?
        try check(.readdir, path) {
            // This is the only way to distinguish the end from a failure.
            errno = 0
            found = readdir(directory)
            return found == nil && errno != 0 ? -1 : 0
        }
        return found
    }

    /// Removes a file, or a directory and everything in it. Missing files aren't a failure.
    package func removeTree(_ path: String) throws(FileError) {
        if calls.perform(.unlink, on: path, { unlink(path) }) == 0 || errno == ENOENT { return }
        // Linux reports EISDIR, Apple platforms EPERM.
        guard errno == EISDIR || errno == EPERM else { throw FileError(.unlink, path) }
        for name in try names(path) { try removeTree(path + "/" + name) }
        if calls.perform(.rmdir, on: path, { rmdir(path) }) != 0, errno != ENOENT { throw FileError(.rmdir, path) }
    }

    /// The number of bytes available to this program on the volume of `path`.
    package func freeBytes(at path: String) throws(FileError) -> Int {
        try check(.statvfs, path, byteCount: 0) { _ in
            var status = statvfs()
            guard statvfs(path, &status) == 0 else { return -1 }
            return Int(clamping: status.f_bavail).multiplied(by: Int(clamping: status.f_frsize))
        }
    }

    @discardableResult
    func check(
        _ call: SystemCall, _ path: String, on newPath: String? = nil, _ body: () -> Int32
    ) throws(FileError) -> Int32 {
        Int32(truncatingIfNeeded: try check(call, path, on: newPath, byteCount: 0) { _ in Int(body()) })
    }

    /// Repeats a call until no signal interrupts it. Returns its result, or throws if that is -1.
    private func check(
        _ call: SystemCall, _ path: String, on newPath: String? = nil, byteCount: Int, _ body: (Int) -> Int
    ) throws(FileError) -> Int {
        while true {
            let result = calls.perform(call, on: newPath ?? path, byteCount: byteCount, body)
            if result != -1 { return result }
            if errno != EINTR { throw FileError(call, path) }
        }
    }
}
