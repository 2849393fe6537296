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

    static func key(_ number: Int) -> DiskKey { DiskKey("http://h/\(number)") }

    @Test(arguments: [1, 3, 10, 30, 70, 120])
    func afterAKill_everyEntryIsWhole(writes: Int) async throws {
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
        #expect(try temporary.names(in: "cache/entries").count == writes - 1)
        #expect(try temporary.names(in: "cache/temporary").count == 1)

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
        #expect(whole == writes - 1)
    }
}
