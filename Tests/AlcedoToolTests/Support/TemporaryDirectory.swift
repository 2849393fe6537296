import Foundation
import Testing

/// A directory of a test's own, removed with the value.
final class TemporaryDirectory: Sendable {
    let url: URL
    var path: String { url.path }

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("alcedo-tool-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        do { try FileManager.default.removeItem(at: url) } catch { Issue.record(error) }
    }

    func file(_ name: String) -> String { path + "/" + name }

    func names(in directory: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: file(directory)).sorted()
    }
}
