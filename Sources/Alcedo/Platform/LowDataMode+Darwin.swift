#if canImport(Network)
import Network

/// Low Data Mode, which users set for networks that cost them money.
final class LowDataMode: Sendable {
    private let monitor = NWPathMonitor()

    /// Calls `handle` with the current state, and then whenever it changes, until this object is released.
    func observe(_ handle: @escaping @Sendable (Bool) -> Void) {
        Task { [monitor] in for await path in monitor { handle(path.isConstrained) } }
    }

    // Ends the sequence of paths.
    deinit { monitor.cancel() }
}
#endif
