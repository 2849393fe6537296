#if os(Linux) && Curl
import Foundation
import Synchronization

/// Keeps curl's threads from crashing the process while it exits.
///
/// The threads run until their loaders are released, which in many programs never happens. OpenSSL's exit handler frees
/// memory that a thread uses to open a connection.
enum CurlExit {
    /// The number of threads that call curl at the moment.
    private static let callers = Atomic(0)
    private static let isExiting = Atomic(false)

    /// The longest time in milliseconds for which the exit waits for those threads. The exiting thread may be one of
    /// them.
    private static let longestWait = 1_000

    /// Registers the exit handler. The system calls the handlers in reverse order, so OpenSSL's must be registered
    /// already.
    static func register() {
        atexit {
            CurlExit.isExiting.store(true, ordering: .sequentiallyConsistent)
            for _ in 0..<CurlExit.longestWait where CurlExit.callers.load(ordering: .sequentiallyConsistent) > 0 {
                usleep(1_000)
            }
        }
    }

    /// Makes calls into curl. Doesn't return while the process exits.
    static func calling(_ body: () -> Void) {
        callers.add(1, ordering: .sequentiallyConsistent)
        let isExiting = isExiting.load(ordering: .sequentiallyConsistent)
        if !isExiting { body() }
        callers.subtract(1, ordering: .sequentiallyConsistent)
        while isExiting { sleep(1) }
    }
}
#endif
