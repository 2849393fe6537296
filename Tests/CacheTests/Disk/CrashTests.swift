import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// A process that is killed while it writes leaves whole entries only.
@Suite(.timeLimit(.minutes(2))) struct CrashTests {
    static let bodyCount = 200

    /// Bytes that tell their own number and length apart from any other's.
    static func body(_ number: Int) -> Data {
        Data((0..<(1000 + number * 97)).map { UInt8(truncatingIfNeeded: $0 &* (number + 3)) })
    }

    static func key(_ number: Int) -> StoredKey { StoredKey("http://h/\(number)") }

    /// The index file tells of what is about to be done before it is: of an entry that is there already it must not say
    /// what the file does not.
    @Test(arguments: [SystemCall.rename, .writev])
    func file_winsOverIndex(call: SystemCall) async throws {
        let cache = try DiskFixture()
        let disk = cache.makeStore()
        await cache.store(cache.key, in: disk, tags: ["old"])
        let gate = ThreadGate()
        cache.files.hold(call, on: "/entries/", at: gate)
        var metadata = EntryMetadata(source: cache.key.source)
        metadata.tags = ["new"]
        if call == .rename {
            await disk.store(Data("new".utf8), metadata, for: cache.key, expires: 1, begun: disk.ticket())
        } else {
            await disk.update(metadata, for: cache.key, expires: 1)
        }
        await gate.arrivals(1)
        // As a process that is killed now leaves it.
        let path = cache.temporary.file("left")
        try DirectoryCopy(of: cache.path).write(to: path)
        gate.open()
        for (tag, count) in [("new", 0), ("old", 1)] {
            let other = DiskStore(directory: path, byteLimit: 1 << 20)
            #expect(await other.body(for: cache.key) == cache.body)
            #expect(await other.remove(.tag(tag)).count == count, "\(tag)")
        }
    }

    @Test(arguments: [1, 3, 10, 30, 70, 120])
    func everyEntry_isWhole_afterKill(writes: Int) async throws {
        let temporary = try TemporaryDirectory()
        let directory = temporary.path + "/cache"
        await #expect(processExitsWith: .signal(SIGKILL)) { [directory = directory as String, writes = writes as Int] in
            let calls = FaultySystemCalls()
            let store = DiskStore(directory: directory, byteLimit: 1 << 30, files: calls)
            await store.settle()
            calls.killProcess(atWrite: writes, on: "/temporary/")
            for number in 0..<CrashTests.bodyCount {
                await store.store(CrashTests.body(number), for: CrashTests.key(number), begun: store.ticket())
            }
            await store.flush()
        }
        // Those written together get their names together.
        let left = try ["entries", "temporary"].map { try temporary.names(in: "cache/" + $0).count }
        #expect(left[0] + left[1] == writes)
        #expect(left[1] > 0)

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
        #expect(try temporary.names(in: "cache/temporary").isEmpty)
        #expect(try temporary.names(in: "cache/entries").count == whole)
        #expect(whole == left[0])
    }
}
