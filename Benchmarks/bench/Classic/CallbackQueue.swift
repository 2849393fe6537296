import Dispatch

/// The serial queue on which completion handlers run, like an app's main queue.
final class CallbackQueue: Sendable {
    let queue = DispatchQueue(label: "classic.callback")
    private static let mark = DispatchSpecificKey<ObjectIdentifier>()

    init() { queue.setSpecific(key: Self.mark, value: ObjectIdentifier(self)) }

    /// Runs `body` immediately if the caller is on the queue, otherwise later.
    func deliver(_ body: @escaping @Sendable () -> Void) {
        guard DispatchQueue.getSpecific(key: Self.mark) == ObjectIdentifier(self) else {
            return queue.async(execute: body)
        }
        body()
    }
}
