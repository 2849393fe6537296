import Dispatch

/// A value that is used only by barriers on a concurrent queue.
///
/// `@unchecked Sendable`, because the compiler doesn't know that a barrier runs alone.
final class BarrierProtected<Value>: @unchecked Sendable {
    private let queue = DispatchQueue(label: "classic.barrier", attributes: .concurrent)
    private var value: Value

    init(_ value: Value) { self.value = value }

    func use<R>(_ body: (inout Value) -> R) -> R { queue.sync(flags: .barrier) { body(&value) } }
}
