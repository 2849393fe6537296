package import Foundation
import Synchronization

/// A directory for one test, removed with the value.
package final class TemporaryDirectory: Sendable {
    package let url: URL
    package var path: String { url.path }

    /// - Parameter isInMemory: Whether it is in memory, if the system has a place for that: for tests that would mostly
    ///   wait for the device.
    package init(isInMemory: Bool = false) throws {
        let memory = "/dev/shm"
        let parent =
            isInMemory && access(memory, W_OK) == 0
            ? URL(fileURLWithPath: memory) : FileManager.default.temporaryDirectory
        url = parent.appendingPathComponent("alcedo-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        Self.removesAllAtExit
        Self.all.withLock { $0.append(url) }
    }

    private static let all = Mutex<[URL]>([])
    /// A store that opens while it is dropped recreates its directory.
    private static let removesAllAtExit: Void = {
        atexit {
            for url in TemporaryDirectory.all.withLock({ $0 }) where access(url.path, F_OK) == 0 {
                _ = Result { try FileManager.default.removeItem(at: url) }
            }
        }
    }()

    deinit {
        // A store that is dropped still writes what it was given, and a directory that receives files can't be removed.
        for _ in 0..<1_000 {
            do {
                return try FileManager.default.removeItem(at: url)
            } catch {
                continue
            }
        }
        assertionFailure("\(path) can't be removed")
    }

    /// The path of a file in it.
    package func file(_ name: String) -> String { path + "/" + name }

    /// The names in its subdirectory `directory`, including hidden ones.
    package func names(in directory: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: file(directory)).sorted()
    }

    /// The regular files in its subdirectory `directory`, at any depth.
    package func files(in directory: String) throws -> [URL] {
        try FileManager.default.subpathsOfDirectory(atPath: file(directory)).sorted()
            .map { url.appendingPathComponent(directory).appendingPathComponent($0) }
            .filter { try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true }
    }
}
