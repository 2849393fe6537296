import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

/// A process that is killed while it writes leaves whole entries only.
@Suite(.timeLimit(.minutes(2))) struct CrashTests {
    static let bodyCount = 200

    /// Bytes that tell their own number and length apart from any other's.
    static func body(_ number: Int) -> Data {
        Data((0..<(1000 + number * 97)).map { UInt8(truncatingIfNeeded: $0 &* (number + 3)) })
    }

    static func key(_ number: Int) -> ResourceKey { ResourceKey(text: "http://h/\(number)") }

    @Test(arguments: [1, 3, 10, 30, 70, 120])
    func afterAKill_everyEntryIsWhole(writes: Int) async throws {
        let temporary = try TemporaryDirectory()
        let directory = temporary.path + "/cache"
        await #expect(processExitsWith: .signal(SIGKILL)) { [directory = directory as String, writes = writes as Int] in
            let files = KillingFileSystem(after: writes)
            let store = DiskStore(directory: directory, byteLimit: 1 << 30, files: files)
            for number in 0..<CrashTests.bodyCount {
                await store.store(CrashTests.body(number), for: CrashTests.key(number), begun: store.ticket())
            }
            await store.flush()
        }
        let left = try temporary.names(in: "cache")
        #expect(left.count >= writes - 1)

        let failures = Recorder<CacheFailure>()
        let store = DiskStore(directory: directory, byteLimit: 1 << 30) { failures.record($0) }
        var whole = 0
        for number in 0..<Self.bodyCount {
            guard let body = await store.body(for: Self.key(number)) else { continue }
            #expect(body == Self.body(number))
            whole += 1
        }
        await store.flush()
        #expect(failures.values.isEmpty)
        // What was half written is gone, and what was published is there.
        #expect(try temporary.names(in: "cache").count == whole)
        #expect(whole == writes - 1 || whole == writes)
    }
}

/// Kills its process in the middle of a write: from a second thread, while the bytes go out.
private final class KillingFileSystem: FileSystem {
    private let base = PosixFileSystem()
    private let writes = Recorder<Int>()
    private let lastWrite: Int

    init(after lastWrite: Int) { self.lastWrite = lastWrite }

    func read(_ path: String, byteLimit: Int) throws(FileError) -> Data { try base.read(path, byteLimit: byteLimit) }

    func create(_ path: String, _ parts: [Data]) throws(FileError) {
        writes.record(1)
        if writes.values.count == lastWrite {
            Thread.detachNewThread { kill(getpid(), SIGKILL) }
            for byte in parts.flatMap({ $0 }) { try appendSlowly(byte, to: path) }
            while true { pause() }
        }
        try base.create(path, parts)
    }

    func rename(_ path: String, to newPath: String) throws(FileError) { try base.rename(path, to: newPath) }
    func remove(_ path: String) throws(FileError) { try base.remove(path) }
    func createDirectory(_ path: String) throws(FileError) { try base.createDirectory(path) }
    func list(_ path: String) throws(FileError) -> [FileEntry] { try base.list(path) }

    /// One byte at a time, so that the kill comes in between.
    private func appendSlowly(_ byte: UInt8, to path: String) throws(FileError) {
        guard let file = fopen(path, "ab") else { throw FileError(call: "fopen", path: path, code: errno) }
        fputc(Int32(byte), file)
        fclose(file)
    }
}
