import Foundation

/// A directory in which files are saved.
///
/// A file gets its name once it is complete. Names are resolved in the opened directory without following links, so
/// nothing is written outside.
struct OutputFolder: Sendable {
    /// A file couldn't be saved.
    struct Failure: Error, Equatable {
        let code: Int32

        /// The system's reason.
        var cause: String { ErrorText.of(systemCode: code) }

        /// The reason, with the option that helps.
        var reason: String { cause + (code == EEXIST ? "; --force overwrites it" : "") }
    }

    let path: String
    /// Whether existing files are replaced.
    var overwrites = false
    /// Whether a missing directory is created.
    var isCreated = true

    func path(of name: String) -> String {
        URL(fileURLWithPath: path).appendingPathComponent(name).relativePath
    }

    /// Saves a file. Fails with `EEXIST` if the name is taken, even by a dangling link, unless it may be overwritten;
    /// then a link itself is replaced, not its target. The permissions of a replaced file are kept, but not its owner
    /// or access control list.
    ///
    /// - Parameter name: A single path component.
    func save(_ bytes: Data, as name: String) throws(Failure) {
        let name = ArgumentText.path(name)
        let directory = try open()
        defer { close(directory) }
        let temporary = ".alcedo-\(UUID().uuidString).part"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let old = overwrites ? status(of: name, in: directory) : nil
        // Only the owner may open the new file until it has the permissions of the file that it replaces.
        let file = try check(openat(directory, temporary, flags, old == nil ? 0o666 : 0o600))
        // This does nothing once the file has its name.
        defer { unlinkat(directory, temporary, 0) }
        if let old, fchmod(file, old.st_mode & 0o777) != 0 {
            let failure = Failure(code: errno)
            close(file)
            throw failure
        }
        try Self.write(bytes, andClose: file)
        if overwrites {
            try check(renameat(directory, temporary, directory, name))
        } else {
            try claim(name, for: temporary, in: directory)
        }
    }

    /// The status of a regular file; nil if there is none.
    private func status(of name: [CChar], in directory: Int32) -> stat? {
        var status = stat()
        guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return status
    }

    /// Gives the file its name if the name is free. Checking and naming are one atomic step, so only one of two
    /// programs succeeds.
    private func claim(_ name: [CChar], for temporary: String, in directory: Int32) throws(Failure) {
        if linkat(directory, temporary, directory, name, 0) == 0 { return }
        guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno) else { throw Failure(code: errno) }
        // The file system doesn't support hard links. An empty file claims the name.
        let claim = try check(openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666))
        close(claim)
        guard renameat(directory, temporary, directory, name) != 0 else { return }
        let failure = Failure(code: errno)
        unlinkat(directory, name, 0)
        throw failure
    }

    private func open() throws(Failure) -> Int32 {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        let directory = Foundation.open(ArgumentText.path(path), flags)
        guard isCreated, directory < 0, errno == ENOENT else { return try check(directory) }
        try create(ArgumentText.bytes(of: path)[...])
        return try check(Foundation.open(ArgumentText.path(path), flags))
    }

    /// Creates a directory, and its parents first.
    private func create(_ path: ArraySlice<UInt8>) throws(Failure) {
        let mode: mode_t = 0o777
        func make() -> Bool { mkdir(path.map { CChar(bitPattern: $0) } + [0], mode) == 0 || errno == EEXIST }
        if make() { return }
        guard errno == ENOENT, let end = path.lastIndex(of: UInt8(ascii: "/")), end > path.startIndex else {
            throw Failure(code: errno)
        }
        try create(path[..<end])
        if !make() { throw Failure(code: errno) }
    }

    static func write(_ bytes: Data, andClose file: Int32) throws(Failure) {
        do throws(Failure) {
            try write(bytes, to: file)
        } catch {
            close(file)
            throw error
        }
        // Some file systems report a full disk only when a file is closed.
        if close(file) != 0 { throw Failure(code: errno) }
    }

    private static func write(_ bytes: Data, to file: Int32) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
            if count < 0 {
                guard errno == EINTR else { throw Failure(code: errno) }
            } else {
                rest = rest.dropFirst(count)
            }
        }
    }

    @discardableResult
    private func check(_ result: Int32) throws(Failure) -> Int32 {
        if result < 0 { throw Failure(code: errno) }
        return result
    }
}
