package import Foundation

// Files that get their name once they are complete.

extension FileSystem {
    /// A new file under a temporary name. Until it is passed to ``end(_:isRenamed:)``, it is locked, so that others can
    /// distinguish it from an abandoned file.
    package struct NewFile: Sendable {
        package let path: String
        /// The file's status, with its size on disk.
        package let status: FileStatus
        fileprivate let descriptor: Int32
    }

    /// Creates a file from the concatenated `parts`, readable by its owner only.
    ///
    /// Before the file is locked, another process that opens the cache may lock or remove it as abandoned. In that
    /// case, the file is created again under a name with a suffix.
    package func create(_ parts: [Data], at path: String) throws(FileError) -> NewFile {
        try create(at: path) { (file, path) throws(FileError) in try write(parts, to: file, path) }
    }

    /// Creates a file from a body and the bytes that follow it.
    ///
    /// If the body was received into a file, that file gets the name. Its bytes are copied instead if they are mapped,
    /// or if the system can't name such a file.
    package func create(_ body: Body, _ tail: Data, at path: String) throws(FileError) -> NewFile {
        switch body {
        case .memory(let data): return try create([data, tail], at: path)
        case .file(let file):
            if let named = try name(file, tail, path) { return named }
            return try create(at: path) { (copy, path) throws(FileError) in
                var start = 0
                while start < file.count {
                    let part = try file.read(from: start, to: min(file.count, start + 1 << 20))
                    try write([part], to: copy, path)
                    start += part.count
                }
                try write([tail], to: copy, path)
            }
        }
    }

    /// Names the file of a body. Returns nil if that isn't possible.
    private func name(_ body: BodyFile, _ tail: Data, _ path: String) throws(FileError) -> NewFile? {
        var named: NewFile?
        let hasName = try body.name { () throws(FileError) in
            try truncate(body.descriptor, to: body.count, path)
            try write([tail], to: body.descriptor, path)
            let file = try check(.open, path) { fcntl(body.descriptor, F_DUPFD_CLOEXEC, 0) }
            do throws(FileError) {
                try check(.flock, path) { flock(file, LOCK_EX | LOCK_NB) }
                guard calls.perform(.link, on: path, { nameFile(file, path) }) == 0 else {
                    close(file, path)
                    return false
                }
                var status = stat()
                try check(.fstat, path) { fstat(file, &status) }
                named = NewFile(path: path, status: FileStatus(status), descriptor: file)
                return true
            } catch {
                close(file, path)
                throw error.adding(unlinking(path))
            }
        }
        return hasName ? named : nil
    }

    /// Opens a new file without a name for reading and appending. Only this program can open it.
    func openUnnamed(in directory: String) throws(FileError) -> Int32 {
        try check(.open, directory) { openUnnamedFile(directory) }
    }

    private func create(
        at path: String, _ write: (Int32, String) throws(FileError) -> Void
    ) throws(FileError) -> NewFile {
        do throws(FileError) {
            return try createOnce(at: path, write)
        } catch {
            guard error.code == EWOULDBLOCK else { throw error }
            return try createOnce(at: path + "-again", write)
        }
    }

    private func createOnce(
        at path: String, _ write: (Int32, String) throws(FileError) -> Void
    ) throws(FileError) -> NewFile {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let file = try check(.open, path) { open(path, flags, 0o600 as mode_t) }
        do throws(FileError) {
            try check(.flock, path) { flock(file, LOCK_EX | LOCK_NB) }
            try write(file, path)
            var status = stat()
            try check(.fstat, path) { fstat(file, &status) }
            // The file was removed as abandoned before it was locked.
            if status.st_nlink == 0 { throw FileError(call: "flock", path: path, code: EWOULDBLOCK) }
            return NewFile(path: path, status: FileStatus(status), descriptor: file)
        } catch {
            close(file, path)
            throw error.adding(unlinking(path))
        }
    }

    /// Waits until a new file's bytes are on the device.
    package func synchronize(_ file: NewFile) throws(FileError) {
        try synchronize(file.descriptor, file.path)
    }

    /// Closes a new file, and removes it unless it was renamed.
    ///
    /// - Returns: The error that prevented the removal.
    @discardableResult
    package func end(_ file: NewFile, isRenamed: Bool) -> FileError? {
        defer { close(file.descriptor, file.path) }
        return isRenamed ? nil : unlinking(file.path)
    }

    private func unlinking(_ path: String) -> FileError? {
        calls.perform(.unlink, on: path) { unlink(path) } == 0 || errno == ENOENT ? nil : FileError(.unlink, path)
    }

    /// Creates a file from the concatenated `parts` for `commit` to rename. If `commit` doesn't, the file is removed.
    ///
    /// - Parameters:
    ///   - synchronizes: Whether the bytes must be on the device before the file is renamed.
    ///   - commit: Receives the file and returns whether it has renamed it.
    /// - Returns: The result of `commit`.
    package func publish(
        _ parts: [Data], by temporary: String, synchronizes: Bool,
        commit: (_ file: NewFile) throws(FileError) -> Bool
    ) throws(FileError) -> Bool {
        let file = try create(parts, at: temporary)
        let isRenamed: Bool
        do throws(FileError) {
            if synchronizes { try synchronize(file) }
            isRenamed = try commit(file)
        } catch {
            throw error.adding(end(file, isRenamed: false))
        }
        if let error = end(file, isRenamed: isRenamed) { throw error }
        return isRenamed
    }
}
