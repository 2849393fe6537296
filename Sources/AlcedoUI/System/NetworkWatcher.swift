#if canImport(Network)
public import Alcedo
import Network
public import Observation

/// Reports what the system knows of the network: whether there is one, and whether it should be spared.
///
/// ```swift
/// settings.slot.connectivity = network.connectivity  // failed loads are retried when there is a connection again
/// let url = network.isConstrained ? small : large
/// ```
///
/// Prefetchers watch Low Data Mode by themselves.
@MainActor @Observable public final class NetworkWatcher {
    /// Told when the network is back.
    public let connectivity: Connectivity
    /// Whether there is a connection. True until the system says otherwise.
    public private(set) var isConnected = true
    /// Whether the user has set Low Data Mode for this network.
    public private(set) var isConstrained = false
    /// Whether the network costs the user money, as cellular networks and personal hotspots do.
    public private(set) var isExpensive = false

    @ObservationIgnored private var task: Task<Void, Never>?

    /// Begins to watch, until this object is released.
    ///
    /// - Parameter connectivity: Told when the network is back.
    public init(connectivity: Connectivity = Connectivity()) {
        self.connectivity = connectivity
        let monitor = NWPathMonitor()
        // The iteration starts the monitor, and ends it when the Task is cancelled.
        task = Task { [weak self] in for await path in monitor { self?.take(path) } }
    }

    deinit { task?.cancel() }

    private func take(_ path: NWPath) {
        let wasConnected = isConnected
        isConnected = path.status == .satisfied
        isConstrained = path.isConstrained
        isExpensive = path.isExpensive
        if isConnected, !wasConnected { connectivity.returned() }
    }
}
#endif
