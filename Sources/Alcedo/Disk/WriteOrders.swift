/// A store's orders to its writer, by number, and the callers waiting for them to be carried out.
struct WriteOrders {
    /// The latest order.
    private(set) var last: UInt64 = 0
    /// The latest order whose outcome is known.
    private(set) var lastEnded: UInt64 = 0
    /// The latest order to write a new snapshot.
    private var lastCompaction: UInt64 = 0
    private var waiters: [(order: UInt64, continuation: CheckedContinuation<Void, Never>)] = []

    /// The number of waiters; for tests.
    var waiterCount: Int { waiters.count }

    /// Whether a new snapshot is being written or has been ordered.
    var isCompacting: Bool { lastCompaction > lastEnded }

    mutating func begin(_ order: UInt64) { last = order }

    mutating func beginCompaction(_ order: UInt64) { lastCompaction = order }

    mutating func end(_ order: UInt64) { lastEnded = order }

    func hasEnded(_ order: UInt64) -> Bool { order <= lastEnded }

    mutating func wait(for order: UInt64, _ continuation: CheckedContinuation<Void, Never>) {
        waiters.append((order, continuation))
    }

    /// Resumes the waiters whose orders have ended.
    mutating func resumeWaiters() {
        let ended = waiters.filter { hasEnded($0.order) }
        guard !ended.isEmpty else { return }
        waiters.removeAll { [lastEnded] in $0.order <= lastEnded }
        for waiter in ended { waiter.continuation.resume() }
    }
}
