import Dispatch
import Testing

/// Runs a test with long computations on separate threads. On the cooperative pool, which has only as many threads as
/// there are cores, it would delay all other tests.
struct OwnThreads: TestTrait, SuiteTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Executor.shared) { try await function() }
    }

    private final class Executor: TaskExecutor {
        static let shared = Executor()

        private let queue = DispatchQueue(label: "tests", attributes: .concurrent)

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
}

extension Trait where Self == OwnThreads {
    /// See ``OwnThreads``.
    static var ownThreads: Self { Self() }
}
