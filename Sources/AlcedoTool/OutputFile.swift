import Foundation

/// A file that an option names. One that exists is overwritten only with `--force`.
struct OutputFile: Equatable {
    let path: String
    var overwrites = false

    /// Whether the file may be written. Prints an error if it exists, is a directory or has none to be in, so that
    /// nothing is loaded in vain.
    func mayBeWritten(_ console: Console) -> Bool {
        guard let code = obstacle else { return true }
        console.error("\(path): \(OutputFolder.Failure(code: code).reason)")
        return false
    }

    /// The code of the error that writing would fail with.
    private var obstacle: Int32? {
        let kind = kind(followsLinks: true)
        if kind == S_IFDIR { return EISDIR }
        if kind == S_IFREG, !overwrites { return EEXIST }
        return isSaved && access(directory, W_OK | X_OK) != 0 ? errno : nil
    }

    /// Writes the file. Returns false, and prints why, if that fails. A file that has come to exist is such a failure.
    ///
    /// The file gets its name once it is complete. What a link leads to, as that of /dev/stdout, is written in place.
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

    /// Whether there is a regular file or nothing.
    private var isSaved: Bool { [nil, S_IFREG].contains(kind(followsLinks: false)) }

    /// Where the name begins.
    private var name: String.Index {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
    }

    private var directory: String { name == path.startIndex ? "." : String(path[..<name]) }

    private func writeInPlace(_ bytes: Data) throws(OutputFolder.Failure) {
        // Nothing is lost in a terminal or a pipe.
        let replaces = overwrites || ![nil, S_IFREG].contains(kind(followsLinks: true))
        do {
            try bytes.write(to: URL(fileURLWithPath: path), options: replaces ? [] : .withoutOverwriting)
        } catch {
            if (error as? CocoaError)?.code == .fileWriteFileExists { throw OutputFolder.Failure(code: EEXIST) }
            throw OutputFolder.Failure(reason: ErrorText.of(error))
        }
    }

    /// The kind of what is there; nil if there is nothing.
    private func kind(followsLinks: Bool) -> mode_t? {
        var status = stat()
        let result = followsLinks ? stat(path, &status) : lstat(path, &status)
        return result == 0 ? status.st_mode & S_IFMT : nil
    }
}

extension OutputFile {
    /// Nil without the option.
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
