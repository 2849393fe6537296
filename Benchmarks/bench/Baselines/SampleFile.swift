import Foundation

/// A file that both sides of a case read, and that a process which does not measure has written.
struct SampleFile: Sendable {
    let name: String
    /// Its bytes; may cost much memory.
    let make: @Sendable () throws -> Data

    func path(in folder: String) -> String { folder + name }

    func write(to folder: String) throws {
        try make().write(to: URL(filePath: path(in: folder)))
    }

    func read(in folder: String) throws -> Data { try Data(contentsOf: URL(filePath: path(in: folder))) }

    /// Holds the file and so many more bytes in memory at once.
    func hold(in folder: String, and bytes: Int) throws {
        let data = try read(in: folder)
        blackHole([UInt8](repeating: 1, count: bytes))
        blackHole(data)
    }
}
