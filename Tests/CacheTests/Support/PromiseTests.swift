import Dispatch
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct PromiseTests {
    @Test func waiter_getsTheFirstValue() async {
        let promise = Promise<Int>()
        #expect(promise.end(1))
        #expect(!promise.end(2))
        #expect(await promise.value {} == 1)
    }

    @Test func cancelledWaiter_callsOnCancel_onceItIsCancelled() async {
        let promise = Promise<Int>()
        let task = Task { await promise.value { promise.end(-1) } }
        task.cancel()
        #expect(await task.value == -1)
    }

    /// Runs what isn't isolated to an actor, and counts it.
    private final class CountingExecutor: TaskExecutor {
        let count = Atomic(0)
        private let queue = DispatchQueue(label: "counting")

        func enqueue(_ job: consuming ExecutorJob) {
            count.add(1, ordering: .relaxed)
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }

        /// Waits until the jobs so far have run.
        func drain() async { await withCheckedContinuation { done in queue.async { done.resume() } } }
    }

    private static func wait(_ promise: Promise<Int>) async -> Int { await promise.value { promise.end(-1) } }

    /// Waits on the main actor. Returns how many jobs ran elsewhere for that.
    @MainActor private static func jobs(
        toWaitFor promise: Promise<Int>, on executor: CountingExecutor, _ begun: Recorder<Bool>
    ) async -> Int {
        let before = executor.count.load(ordering: .relaxed)
        begun.record(true)
        let value = await wait(promise)
        #expect(value == 7)
        return executor.count.load(ordering: .relaxed) - before
    }

    /// The system resumes any Task in a job elsewhere. If the Task had left the actor to wait, it would take two jobs.
    @Test func waiter_waitsOnItsActor() async {
        let (executor, promise, begun) = (CountingExecutor(), Promise<Int>(), Recorder<Bool>())
        let task = Task(executorPreference: executor) {
            await Self.jobs(toWaitFor: promise, on: executor, begun)
        }
        await begun.wait { !$0.isEmpty }
        // If the Task left the main actor, it waits by now.
        await MainActor.run {}
        await executor.drain()
        await MainActor.run { _ = promise.end(7) }
        #expect(await task.value <= 1)
    }
}
