import Dispatch

/// What a row of the table calls, with a note right after it.
typealias Call = @Sendable (Resumption) async throws -> Void

/// An actor that calls what is tested.
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

    /// Returns once the actor is free, so that a call that it began has returned or waits for something.
    func turn() {}
}

/// The isolations that every call is tested in.
enum Sites {
    static func make() -> [any Site] { [MainActor.shared, PlainActor(), QueueActor()] }
}

extension MainActor: Site {}

/// An actor with the default executor, which switches to other such actors without leaving its thread.
actor PlainActor: Site {}

/// An actor with an executor of its own.
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
