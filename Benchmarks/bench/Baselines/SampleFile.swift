import Foundation

/// A file that both sides of a case read, written by a process that isn't measured.
struct SampleFile: Sendable {
    let name: String
    /// Creates the bytes of the file; may use much memory.
    let make: @Sendable () throws -> Data

    func path(in folder: String) -> String { folder + name }

    func write(to folder: String) throws {
        try make().write(to: URL(filePath: path(in: folder)))
    }

    func read(in folder: String) throws -> Data { try Data(contentsOf: URL(filePath: path(in: folder))) }

    /// Holds the file and `bytes` more bytes in memory simultaneously.
    func hold(in folder: String, and bytes: Int) throws {
        let data = try read(in: folder)
        blackHole([UInt8](repeating: 1, count: bytes))
        blackHole(data)
    }
}
