import Foundation
import Testing

/// The files of a directory as they were at some moment, to be put elsewhere as often as is wanted.
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

    /// The bytes of a file; none when there is no such file.
    subscript(name: String) -> Data { files[name] ?? Data() }

    /// Makes the directory anew at `path`, with files that are another's in the way that `change` says.
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
