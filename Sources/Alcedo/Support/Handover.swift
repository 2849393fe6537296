import Synchronization

/// A value that is passed on once, and not held after that.
final class Handover<Value: Sendable>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: Value) { self.value = Mutex(value) }

    /// The value, for the first caller.
    func take() -> Value? { value.withLock { $0.take() } }

    /// Returns the value, which is needed once more.
    func putBack(_ returned: Value) { value.withLock { $0 = returned } }
}
