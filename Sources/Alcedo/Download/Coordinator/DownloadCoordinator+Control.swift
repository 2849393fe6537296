public import Foundation

// Everything besides downloading: removals, failures and control.

extension DownloadCoordinator {
    /// Makes later callers start a new download, because the current one began before a removal. Failures and partial
    /// bodies of earlier downloads are discarded.
    package func retire(_ key: ResourceKey) {
        removals.record(key)
        failures.forget(key)
        partials.remove(key)
        redirects.forget(key)
    }

    /// Retires all resources; see ``retire(_:)``.
    package func retireAll() {
        removals.recordAll()
        failures.forgetAll()
        partials.removeAll()
        redirects.forgetAll()
    }

    /// Records that a downloaded body was unusable, so that it isn't requested again for a while. Does nothing if the
    /// resource was removed since the download began.
    ///
    /// A body without a known length may have been truncated and may arrive complete the next time. Its failure is
    /// therefore not returned to other callers; it only permits a cached fallback.
    func recordFailure(_ error: ImageLoaderError, of request: ImageRequest, _ download: Download) {
        let key = ResourceKey(request, in: scope)
        guard let begun = download.begun, removals.permits(begun, key) else { return }
        // The redirects may lead to a page that was sent in place of the image.
        redirects.forget(key)
        failures.record(key, error, from: download.url, isAnswer: download.head.hasKnownLength, now: time.now())
    }

    /// The recent failure of `request` for which a cached fallback is returned; nil when the request should be loaded.
    func failureBeforeFallback(of request: ImageRequest) -> ImageLoaderError? {
        if failures.isEmpty { return nil }
        return failures.errorBeforeFallback(for: ResourceKey(request, in: scope), from: request.url, now: time.now())
    }

    /// Makes the next download of `request` ask the server even if it failed recently.
    public func forgetFailure(of request: ImageRequest) { failures.forget(ResourceKey(request, in: scope)) }

    /// Makes the next download of every request ask the server even if it failed recently.
    public func forgetFailures() { failures.forgetAll() }
}

// MARK: - Using the coordinator directly

extension DownloadCoordinator {
    /// Creates a coordinator with the default settings.
    ///
    /// - Parameters:
    ///   - dataLoader: The transport. With nil, the platform's default is used; see
    ///     ``ImageLoader/Configuration/dataLoader``.
    ///   - onEvent: Called for each event, on any thread. The coordinator waits for it, so it should return quickly.
    public init(dataLoader: (any DataLoading)? = nil, onEvent: (@Sendable (Event) -> Void)? = nil) {
        self.init(valid: Settings(), loader: dataLoader ?? DefaultDataLoader.make(), onEvent: onEvent)
    }

