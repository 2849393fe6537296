import Synchronization

/// Holds a value beyond the timed part of a run.
final class Kept<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)

    func keep(_ new: Value) { value.withLock { $0 = new } }

    func take() -> Value? {
        value.withLock { value in
            defer { value = nil }
            return value
        }
    }
}

/// Signals once that something has ended.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isRaised: Bool { value.load(ordering: .acquiring) }

    func raise() { value.store(true, ordering: .releasing) }
}
