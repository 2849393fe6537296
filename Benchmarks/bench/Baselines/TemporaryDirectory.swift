import Foundation

/// A directory for a case's files, in the system's temporary directory (`TMPDIR` overrides it).
struct TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        let parent = FileManager.default.temporaryDirectory
        let directory = parent.appending(path: "alcedo-bench-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        path = directory.path(percentEncoded: false)
    }

    /// The path of a file in the directory.
    func file(_ name: String) -> String { path + name }

    /// Removes the directory with its contents. A failure is reported, but doesn't invalidate a measurement.
    func remove() {
        // A store that is being dropped may still write, and a directory that receives files can't be removed.
        for attempt in 1...100 {
            do {
                return try FileManager.default.removeItem(atPath: path)
            } catch {
                if attempt == 100 { printError("cannot remove \(path): \(error)") }
            }
        }
    }
}
