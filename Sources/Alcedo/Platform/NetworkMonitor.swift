import Synchronization

/// Knows whether there is a network, while someone waits for one.
///
/// The network is watched from the first waiter to the last, and all waiters share one watch. If the system doesn't
/// permit watching, there counts as being a network.
package final class NetworkMonitor: Sendable {
    /// Begins to watch. The closure must be called soon with whether there is a network, and after each change, never
    /// from two threads at the same time. The watch ends when the returned object is released. Nil if the network can't
    /// be watched.
    package typealias Watch = @Sendable (_ report: @escaping @Sendable (Bool) -> Void) -> (any Sendable & AnyObject)?

    /// The monitor of the process.
    package static let shared = NetworkMonitor { ConnectivityWatcher(onReport: $0) }

    private struct State {
        /// In order of arrival.
        var waiters = SortedList<Int, Waiter>()
        var lastNumber = 0
        /// The number of the current watch. The last report of an earlier one may be late.
        var watchNumber = 0
        var watch: (any Sendable & AnyObject)?
        /// Nil before the first report.
        var isConnected: Bool?
    }

    private let watch: Watch
    private let state = Mutex(State())

    package init(watch: @escaping Watch) { self.watch = watch }

    /// Whether the monitor knows that there is no network. False while no download waits for one.
    package var isOffline: Bool { state.withLock { $0.isConnected == false } }

    /// Adds a waiter, which must leave again.
    package func join() -> Waiter {
        let (waiter, watchNumber) = state.withLock { state -> (Waiter, Int?) in
            let isFirst = state.waiters.isEmpty
            state.lastNumber += 1
            if isFirst { state.watchNumber += 1 }
            let waiter = Waiter(state.lastNumber, state.isConnected)
            state.waiters.insert(waiter, rank: waiter.number)
            return (waiter, isFirst ? state.watchNumber : nil)
        }
        if let watchNumber { begin(watchNumber) }
        return waiter
    }

    /// Removes a waiter. With the last one, the watch ends.
    package func leave(_ waiter: Waiter) {
        let ended = state.withLock { state -> (any Sendable & AnyObject)? in
            state.waiters.remove(rank: waiter.number)
            guard state.waiters.isEmpty else { return nil }
            state.isConnected = nil
            return exchange(&state.watch, with: nil)
        }
        // Released outside the lock.
        withExtendedLifetime(ended) {}
    }

    private func begin(_ number: Int) {
        let watch = self.watch { [weak self] in self?.report($0, of: number) }
        let unused = state.withLock { state -> (any Sendable & AnyObject)? in
            guard state.watchNumber == number, !state.waiters.isEmpty else { return watch }
            state.watch = watch
            return nil
        }
        withExtendedLifetime(unused) {}
        if watch == nil { report(true, of: number) }
    }

    private func report(_ isConnected: Bool, of number: Int) {
        let waiters = state.withLock { state -> [Waiter] in
            guard state.watchNumber == number, !state.waiters.isEmpty else { return [] }
            state.isConnected = isConnected
            return state.waiters.entries.map(\.element)
        }
        for waiter in waiters { waiter.take(isConnected) }
    }

    /// One download's wait.
    package final class Waiter: Sendable {
        fileprivate let number: Int
        private let first = Promise<Bool>()
        private let connection = Promise<Bool>()

        /// - Parameter isConnected: Nil if it isn't known yet.
        fileprivate init(_ number: Int, _ isConnected: Bool?) {
            self.number = number
            if let isConnected { take(isConnected) }
        }

        fileprivate func take(_ isConnected: Bool) {
            first.end(isConnected)
            if isConnected { connection.end(true) }
        }

        /// Whether there is a network. Waits until that is known, or returns true immediately if the Task is cancelled
        /// before. Call this at most once.
        package func isConnected() async -> Bool { await first.value { first.end(true) } }

        /// Waits until there is a network. Returns false immediately if the Task is cancelled before. Call this at most
        /// once.
        package func untilConnected() async -> Bool { await connection.value { connection.end(false) } }
    }
}
