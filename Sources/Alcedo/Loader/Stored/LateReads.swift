import Synchronization

/// The reads that their callers no longer wait for.
final class LateReads: Sendable {
    private struct Counts {
        /// The reads that delayed a load, by the digests of their sources.
        var bySource: [UInt64: Int] = [:]
        var late = 0
        /// The reads whose callers were cancelled.
        var cancelled = 0
    }

    private let counts = Mutex(Counts())

    /// The number of late reads at which no further read begins, because the store may never answer.
    private static let most = 64
    /// The same for cancelled reads. A view that scrolls fast cancels many, which end soon in a store that works.
    private static let mostCancelled = 1_024

    /// Whether to begin a read. A load whose first read was late would otherwise wait for each of its reads.
    func permit(_ source: UInt64) -> Bool {
        counts.withLock {
            $0.late < Self.most && $0.cancelled < Self.mostCancelled && $0.bySource[source] == nil
        }
    }

    /// Counts a read that its caller no longer waits for. Returns a closure to call when the read has ended.
    ///
    /// - Parameter source: The source whose load was delayed; nil if the load was cancelled.
    func begin(_ source: UInt64?) -> @Sendable () -> Void {
        counts.withLock { counts in
            if let source {
                counts.late += 1
                counts.bySource[source, default: 0] += 1
            } else {
                counts.cancelled += 1
            }
        }
        return { [self] in end(source) }
    }

    private func end(_ source: UInt64?) {
        counts.withLock { counts in
            guard let source, let count = counts.bySource[source] else {
                counts.cancelled -= 1
                return
            }
            counts.late -= 1
            counts.bySource[source] = count > 1 ? count - 1 : nil
        }
    }
}
