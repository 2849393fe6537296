import Foundation

/// Threads created directly by the system.
///
/// Dispatch has some 250 threads for all queues of a process, and a blocked one is unavailable to the others.
/// Foundation doesn't report when a thread couldn't be created.
package enum SystemThread {
    /// Starts a thread. Returns false when the system can't create one.
    package typealias Start = @Sendable (_ label: String, _ body: @escaping @Sendable () -> Void) -> Bool

    /// Runs `body` on a new thread, which ends with it.
    ///
    /// - Returns: False when the system can't create a thread; `body` never runs in that case.
    package static func start(_ label: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let handle = Unmanaged.passRetained(ThreadBody(label, body))
        guard let thread = createThread(handle.toOpaque()) else {
            handle.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}

private final class ThreadBody {
    let label: String
    let run: @Sendable () -> Void

    init(_ label: String, _ run: @escaping @Sendable () -> Void) {
        self.label = label
        self.run = run
    }
}

/// Runs the body that a new thread was given. Called once, on that thread.
func runThread(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    let body = Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
    Thread.current.name = body.label
    body.run()
    return nil
}
