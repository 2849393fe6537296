package import Foundation

/// The real files, through bare system calls: Foundation syncs each write to the disk and reads what it says it maps.
package struct PosixFileSystem: FileSystem {
    private let followsLinks: Bool

    /// - Parameter followsLinks: whether a symbolic link is read as what it points to; the cache's own files never are.
    package init(followsLinks: Bool = false) {
        self.followsLinks = followsLinks
    }

    package func read(_ path: String, byteLimit: Int) throws(FileError) -> Data {
        // Without O_NONBLOCK, opening a named pipe waits for a writer.
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW)
        let file = try check("open", path) { open(path, flags) }
        defer { close(file) }
        var status = stat()
        try check("fstat", path) { fstat(file, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileError(call: "open", path: path, code: EINVAL, reason: "not a regular file")
        }
        let length = Int(status.st_size)
        guard length <= byteLimit else {
            var error = FileError(call: "read", path: path, code: EFBIG)
            error.length = length
            throw error
        }
        guard length > 0 else { return Data() }
        guard let bytes = malloc(length) else { throw FileError(call: "malloc", path: path, code: ENOMEM) }
        do throws(FileError) {
            let count = try fill(bytes, length, from: file, path)
            // Only now: a Data this small would have copied the bytes when it was made.
            return Data(bytesNoCopy: bytes, count: count, deallocator: .free)
        } catch {
            free(bytes)
            throw error
        }
    }

    /// Reads up to `length` bytes; fewer when the file was cut short meanwhile.
    private func fill(
        _ bytes: UnsafeMutableRawPointer, _ length: Int, from file: Int32, _ path: String
    ) throws(FileError) -> Int {
        var offset = 0
        while offset < length {
            let count = try check("read", path) { Foundation.read(file, bytes + offset, length - offset) }
            if count == 0 { break }
            offset += count
        }
        return offset
    }

    package func create(_ path: String, _ parts: [Data]) throws(FileError) {
        let file = try check("open", path) {
            open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        }
        do throws(FileError) {
            for part in parts { try write(part, to: file, path) }
        } catch {
            close(file)
            throw error
        }
        // A full disk may show itself only here.
        try check("close", path) { close(file) }
    }

    package func rename(_ path: String, to newPath: String) throws(FileError) {
        try check("rename", path) { Foundation.rename(path, newPath) }
    }

    package func remove(_ path: String) throws(FileError) {
        try check("unlink", path) { unlink(path) }
    }

    package func createDirectory(_ path: String) throws(FileError) {
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        let code = errno
        let parent = (path as NSString).deletingLastPathComponent
        guard code == ENOENT, !parent.isEmpty, parent != path else {
            throw FileError(call: "mkdir", path: path, code: code)
        }
        try createDirectory(parent)
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw FileError(call: "mkdir", path: path, code: errno) }
    }

    package func list(_ path: String) throws(FileError) -> [FileEntry] {
        guard let directory = opendir(path) else { throw FileError(call: "opendir", path: path, code: errno) }
        defer { closedir(directory) }
        let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
        var entries: [FileEntry] = []
        while let found = readdir(directory) {
            // The record is as long as its name, shorter than the struct: the name is read where it lies.
            let name = String(
                cString: UnsafeRawPointer(found).advanced(by: nameOffset).assumingMemoryBound(to: CChar.self))
            var status = stat()
            // One that vanished meanwhile is not an error.
            guard fstatat(dirfd(directory), name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
            guard status.st_mode & S_IFMT == S_IFREG else { continue }
            entries.append(
                FileEntry(name: name, length: Int(status.st_size), modified: status.modificationSeconds))
        }
        return entries
    }

    private func write(_ part: Data, to file: Int32, _ path: String) throws(FileError) {
        var offset = 0
        while offset < part.count {
            offset += try check("write", path) {
                part.withUnsafeBytes { bytes in
                    Foundation.write(file, bytes.baseAddress.map { $0 + offset }, bytes.count - offset)
                }
            }
        }
    }

    /// Makes a call until no signal interrupts it; its result, unless that is the -1 of a failure.
    @discardableResult
    private func check<Result: SignedInteger>(
        _ call: String, _ path: String, _ body: () -> Result
    ) throws(FileError) -> Result {
        while true {
            let result = body()
            if result != -1 { return result }
            if errno != EINTR { throw FileError(call: call, path: path, code: errno) }
        }
    }
}
