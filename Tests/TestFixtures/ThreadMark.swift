import Foundation
import Synchronization

/// Marks a thread while it runs something, so that others find out whether they run beneath that.
final class ThreadMark: Sendable {
    private let thread = Mutex<pthread_t?>(nil)

    func callAsFunction<Value>(_ body: () -> Value) -> Value {
        thread.withLock { $0 = pthread_self() }
        defer { thread.withLock { $0 = nil } }
        return body()
    }

    /// Whether the marked thread calls this.
    var isHere: Bool { thread.withLock { $0 } == pthread_self() }
}
