#if canImport(Network)
public import Alcedo
import Network
public import Observation

/// Reports whether there is a network connection, and whether it is constrained or expensive.
///
/// ```swift
/// // Failed loads are retried when there is a connection again.
/// settings.slot.connectivity = network.connectivity
/// let url = network.isConstrained ? small : large
/// ```
///
/// Prefetchers observe Low Data Mode themselves.
@MainActor @Observable public final class NetworkWatcher {
    /// The object that retries failed loads when the network is back.
    public let connectivity: Connectivity
    /// Whether there is a connection. True until the system says otherwise.
    public private(set) var isConnected = true
    /// Whether the user has set Low Data Mode for this network.
    public private(set) var isConstrained = false
    /// Whether the network costs the user money, as cellular networks and personal hotspots do.
    public private(set) var isExpensive = false

    @ObservationIgnored private let monitor = NWPathMonitor()
    @ObservationIgnored private var paths: Task<Void, Never>?

    /// Starts watching the network, until this object is released.
    ///
    /// - Parameter connectivity: The object that retries failed loads when the network is back.
    public init(connectivity: Connectivity = Connectivity()) {
        self.connectivity = connectivity
        // The iteration starts the monitor.
        paths = Task { [weak self, monitor] in for await path in monitor { self?.take(path) } }
    }

    // The documentation doesn't say that a cancelled monitor ends its sequence.
    deinit {
        monitor.cancel()
        paths?.cancel()
    }

    private func take(_ path: NWPath) {
        let wasConnected = isConnected
        isConnected = path.status == .satisfied
        isConstrained = path.isConstrained
        isExpensive = path.isExpensive
        if isConnected, !wasConnected { connectivity.returned() }
    }
}
#endif
