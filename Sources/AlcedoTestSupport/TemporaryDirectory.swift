public import Foundation
import Synchronization

/// A directory for one test, such as for a disk cache.
///
/// ```swift
/// let directory = try TemporaryDirectory()
/// configuration.disk = DiskStore.Settings(directory: directory.url)
/// ```
///
/// The directory and its contents are removed when the value is deallocated, so keep the value while the test runs. If
/// a cache still writes to the directory then, it is removed when the process exits.
public final class TemporaryDirectory: Sendable {
    /// The directory. It exists, is empty at first, and has a unique name in the system's directory of temporary files.
    public let url: URL
    package var path: String { url.path }

    /// Creates the directory.
    ///
    /// - Throws: The error of the file system, such as a full disk.
    public convenience init() throws { try self.init(isInMemory: false) }

    /// - Parameter isInMemory: Whether the directory is in memory, if the system has a place for that. Use this for
    ///   tests that would mostly wait for the device.
    package init(isInMemory: Bool) throws {
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
    /// A store that opens or writes while it is being dropped recreates its directory, or keeps it from being removed.
    private static let removesAllAtExit: Void = {
        atexit {
            for url in TemporaryDirectory.all.withLock({ $0 }) where access(url.path, F_OK) == 0 {
                _ = Result { try FileManager.default.removeItem(at: url) }
            }
        }
    }()

    deinit {
        // A store that is being dropped still finishes its writes, and a directory that receives files can't be
        // removed.
        for _ in 0..<1_000 {
            do {
                return try FileManager.default.removeItem(at: url)
            } catch {
                continue
            }
        }
    }

    /// The path of a file in the directory.
    package func file(_ name: String) -> String { path + "/" + name }

    /// The names in the subdirectory `directory`, including hidden ones.
    package func names(in directory: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: file(directory)).sorted()
    }

    /// The regular files in the subdirectory `directory`, at any depth.
    package func files(in directory: String) throws -> [URL] {
        try FileManager.default.subpathsOfDirectory(atPath: file(directory)).sorted()
            .map { url.appendingPathComponent(directory).appendingPathComponent($0) }
            .filter { try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true }
    }
}
