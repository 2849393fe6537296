import Foundation

/// A file that an option names. One that exists is overwritten only with `--force`.
struct OutputFile: Equatable {
    let path: String
    var overwrites = false

    /// Whether the file may be written. Prints an error if it exists or is a directory, so that nothing is loaded in
    /// vain.
    func mayBeWritten(_ console: Console) -> Bool {
        let isDirectory = kind == S_IFDIR
        guard isDirectory || !overwrites && kind == S_IFREG else { return true }
        console.error("\(path): \(OutputFolder.Failure(code: isDirectory ? EISDIR : EEXIST).reason)")
        return false
    }

    /// Writes the file. Returns false, and prints why, if that fails. A file that has come to exist is such a failure.
    func write(_ bytes: Data, on console: Console) -> Bool {
        // Nothing is lost in a terminal or a pipe.
        let replaces = overwrites || kind != nil && kind != S_IFREG
        do {
            try bytes.write(to: URL(fileURLWithPath: path), options: replaces ? [] : .withoutOverwriting)
            return true
        } catch {
            let exists = (error as? CocoaError)?.code == .fileWriteFileExists
            let reason = exists ? OutputFolder.Failure(code: EEXIST).reason : ErrorText.of(error)
            console.error("\(path): \(reason)")
            return false
        }
    }

    /// The kind of what is there; nil if there is nothing.
    private var kind: mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
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
