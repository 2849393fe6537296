public import Foundation
import Synchronization

// What the coordinator is asked for besides downloads: callers that leave or arrive, removals, failures, control.

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

    func leave(_ waiter: Waiters.WaiterID) {
        switch waiters.leave(waiter, hold: { key in arrivals.withLock { $0.hold(key) } }) {
        case .nothing: break
        case .remains(let flight): requeue(flight)
        case .cancelled(let flight): abandon(flight)
        }
    }

    func updatePriority(of waiter: Waiters.WaiterID) {
        if let flight = waiters.updatePriority(of: waiter) { requeue(flight) }
    }

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
        let key = ResourceKey(request, in: scope)
        guard let begun = download.begun, removals.permits(begun, key) else { return }
        failures.record(key, error, isAnswer: download.hasKnownLength, now: time.now())
    }

    /// The recent failure of `request` in whose place a cached fallback answers, nil when it is to be loaded.
    func failureBeforeFallback(of request: ImageRequest) -> ImageLoaderError? {
        failures.isEmpty ? nil : failures.errorBeforeFallback(for: ResourceKey(request, in: scope), now: time.now())
    }

    /// Makes the next download of `request` ask the server even if it failed a short while ago.
    public func forgetFailure(of request: ImageRequest) { failures.forget(ResourceKey(request, in: scope)) }

    /// ``forgetFailure(of:)`` for all requests.
    public func forgetFailures() { failures.forgetAll() }
}

// MARK: - What programs do with the coordinator itself

extension DownloadCoordinator {
    /// A coordinator with the default settings.
    ///
    /// - Parameters:
    ///   - dataLoader: the transport; nil is the platform's default, see ``ImageLoader/Configuration/dataLoader``.
    ///   - onEvent: called for each event, on any thread, and waited for; it should return quickly.
    public init(dataLoader: (any DataLoading)? = nil, onEvent: (@Sendable (Event) -> Void)? = nil) {
        self.init(valid: Settings(), loader: dataLoader ?? DefaultDataLoader.make(), onEvent: onEvent)
    }

    /// A coordinator with these settings.
    ///
    /// - Parameters:
    ///   - dataLoader: the transport; nil is the platform's default, see ``ImageLoader/Configuration/dataLoader``.
    ///   - onEvent: called for each event, on any thread, and waited for; it should return quickly.
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` for a setting out of range, and
    ///   ``ImageLoaderError/invalidHeader(name:)``.
    public init(
        _ settings: Settings, dataLoader: (any DataLoading)? = nil, onEvent: (@Sendable (Event) -> Void)? = nil
    ) throws(ImageLoaderError) {
        try settings.validate()
        self.init(valid: settings, loader: dataLoader ?? DefaultDataLoader.make(), onEvent: onEvent)
    }

    /// The body of the response to `request`, without looking in a cache or decoding.
    ///
    /// Callers share a download if all that selects the bytes is equal. The request's fallbacks, size and tags don't
    /// matter; of its cache policy only whether the caches of others are asked for (``CachePolicy/reload``).
    /// - Throws: what the download failed with; ``ImageLoaderError/cancelled`` at once when the calling Task is
    ///   cancelled.
    public nonisolated func data(for request: ImageRequest) async throws(ImageLoaderError) -> Data {
        try await response(for: request).data
    }

    /// The whole response to `request`; see ``data(for:)``.
    public nonisolated func response(for request: ImageRequest) async throws(ImageLoaderError) -> DataResponse {
        try request.validate()
        let download = try await download(request)
        // It isn't decoded here.
        download.undecoded?.release()
        return DataResponse(data: download.body, head: download.head, freshness: download.freshness)
    }

    /// Whether a download of `request` is running or queued.
    public func isLoading(_ request: ImageRequest) -> Bool {
        let key = ResourceKey(request, in: scope)
        return FlightKey.all(of: key).contains { waiters.waiterCount(of: $0) > 0 }
    }

    /// Cancels all downloads: everyone who waits, loaders included, gets ``ImageLoaderError/cancelled``.
    public func cancelAll() { cancelAll { _ in true } }

    /// Cancels those who wait on behalf of one loader.
    func cancelAll(of loader: ObjectIdentifier) { cancelAll { $0?.loader == loader } }

    private func cancelAll(where matches: (LoadControl?) -> Bool) {
        for waiter in waiters.waiters(where: matches) { leave(waiter) }
    }

    /// Starts no download until ``resume()``. Running downloads continue.
    public func pause() {
        queue.pause()
        startWaiting()
    }

    /// Starts downloads again, the most urgent first.
    public func resume() { advance { $0.resume(now: $1) } }

    /// Changes ``Settings/maximumConcurrentDownloads``. Running downloads continue.
    ///
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` for a count below 1.
    public nonisolated func setMaximumConcurrentDownloads(_ count: Int) async throws(ImageLoaderError) {
        try ImageLoaderError.require("maximumConcurrentDownloads", count, least: 1)
        await changeQueue { $0.setWidth(count, now: $1) }
    }

    /// Changes ``Settings/maximumConcurrentDownloadsPerHost``. Running downloads continue, and origins with a number of
    /// their own keep it.
    ///
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` for a count below 1.
    public nonisolated func setMaximumConcurrentDownloadsPerHost(_ count: Int) async throws(ImageLoaderError) {
        try ImageLoaderError.require("maximumConcurrentDownloadsPerHost", count, least: 1)
        await changeQueue { $0.setHostWidth(count, now: $1) }
    }

    /// Gives one origin its own number of concurrent downloads. Running downloads continue.
    ///
    /// - Parameters:
    ///   - count: at least 1; nil goes back to ``Settings/maximumConcurrentDownloadsPerHost``. A transport may have a
    ///     limit of its own, ``TransportSettings/maximumConnectionsPerHost``.
    ///   - url: any URL of the origin; its scheme, host and port count.
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` for a count below 1.
    public nonisolated func setMaximumConcurrentDownloads(
        _ count: Int?, forHostOf url: URL
    ) async throws(ImageLoaderError) {
        try ImageLoaderError.require("maximumConcurrentDownloads", count, least: 1)
        await changeQueue { $0.setHostWidth(url.origin, count, now: $1) }
    }

    private func changeQueue(_ change: @Sendable (inout DownloadQueue<FlightID>, Duration) -> [FlightID]) {
        advance(change)
    }

    /// Changes ``Settings/order`` for downloads that are queued from now on.
    public func setOrder(_ order: DownloadOrder) { queue.setOrder(order) }

    /// What the downloads have come to since the coordinator was made.
    public var statistics: DownloadStatistics {
        var statistics = counters
        statistics.running = queue.runningCount
        statistics.queued = queue.waitingCount
        statistics.queuedByHost = queue.waitingByHost
        return statistics
    }
}
