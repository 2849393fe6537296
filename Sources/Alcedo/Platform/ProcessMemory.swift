import Synchronization

/// The memory that this process may use. The system's files that say how much are read once, when it is first asked
/// for, on a thread that may block.
package final class ProcessMemory: Sendable {
    package static let shared = ProcessMemory { MemoryBudget.readProcessLimit() }

    private let read: @Sendable () -> Int
    /// Below zero before it is known.
    private let known = Atomic(-1)
    /// One thread for all who ask before it is known; nil after that.
    private let reader = Mutex<WorkerThreads?>(WorkerThreads("memory", count: 1))

    /// - Parameter read: brings the number of bytes; may block.
    package init(read: @escaping @Sendable () -> Int) { self.read = read }

    /// The number of bytes. Suspends only before it is known.
    package func limit() async -> Int {
        let limit = known.load(ordering: .acquiring)
        if limit >= 0 { return limit }
        guard let reader = reader.withLock({ $0 }) else { return known.load(ordering: .acquiring) }
        return await reader.run { self.readOnce() }
    }

    /// ``limit()``, and nil at once when the calling Task is cancelled before it is known.
    package func limitUnlessCancelled() async -> Int? {
        let limit = known.load(ordering: .acquiring)
        if limit >= 0 { return limit }
        guard let reader = reader.withLock({ $0 }) else { return known.load(ordering: .acquiring) }
        return await reader.runUnlessCancelled { self.readOnce() }
    }

    /// On the one thread.
    private func readOnce() -> Int {
        if known.load(ordering: .relaxed) < 0 {
            known.store(max(0, read()), ordering: .releasing)
            reader.withLock { $0 = nil }
        }
        return known.load(ordering: .relaxed)
    }
}
