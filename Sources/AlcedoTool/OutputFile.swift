import Foundation

/// A file named by an option. An existing file is overwritten only with `--force`.
struct OutputFile: Equatable {
    let path: String
    var overwrites = false

    /// Whether the file may be written. Prints an error if it exists, is a directory, or its directory is missing or
    /// not writable, so that nothing is loaded in vain.
    func mayBeWritten(_ console: Console) -> Bool {
        guard let code = obstacle else { return true }
        console.error("\(path): \(OutputFolder.Failure(code: code).reason)")
        return false
    }

    /// Whether both paths name the same file, as far as their text shows.
    func isSame(as other: OutputFile) -> Bool {
        URL(fileURLWithPath: path).standardizedFileURL.path == URL(fileURLWithPath: other.path).standardizedFileURL.path
    }

    /// The error code with which writing would fail; nil if nothing prevents it.
    private var obstacle: Int32? {
        let kind = kind(followsLinks: true)
        if kind == S_IFDIR { return EISDIR }
        if isTaken, !overwrites { return EEXIST }
        if isSaved { return isDirectoryWritable ? nil : errno }
        if access(ArgumentText.path(path), W_OK) == 0 { return nil }
        guard kind == nil, errno == ENOENT else { return errno }
        return missingTarget?.obstacle
    }

    /// The missing target of a dangling link; nil otherwise.
    private var missingTarget: OutputFile? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(ArgumentText.path(path), &bytes, bytes.count)
        // If the link has just been removed, the name is free.
        if count < 0 { return nil }
        let target = ArgumentText.text(bytes[..<count].map { UInt8(bitPattern: $0) })
        return OutputFile(path: target.hasPrefix("/") ? target : "\(directory)/\(target)", overwrites: overwrites)
    }

    /// Writes the file. If that fails, prints the reason and returns false. It fails if the file has come into
    /// existence since ``mayBeWritten(_:)``.
    ///
    /// The file gets its name once it is complete. The target of a link, such as /dev/stdout, is written in place, and
    /// so is a file whose directory isn't writable.
    func write(_ bytes: Data, on console: Console) -> Bool {
        do throws(OutputFolder.Failure) {
            if isSaved {
                let folder = OutputFolder(path: directory, overwrites: overwrites, isCreated: false)
                try folder.save(bytes, as: String(path[name...]))
            } else {
                try writeInPlace(bytes)
            }
            return true
        } catch {
            console.error("\(path): \(error.reason)")
            return false
        }
    }

    /// Whether a regular file is created or replaced. Otherwise, the file is written in place.
    private var isSaved: Bool {
        let kind = kind(followsLinks: false)
        return kind == nil || kind == S_IFREG && isDirectoryWritable
    }

    /// Whether `--force` is needed: there is a file, a link to a file, or a dangling link. Nothing is lost in a
    /// terminal or a pipe.
    private var isTaken: Bool {
        kind(followsLinks: false) != nil && [nil, S_IFREG].contains(kind(followsLinks: true))
    }

    /// The index at which the name begins.
    private var name: String.Index {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
    }

    private var directory: String { name == path.startIndex ? "." : String(path[..<name]) }

    private var isDirectoryWritable: Bool { access(ArgumentText.path(directory), W_OK | X_OK) == 0 }

    private func writeInPlace(_ bytes: Data) throws(OutputFolder.Failure) {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (overwrites || !isTaken ? O_TRUNC : O_EXCL)
        let mode: mode_t = 0o666
        let file = open(ArgumentText.path(path), flags, mode)
        if file < 0 { throw OutputFolder.Failure(code: errno) }
        try OutputFolder.write(bytes, andClose: file)
    }

    /// The type of the file at the path; nil if there is none.
    private func kind(followsLinks: Bool) -> mode_t? {
        var status = stat()
        let path = ArgumentText.path(path)
        let result = followsLinks ? stat(path, &status) : lstat(path, &status)
        return result == 0 ? status.st_mode & S_IFMT : nil
    }
}

extension OutputFile {
    /// Returns nil if the option isn't given.
    init?(_ option: String, _ given: Arguments) {
        guard let path = given.value(option) else { return nil }
        self.init(path: path, overwrites: given.has("--force"))
    }
}

extension Arguments {
    /// Throws if `--force` is given without one of the options that name what it overwrites.
    func requireOutput(_ options: String...) throws(UsageError) {
        guard has("--force"), !options.contains(where: has) else { return }
        throw refusal("--force needs \(options.joined(separator: " or "))")
    }
}
