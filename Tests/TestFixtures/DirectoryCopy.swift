import Foundation
import Testing

/// A snapshot of the files of a directory, which can be written to other places any number of times.
struct DirectoryCopy: Sendable {
    private var directories: [String] = []
    private var files: [String: Data] = [:]

    init() {}

    init(of path: String) throws {
        let url = URL(fileURLWithPath: path)
        for name in try FileManager.default.subpathsOfDirectory(atPath: path).sorted() {
            let isDirectory = try url.appendingPathComponent(name).resourceValues(forKeys: [.isDirectoryKey])
                .isDirectory
            if isDirectory == true {
                directories.append(name)
            } else {
                files[name] = try Data(contentsOf: url.appendingPathComponent(name))
            }
        }
    }

    /// The bytes of a file; empty if there is no such file.
    subscript(name: String) -> Data { files[name] ?? Data() }

    /// Creates the directory at `path`, after `change` has changed the files.
    func write(to path: String, _ change: (inout [String: Data]) -> Void = { _ in }) throws {
        var files = files
        change(&files)
        for name in [""] + directories.map({ "/" + $0 }) { try #require(mkdir(path + name, 0o700) == 0) }
        for (name, bytes) in files {
            // Foundation would wait for the device.
            let file = try #require(fopen(path + "/" + name, "w"))
            #expect(bytes.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) } == bytes.count)
            #expect(fclose(file) == 0)
        }
    }
}
