import Foundation
import Synchronization

/// Idle threads that may help with a job.
package struct IdleThreads: Sendable {
    /// The maximum number of threads that may help.
    let count: Int
    /// Calls the closure on an idle thread, or returns false if there is none.
    let lend: @Sendable (@escaping @Sendable (_ isNeededElsewhere: () -> Bool) -> Void) -> Bool

    /// No threads.
    static let none = IdleThreads(count: 0) { _ in false }
}

/// A job that is split into bands of rows, done by the calling thread and by idle ones.
///
/// A helper that starts when all bands are taken does nothing, so the job doesn't wait for it.
final class BandWork: Sendable {
    private let count: Int
    private let rows: Int
    private let cancellation: DecodeCancellation
    private let body: @Sendable (Range<Int>) -> Void
    private let next = Atomic(0)
    private let helping = Mutex(0)
    private let done = NSCondition()

    init(
        _ count: Int, rows: Int, _ cancellation: DecodeCancellation, _ body: @escaping @Sendable (Range<Int>) -> Void
    ) {
        self.count = count
        self.rows = min(max(1, rows), max(1, count))
        self.cancellation = cancellation
        self.body = body
    }

    /// Does the whole job, and returns when no thread works on it anymore.
    func run(with threads: IdleThreads) {
        let bands = (count + rows - 1) / rows
        for _ in 0..<max(0, min(threads.count, bands - 1)) {
            guard threads.lend({ [self] in help(until: $0) }) else { break }
        }
        takeBands { false }
        done.lock()
        while helping.withLock({ $0 > 0 }) { done.wait() }
        done.unlock()
    }

    private func help(until isNeededElsewhere: () -> Bool) {
        helping.withLock { $0 += 1 }
        takeBands(until: isNeededElsewhere)
        done.lock()
        helping.withLock { $0 -= 1 }
        done.broadcast()
        done.unlock()
    }

    private func takeBands(until isOver: () -> Bool) {
        while !cancellation.isCancelled, !isOver() {
            let start = next.add(rows, ordering: .acquiringAndReleasing).oldValue
            guard start < count else { return }
            body(start..<min(start + rows, count))
        }
    }
}
