import Alcedo
import AlcedoTestSupport
import Synchronization
import Testing

/// Worker threads on which a test lets one job run at a time. What is missing before a job and there right after it
/// was made on its thread.
///
/// The code under test must submit each job after the previous one has run.
final class SteppedThreads: Sendable {
    /// Keeps the threads that are to be started, until the test starts them.
    private final class Starter: Sendable {
        let (bodies, started) = AsyncStream.makeStream(of: WorkerThreads.Job.self)
        let isRefusing = Atomic(false)

        func start(_ label: String, _ body: @escaping WorkerThreads.Job) -> Bool {
            if isRefusing.load(ordering: .relaxed) { return false }
            started.yield(body)
            return true
        }
    }

    private let starter = Starter()
    private let gate = ThreadGate()
    let workers: WorkerThreads

    init() { workers = WorkerThreads("test", count: 64, start: starter.start) }

    deinit { gate.open() }

    /// Waits until a job is submitted and lets it run. Returns what `look` sees before and right after it.
    func runNext<Seen: Sendable>(_ look: @escaping @Sendable () -> Seen) async throws -> (before: Seen, after: Seen) {
        var bodies = starter.bodies.makeAsyncIterator()
        let body = try #require(await bodies.next())
        let before = look()
        let after = await withCheckedContinuation { continuation in
            // The same thread looks, and is then held, so that the next job needs another one.
            starter.isRefusing.store(true, ordering: .relaxed)
            workers.submit { [gate] in
                continuation.resume(returning: look())
                gate.enter()
            }
            starter.isRefusing.store(false, ordering: .relaxed)
            #expect(SystemThread.start("test", body))
        }
        return (before, after)
    }
}
