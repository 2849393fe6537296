import Synchronization

/// The reads that their callers no longer wait for.
final class LateReads: Sendable {
    private struct Counts {
        var all = 0
        /// The reads that delayed a load, by the digests of their sources.
        var bySource: [UInt64: Int] = [:]
    }

    private let counts = Mutex(Counts())

    /// The number of late reads at which no further read begins, because the store may never answer.
    private static let most = 64

    /// Whether to begin a read. A load whose first read was late would otherwise wait for each of its reads.
    func permit(_ source: UInt64) -> Bool { counts.withLock { $0.all < Self.most && $0.bySource[source] == nil } }

    /// - Parameter source: The source whose load was delayed; nil if the load was cancelled.
    func begin(_ source: UInt64?) {
        counts.withLock { counts in
            counts.all += 1
            if let source { counts.bySource[source, default: 0] += 1 }
        }
    }

    func end(_ source: UInt64?) {
        counts.withLock { counts in
            counts.all -= 1
            guard let source, let count = counts.bySource[source] else { return }
            counts.bySource[source] = count > 1 ? count - 1 : nil
        }
    }
}
