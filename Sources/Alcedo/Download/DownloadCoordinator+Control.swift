import Synchronization

// What the loader asks for besides downloads: arrivals, removals, failures, control, statistics.

extension DownloadCoordinator {
    /// Counts a handle as a waiter before its Task joins. ``withdraw(_:)`` must follow when its load is over.
    nonisolated func announce(_ key: FlightKey<ResourceKey>, _ priority: RequestPriority) -> ArrivalID {
        arrivals.withLock { $0.announce(key, priority) }
    }

    /// Takes that back, and cancels a download that had no other waiter. Comes to the actor only for that.
    nonisolated func withdraw(_ arrival: ArrivalID) async {
        if let key = arrivals.withLock({ $0.withdraw(arrival) }) { await release(key) }
    }

    /// Those that have been announced and have not come; for tests.
    nonisolated var arrivalCount: Int { arrivals.withLock { $0.count } }

    private func release(_ key: FlightKey<ResourceKey>) {
        // Another handle may have been announced meanwhile.
        guard !isAnnounced(key) else { return }
        if let held = waiters.release(key) { abandon(held) }
        dropLanded(key)
    }

    /// Whether a handle is announced whose Task has not come; withdrawing the last one leads to ``release(_:)`` then.
    func isAnnounced(_ key: FlightKey<ResourceKey>) -> Bool { arrivals.withLock { $0.hold(key) } != nil }

    /// The download that ended after the caller's handle was announced, nil if there is none.
    func landedDownload(_ key: FlightKey<ResourceKey>, _ control: LoadControl?) -> Download? {
        guard !landed.isEmpty, let download = landed[key], let control, !Task.isCancelled else { return nil }
        let arriving = control.arriving
        guard arrivals.withLock({ table in arriving.count { table.join($0, key) } }) > 0 else { return nil }
        // One holder more, which keeps what it has.
        download.undecoded?.hold(for: 2)
        if !isAnnounced(key) { dropLanded(key) }
        counters.coalesced += 1
        return download
    }

    private func dropLanded(_ key: FlightKey<ResourceKey>) {
        if !landed.isEmpty { landed.removeValue(forKey: key)?.undecoded?.release() }
    }

    /// Callers from now on start a new download, as what is under way was begun before a removal; what is known of
    /// earlier ones is forgotten.
    package func retire(_ key: ResourceKey) {
        for flightKey in FlightKey.all(of: key) {
            if let held = waiters.retire(flightKey) { abandon(held) }
            dropLanded(flightKey)
        }
        removals.record(key)
        failures.forget(key)
        partials.remove(key)
    }

    package func retireAll() {
        for held in waiters.retireAll() { abandon(held) }
        for key in landed.keys { dropLanded(key) }
        removals.recordAll()
        failures.forgetAll()
        partials.removeAll()
    }

    /// What was downloaded proved useless: it is not asked for again for a while, unless it was removed meanwhile.
    ///
    /// A body without a known length may have been cut, and may come whole the next time. So its failure doesn't answer
    /// other callers; only a cached fallback may.
    func recordFailure(_ error: ImageLoaderError, of request: ImageRequest, _ download: Download) {
        let key = ResourceKey(request)
        guard let begun = download.begun, removals.permits(begun, key) else { return }
        failures.record(key, error, isAnswer: download.hasKnownLength, now: time.now())
    }

    /// The recent failure of `request` in whose place a cached fallback answers, nil when it is to be loaded.
    func failureBeforeFallback(of request: ImageRequest) -> ImageLoaderError? {
        failures.isEmpty ? nil : failures.errorBeforeFallback(for: ResourceKey(request), now: time.now())
    }

    func forgetFailure(of request: ImageRequest) { failures.forget(ResourceKey(request)) }
    func forgetAllFailures() { failures.forgetAll() }

    package func pause() {
        queue.pause()
        startWaiting()
    }

    package func resume() { advance { $0.resume(now: $1) } }

    package func setWidth(_ width: Int?, ofHost host: String) {
        advance { $0.setHostWidth(host, width, now: $1) }
    }

    package var statistics: DownloadStatistics {
        var statistics = counters
        statistics.inFlight = queue.runningCount
        statistics.queued = queue.waitingCount
        statistics.queuedByHost = queue.waitingByHost
        return statistics
    }
}
