import Synchronization

/// The memory that this process may use. The system's files that say how much are read once, when it is first asked for,
/// on a thread that may block.
package final class ProcessMemory: Sendable {
    package static let shared = ProcessMemory { MemoryBudget.readProcessLimit() }

    private let read: @Sendable () -> Int
    private let reading = Mutex<Void>(())
    /// Below zero before it is known.
    private let known = Atomic(-1)

    /// - Parameter read: brings the number of bytes; may block.
    package init(read: @escaping @Sendable () -> Int) { self.read = read }

    /// The number of bytes. Suspends only before it is known.
    package func limit() async -> Int {
        let limit = known.load(ordering: .relaxed)
        return limit >= 0 ? limit : await WorkerThreads("memory", count: 1).run { self.readOnce() }
    }

    /// ``limit()``, and nil at once when the calling Task is cancelled before it is known.
    package func limitUnlessCancelled() async -> Int? {
        let limit = known.load(ordering: .relaxed)
        return limit >= 0 ? limit : await WorkerThreads("memory", count: 1).runUnlessCancelled { self.readOnce() }
    }

    private func readOnce() -> Int {
        reading.withLock { _ in
            if known.load(ordering: .relaxed) < 0 { known.store(max(0, read()), ordering: .relaxed) }
            return known.load(ordering: .relaxed)
        }
    }
}
