import Synchronization

/// Acts when the last of a known number of Tasks has arrived.
///
/// If a shared result were available before the Tasks wait for it, no joining would be measured.
final class Arrivals: Sendable {
    private let missing: Atomic<Int>
    private let onAllArrived: @Sendable () -> Void

    init(expected: Int, then onAllArrived: @escaping @Sendable () -> Void) {
        missing = Atomic(expected)
        self.onAllArrived = onAllArrived
    }

    /// Opens a gate when the last Task has arrived.
    convenience init(expected: Int, gate: Gate) { self.init(expected: expected) { gate.open() } }

    func arrive() {
        if missing.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { onAllArrived() }
    }
}