    /// Creates a coordinator with these settings.
    ///
    /// - Parameters:
    ///   - settings: Limits, timeouts, retries and header fields.
    ///   - dataLoader: The transport. With nil, the platform's default is used; see
    ///     ``ImageLoader/Configuration/dataLoader``.
    ///   - onEvent: Called for each event, on any thread. The coordinator waits for it, so it should return quickly.
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` for a setting that is out of range or that the
    ///   transport can't keep, and ``ImageLoaderError/invalidHeader(name:)`` for a header field that can't be sent.
    public init(
        _ settings: Settings, dataLoader: (any DataLoading)? = nil, onEvent: (@Sendable (Event) -> Void)? = nil
    ) throws(ImageLoaderError) {
        try settings.validate()
        try settings.network.validate(for: dataLoader)
        self.init(valid: settings, loader: dataLoader ?? DefaultDataLoader.make(), onEvent: onEvent)
    }

    /// Returns the body of the response to `request`, without looking in a cache and without decoding.
    ///
    /// Callers of this function and of ``response(for:)`` share a download if everything that selects the bytes is
    /// equal, and so are their cache policies, cache directives and ``ImageRequest/retriesFailed``. The request's
    /// fallbacks, size and tags don't matter. Downloads aren't shared with loads of loaders, because those search their
    /// caches.
    ///
    /// - Throws: The error with which the download failed. If the calling Task is cancelled,
    ///   ``ImageLoaderError/cancelled`` immediately.
    public nonisolated func data(for request: ImageRequest) async throws(ImageLoaderError) -> Data {
        let data = try await response(for: request).data
        if data.isEmpty { throw .emptyBody }
        return data
    }

    /// Returns the complete response to `request`.
    ///
    /// See ``data(for:)`` for how downloads are shared and for errors.
    public nonisolated func response(for request: ImageRequest) async throws(ImageLoaderError) -> DataResponse {
        try request.validate()
        var download = try await download(request)
        // The download was shared with a load that already has the body.
        if download.isConfirmation { download = try await self.download(request.unconditional) }
        // Nothing is decoded here, so the bytes no longer count as undecoded.
        download.share?.release()
        let content = download.content
        let data =
            if let data = content.data { data } else {
                try await BodyFile.threads.run { Result { () throws(ImageLoaderError) in try content.readWhole() } }
                    .get()
            }
        return DataResponse(
            data: data, head: download.head, source: .network, freshness: download.freshness, staleReason: nil)
    }

    /// Whether a download of `request` is running or queued, or a loader is searching the disk for its bytes.
    public func isLoading(_ request: ImageRequest) -> Bool {
        let key = ResourceKey(request, in: scope)
        return flights.isLoading { $0.key == key }
    }

    /// Cancels all downloads, and the searches of loaders on disk.
    ///
    /// All waiting callers, including loaders, receive ``ImageLoaderError/cancelled``.
    public func cancelAll() { flights.cancelAll { _ in true } }

    /// Stops starting downloads until ``resume()`` is called.
    ///
    /// Running downloads continue.
    public func pause() {
        queue.pause()
        startWaiting()
    }

    /// Starts downloads again, the most urgent first.
    public func resume() { advance { $0.resume(now: $1) } }

    /// Changes ``Settings/maximumConcurrentDownloads``.
    ///
    /// Running downloads continue. While more than `count` are running and others wait, downloads below
    /// ``Settings/minimumRate`` end.
    ///
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` for a count below 1.
    public nonisolated func setMaximumConcurrentDownloads(_ count: Int) async throws(ImageLoaderError) {
        try ImageLoaderError.require("download.maximumConcurrentDownloads", count, least: 1)
        await changeQueue { $0.setWidth(count, now: $1) }
    }

    /// Changes ``Settings/maximumConcurrentDownloadsPerHost``.
    ///
    /// Running downloads continue, and hosts with their own limit keep it.
    ///
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` for a count below 1.
    public nonisolated func setMaximumConcurrentDownloadsPerHost(_ count: Int) async throws(ImageLoaderError) {
        try ImageLoaderError.require("download.maximumConcurrentDownloadsPerHost", count, least: 1)
        await changeQueue { $0.setHostWidth(count, now: $1) }
    }

    /// Sets the maximum number of concurrent downloads for one host.
    ///
    /// Running downloads continue.
    ///
    /// - Parameters:
    ///   - count: At least 1. With nil, ``Settings/maximumConcurrentDownloadsPerHost`` applies again. A transport may
    ///     have its own limit; see ``TransportSettings/maximumConnectionsPerHost``.
    ///   - url: Any URL of the host. Only the host's name matters; subdomains have their own limits.
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` for a count below 1.
    public nonisolated func setMaximumConcurrentDownloads(
        _ count: Int?, forHostOf url: URL
    ) async throws(ImageLoaderError) {
        try ImageLoaderError.require("the maximum for \(url.hostName)", count, least: 1)
        await changeQueue { $0.setHostWidth(url.hostName, count, now: $1) }
    }

    private func changeQueue(_ change: @Sendable (inout DownloadQueue<FlightID>, Duration) -> [FlightID]) {
        advance(change)
    }

    /// Changes ``Settings/idleTimeout`` for downloads that are requested from now on, and ``Settings/totalTimeout`` for
    /// attempts that begin from now on.
    ///
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` for less than a millisecond; nothing changes in that
    ///   case.
    public nonisolated func setTimeouts(idle: Duration, total: Duration?) async throws(ImageLoaderError) {
        try ImageLoaderError.require("download.idleTimeout", idle, least: .milliseconds(1))
        try ImageLoaderError.require("download.totalTimeout", total, least: .milliseconds(1))
        await apply(idleTimeout: idle, totalTimeout: total)
    }

    /// Changes ``Settings/order`` for downloads that are queued from now on.
    public func setOrder(_ order: DownloadOrder) { queue.setOrder(order) }

    /// Statistics about the downloads since the coordinator was created.
    public var statistics: DownloadStatistics {
        var statistics = counters
        statistics.coalesced = flights.sharedCount
        statistics.running = queue.runningCount
        statistics.queued = queue.waitingCount
        statistics.queuedByHost = queue.waitingByHost
        return statistics
    }
}
