import Dispatch

/// Runs an actor on a queue of its own, so that it may make blocking calls. The cooperative pool has only as many
/// threads as there are cores, and must not be blocked.
public final class BlockingExecutor: SerialExecutor {
    private let queue: DispatchQueue

    public init(_ label: String) { queue = DispatchQueue(label: label) }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
