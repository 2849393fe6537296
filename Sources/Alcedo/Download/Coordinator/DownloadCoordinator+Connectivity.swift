/// Downloads that wait for a network, without a slot.
extension DownloadCoordinator {
    // Not inlined, so that thousands of downloads that wait for their slots have small frames.

    /// Waits before an attempt that would fail, because there is no network. When the download's limit is reached, the
    /// attempt is made nevertheless, and fails with its own error.
    @inline(never) func awaitKnownNetwork(_ download: DownloadState) async throws(ImageLoaderError) {
        guard !download.data.url.isOnThisMachine else { return }
        _ = try await awaitNetwork(download, after: nil)
    }

    /// Waits after a failed attempt if the cause is that there is no network. Returns whether another attempt follows.
    /// Throws the error of the attempt when the download's limit is reached.
    @inline(never) func hasAwaitedNetwork(
        _ download: DownloadState, after error: ImageLoaderError
    ) async throws(ImageLoaderError) -> Bool {
        guard error.mayBeOffline(isIdempotent: download.data.method.isIdempotent),
            !download.data.url.isOnThisMachine
        else { return false }
        if let isConnected = try await awaitNetwork(download, after: error) {
            guard isConnected else { throw error }
            return true
        }
        guard let delay = download.networkWait.delayWhileSettling() else { return false }
        counters.retried += 1
        report(download, .retried(attempt: download.attempt, error: error, delay: delay))
        guard await time.sleep(for: delay) else { throw .cancelled }
        return true
    }

    /// Waits for a network. Returns whether there was one before the download's limit was reached, or nil if there was
    /// one from the start.
    private func awaitNetwork(
        _ download: DownloadState, after error: ImageLoaderError?
    ) async throws(ImageLoaderError) -> Bool? {
        let waiter = network.join()
        defer { network.leave(waiter) }
        let isOffline = await !waiter.isConnected()
        if Task.isCancelled { throw .cancelled }
        guard isOffline else { return nil }
        let start = time.now()
        report(download, .began(.offline))
        let isConnected = await untilConnected(waiter, within: download.networkWait.rest)
        let waited = time.now() - start
        download.networkWait.end(after: waited, isConnected: isConnected)
        let end: ImageLoaderError? = Task.isCancelled ? .cancelled : isConnected ? nil : error
        report(download, .ended(.offline, StageOutcome(duration: waited, error: end)))
        if Task.isCancelled { throw .cancelled }
        return isConnected
    }

    private func untilConnected(_ waiter: NetworkMonitor.Waiter, within limit: Duration) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { await waiter.untilConnected() }
            group.addTask { [time] in
                _ = await time.sleep(for: limit)
                return false
            }
            let first = await group.next() ?? false
            group.cancelAll()
            return first
        }
    }
}
