#if canImport(Network)
import Network

/// Reports whether there is a network: now, and after each change, until it is released.
final class ConnectivityWatcher: Sendable {
    private let monitor: NWPathMonitor
    private let paths: Task<Void, Never>

    /// - Parameter onReport: Called on no particular thread. It should not retain the watcher.
    init(onReport: @escaping @Sendable (Bool) -> Void) {
        let monitor = NWPathMonitor()
        self.monitor = monitor
        // A network that is connected on demand counts.
        paths = Task.detached { for await path in monitor { onReport(path.status != .unsatisfied) } }
    }

    // The documentation doesn't say that a cancelled monitor ends its sequence.
    deinit {
        monitor.cancel()
        paths.cancel()
    }
}
#endif
