import Synchronization

/// Opens a gate when the last of a known number of Tasks has arrived.
///
/// If a shared result were available before its waiters, no joining would be measured.
final class Arrivals: Sendable {
    private let missing: Atomic<Int>
    private let gate: Gate

    init(expected: Int, gate: Gate) {
        missing = Atomic(expected)
        self.gate = gate
    }

    func arrive() {
        if missing.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { gate.open() }
    }
}
