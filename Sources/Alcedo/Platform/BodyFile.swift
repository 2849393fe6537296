import Foundation
import Synchronization

/// An unnamed file into which a body is received. It is removed with its last reference.
///
/// The disk cache can give it a name, which makes it an entry without copying its bytes. While it has no name, no other
/// program can truncate it, so its bytes can be mapped.
package final class BodyFile: Sendable {
    private struct State {
        var count = 0
        var hasName = false
        weak var mapping: Mapping?
    }

    let files: FileSystem
    let descriptor: Int32
    private let directory: String
    private let state = Mutex(State())

    /// Creates an empty file in a directory. Blocks.
    package init(in directory: String, _ files: FileSystem) throws(FileError) {
        self.files = files
        self.directory = directory
        descriptor = try files.openUnnamed(in: directory)
    }

    // Closing frees the file's blocks, which may take a while.
    deinit { Self.threads.submit { [files, descriptor, directory] in files.close(descriptor, directory) } }

    /// The thread for slow operations on such files.
    static let threads = WorkerThreads("bodies", count: 1)

    package var count: Int { state.withLock { $0.count } }

    /// Appends bytes. Blocks if the system can't accept them immediately.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        guard let start = bytes.baseAddress else { return }
        let data = Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count, deallocator: .none)
        do throws(FileError) {
            try files.write([data], to: descriptor, directory)
        } catch {
            // Nothing may follow bytes that were written in part.
            try files.truncate(descriptor, to: count, directory)
            throw error
        }
        state.withLock { $0.count += bytes.count }
    }

    /// The bytes from `start` up to, but not including, `end`. Blocks.
    func read(from start: Int, to end: Int) throws(FileError) -> Data {
        let data = try files.read(descriptor, from: start, to: end, directory)
        if data.count < end - start { throw FileError(call: "pread", path: directory, code: EIO) }
        return data
    }

    /// The bytes of a complete body, mapped without a copy. Nil once the file has a name.
    func mapped() -> Data? {
        let mapping = state.withLock { state -> Mapping? in
            if state.hasName { return nil }
            if let mapping = state.mapping { return mapping }
            let mapping = Mapping(descriptor, count: state.count)
            state.mapping = mapping
            return mapping
        }
        return mapping?.data
    }

    /// Calls `link` to give the file a name, unless its bytes are mapped. Returns whether the file got one.
    func name(_ link: () throws(FileError) -> Bool) throws(FileError) -> Bool {
        let isMapped = state.withLock { state in
            if state.mapping == nil, !state.hasName {
                state.hasName = true
                return false
            }
            return true
        }
        if isMapped { return false }
        var isNamed = false
        defer { if !isNamed { state.withLock { $0.hasName = false } } }
        isNamed = try link()
        return isNamed
    }
}

/// A directory for large bodies.
package final class BodyPlace: Sendable {
    private let directory: String
    private let files: FileSystem
    /// The size in bytes of the largest body that stays in memory.
    let memoryLimit: Int

    init(_ directory: String, _ files: FileSystem = FileSystem(), above memoryLimit: Int) {
        (self.directory, self.files, self.memoryLimit) = (directory, files, memoryLimit)
    }

    /// The system's directory for temporary files.
    static let temporaryDirectory = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path

    /// Creates an empty file, in the directory for temporary files if this one doesn't exist yet. Blocks.
    package func makeFile() throws(FileError) -> BodyFile {
        do throws(FileError) {
            return try BodyFile(in: directory, files)
        } catch {
            if error.isNotFound { return try BodyFile(in: Self.temporaryDirectory, files) }
            throw error
        }
    }
}

/// The bytes of a file, mapped until the last `Data` that refers to them is released.
private final class Mapping: Sendable {
    let count: Int
    private let address: UInt

    init?(_ file: Int32, count: Int) {
        guard count > 0, let start = mmap(nil, count, PROT_READ, MAP_SHARED, file, 0), start != MAP_FAILED else {
            return nil
        }
        self.count = count
        address = UInt(bitPattern: start)
    }

    deinit { munmap(UnsafeMutableRawPointer(bitPattern: address), count) }

    var data: Data? {
        UnsafeMutableRawPointer(bitPattern: address).map { start in
            Data(bytesNoCopy: start, count: count, deallocator: .custom { _, _ in withExtendedLifetime(self) {} })
        }
    }
}
