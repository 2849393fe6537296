import Foundation

/// A file that an option names. One that exists is overwritten only with `--force`.
struct OutputFile: Equatable {
    let path: String
    var overwrites = false

    /// Whether the file may be written. Prints an error if it exists, so that nothing is loaded in vain.
    func mayBeWritten(_ console: Console) -> Bool {
        var status = stat()
        guard !overwrites, lstat(path, &status) == 0 else { return true }
        console.error("\(path): \(OutputFolder.Failure(code: EEXIST).reason)")
        return false
    }

    /// Writes the file. Returns false, and prints why, if that fails, also because the file exists by now.
    func write(_ bytes: Data, on console: Console) -> Bool {
        do {
            try bytes.write(to: URL(fileURLWithPath: path), options: overwrites ? [] : .withoutOverwriting)
            return true
        } catch {
            let exists = (error as? CocoaError)?.code == .fileWriteFileExists
            let reason = exists ? OutputFolder.Failure(code: EEXIST).reason : ErrorText.of(error)
            console.error("\(path): \(reason)")
            return false
        }
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
