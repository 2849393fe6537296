import Dispatch

/// A call from a row of the table, with a note right after it.
typealias Call = @Sendable (Resumption) async throws -> Void

/// An actor from which calls are tested.
protocol Site: Actor {}

extension Site {
    func run(_ call: Call, _ resumption: Resumption) async -> Result<Void, any Error> {
        resumption.note()
        do {
            return .success(try await call(resumption))
        } catch {
            return .failure(error)
        }
    }

    /// Returns once the actor is free, so that a call that it began has returned or is waiting.
    func turn() {}
}

/// The isolations from which every call is tested.
enum Sites {
    static func make() -> [any Site] { [MainActor.shared, PlainActor(), QueueActor()] }
}

extension MainActor: Site {}

/// An actor with the default executor, which switches to other actors of that kind without leaving its thread.
actor PlainActor: Site {}

/// An actor with its own executor.
actor QueueActor: Site {
    private let executor = QueueExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}

private final class QueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "alcedo.test.executor")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
