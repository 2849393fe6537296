import Foundation
import Testing

/// A directory of a test's own, removed with the value.
final class TemporaryDirectory: Sendable {
    let url: URL
    var path: String { url.path }

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("alcedo-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // A store that is dropped still writes what it was given, and a directory that fills can't be removed.
        for _ in 0..<1000 {
            do {
                return try FileManager.default.removeItem(at: url)
            } catch {
                continue
            }
        }
        Issue.record("\(path) can't be removed")
    }

    /// The names in `directory` below it, hidden ones too.
    func names(in directory: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path + "/" + directory).sorted()
    }
}
