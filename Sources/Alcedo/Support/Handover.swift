import Synchronization

/// A value that is passed on once and no longer held after that.
final class Handover<Value: Sendable>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: Value) { self.value = Mutex(value) }

    /// Takes the value. Returns nil to all but the first caller.
    func take() -> Value? { value.withLock { $0.take() } }

    /// Puts the value back, because it is needed once more.
    func putBack(_ returned: Value) { value.withLock { $0 = returned } }
}
