#if canImport(Network)
import Network
import Synchronization

/// Low Data Mode, which users set for networks that cost them money.
final class LowDataMode: Sendable {
    private let monitor = NWPathMonitor()
    private let paths = Mutex<Task<Void, Never>?>(nil)

    /// Calls `handle` with the current state, and then whenever it changes, until this object is released.
    func observe(_ handle: @escaping @Sendable (Bool) -> Void) {
        let task = Task { [monitor] in for await path in monitor { handle(path.isConstrained) } }
        paths.withLock { $0 = task }
    }

    // The documentation doesn't say that a cancelled monitor ends its sequence.
    deinit {
        monitor.cancel()
        paths.withLock { $0?.cancel() }
    }
}
#endif
