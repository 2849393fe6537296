import Foundation
import Synchronization

/// Marks a thread while it runs something, so that code can find out whether it is called from there.
final class ThreadMark: Sendable {
    private let thread = Mutex<pthread_t?>(nil)

    func callAsFunction<Value>(_ body: () -> Value) -> Value {
        thread.withLock { $0 = pthread_self() }
        defer { thread.withLock { $0 = nil } }
        return body()
    }

    /// Whether the current thread is the marked one.
    var isHere: Bool { thread.withLock { $0 } == pthread_self() }
}
