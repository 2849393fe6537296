import Synchronization

/// The memory that this process may use.
///
/// It is read from the system's files once, on first use, on a thread that may block.
package final class ProcessMemory: Sendable {
    package static let shared = ProcessMemory { MemoryBudget.readProcessLimit() }

    private let read: @Sendable () -> Int
    /// Negative until it is known.
    private let known = Atomic(-1)
    /// The thread that reads the limit for all callers; nil once the limit is known.
    private let reader: Mutex<WorkerThreads?>

    /// - Parameters:
    ///   - label: The thread's name.
    ///   - read: Returns the number of bytes; may block.
    package init(label: String = "memory", read: @escaping @Sendable () -> Int) {
        reader = Mutex(WorkerThreads(label, count: 1))
        self.read = read
    }

    /// The number of bytes. Suspends only before it is known.
    package func limit() async -> Int {
        guard let reader = neededReader else { return known.load(ordering: .acquiring) }
        return await reader.run { self.readOnce() }
    }

    /// Like ``limit()``, but returns nil immediately when the calling Task is cancelled before the limit is known.
    package func limitUnlessCancelled() async -> Int? {
        guard let reader = neededReader else { return known.load(ordering: .acquiring) }
        return await reader.runUnlessCancelled { self.readOnce() }
    }

    /// The thread to wait for; nil once the limit is known.
    private var neededReader: WorkerThreads? {
        known.load(ordering: .acquiring) < 0 ? reader.withLock { $0 } : nil
    }

    /// Called on the reader's thread only.
    private func readOnce() -> Int {
        if known.load(ordering: .relaxed) < 0 {
            known.store(max(0, read()), ordering: .releasing)
            reader.withLock { $0 = nil }
        }
        return known.load(ordering: .relaxed)
    }
}
