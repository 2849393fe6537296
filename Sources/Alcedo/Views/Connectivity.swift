/// Retries the loads of slots that failed because of the connection, once the network is back.
///
/// One object serves any number of slots; see ``ImageSlot/Settings/connectivity``. Call ``returned()`` when the system
/// reports that the network is back.
@MainActor
public final class Connectivity {
    private struct WeakSlot {
        weak var slot: ImageSlot?
    }

    /// Slots whose load has failed.
    private var failed: [ObjectIdentifier: WeakSlot] = [:]
    /// The number of entries above which those of released slots are removed.
    private var cleaningCount = 64

    /// Creates an object without slots.
    public init() {}

    /// Retries the loads that have failed since the last call, those of visible slots first. Slots that have moved on
    /// to something else are left alone.
    public func returned() {
        let slots = failed.values.compactMap(\.slot)
        failed = [:]
        for slot in slots where slot.isVisible { slot.connectivityReturned() }
        for slot in slots where !slot.isVisible { slot.connectivityReturned() }
    }

    /// The number of slots that wait for the connection.
    var waitingCount: Int { failed.values.count { $0.slot != nil } }

    func add(_ slot: ImageSlot) {
        failed[ObjectIdentifier(slot)] = WeakSlot(slot: slot)
        guard failed.count > cleaningCount else { return }
        failed = failed.filter { $0.value.slot != nil }
        cleaningCount = max(64, 2 * failed.count)
    }
}

extension ImageSlot {
    /// Retries a load that has failed because of the connection.
    fileprivate func connectivityReturned() {
        let isStale = phase.response?.staleReason == .afterError
        if error?.isConnectionFailure == true || isStale { reload() }
    }
}

extension ImageLoaderError {
    /// Whether the load may succeed once there is a connection again.
    var isConnectionFailure: Bool { kind == .connectionFailed || kind == .timedOut }
}
