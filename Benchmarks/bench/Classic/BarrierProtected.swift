import Dispatch

/// A value behind a concurrent queue, which many may read at a time and one may change alone, as a barrier.
///
/// `@unchecked Sendable`, because the compiler doesn't see the queue: the value is read only on it, and changed only by
/// barriers.
final class BarrierProtected<Value>: @unchecked Sendable {
    private let queue = DispatchQueue(label: "classic.barrier", attributes: .concurrent)
    private var value: Value

    init(_ value: Value) { self.value = value }

    func read<R>(_ body: (Value) -> R) -> R { queue.sync { body(value) } }

    func change<R>(_ body: (inout Value) -> R) -> R { queue.sync(flags: .barrier) { body(&value) } }
}
