/// A store's orders to its writer, by number, and the callers waiting for them to be carried out.
struct WriteOrders {
    /// The latest order.
    var last: UInt64 = 0
    /// The latest order whose outcome is known.
    var lastEnded: UInt64 = 0
    /// The latest order to write a new snapshot.
    var lastCompaction: UInt64 = 0
    var waiters: [(order: UInt64, continuation: CheckedContinuation<Void, Never>)] = []

    /// Whether a new snapshot is being written or has been ordered.
    var isCompacting: Bool { lastCompaction > lastEnded }

    func hasEnded(_ order: UInt64) -> Bool { order <= lastEnded }

    /// Resumes the waiters whose orders have ended.
    mutating func resumeWaiters() {
        let ended = waiters.filter { hasEnded($0.order) }
        guard !ended.isEmpty else { return }
        waiters.removeAll { [lastEnded] in $0.order <= lastEnded }
        for waiter in ended { waiter.continuation.resume() }
    }
}
