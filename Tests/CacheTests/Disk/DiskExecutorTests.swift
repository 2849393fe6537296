import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// What a look-up runs on.
@Suite(.timeLimit(.minutes(1))) struct DiskExecutorTests: DiskSuite {
    let cache: DiskFixture

    init() throws { cache = try DiskFixture() }

    @Test func read_runsOffCallersActor() async throws {
        let disk = makeStore()
        await store(key, in: disk)
        let caller = Caller()
        for _ in 0..<20 {
            let (found, turns) = await caller.read(key, from: disk)
            #expect(found == body)
            #expect(turns == 1)
        }
    }
}

/// An actor that counts its turns.
private actor Caller {
    private let executor = CountingExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func read(_ key: StoredKey, from disk: DiskStore) async -> (Data?, turns: Int) {
        let before = executor.turns
        let found = await disk.entry(for: key)?.body
        return (found, executor.turns - before)
    }
}

private final class CountingExecutor: SerialExecutor {
    private let threads = WorkerThreads("test", count: 1)
    private let count = Atomic(0)

    var turns: Int { count.load(ordering: .relaxed) }

    func enqueue(_ job: consuming ExecutorJob) {
        count.add(1, ordering: .relaxed)
        let job = UnownedJob(job)
        threads.submit { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
