public import Foundation
import Synchronization

// Everything besides downloading: callers that arrive or leave, removals, failures and control.

extension DownloadCoordinator {
    /// Counts a handle as a waiter before it joins. ``withdraw(_:)`` or ``drop(_:)`` must follow when its load is over.
    nonisolated func announce(_ key: FlightKey<ResourceKey>, _ priority: RequestPriority) -> ArrivalID {
        arrivals.withLock { $0.announce(key, priority) }
    }

    /// Withdraws a handle, and cancels a download that has no other waiters. Hops to the actor only in that case.
    nonisolated func withdraw(_ arrival: ArrivalID) async {
        if let key = arrivals.withLock({ $0.withdraw(arrival) }) { await release(key) }
    }

    /// The same without waiting. Nothing begins for the handle from now on.
    nonisolated func drop(_ arrival: ArrivalID) {
        if let key = arrivals.withLock({ $0.withdraw(arrival) }) { Task { await release(key) } }
    }

    /// The number of handles that are announced and haven't joined yet; for tests.
    nonisolated var arrivalCount: Int { arrivals.withLock { $0.count } }

    /// - Parameter isHeld: Whether a download without waiters continues for handles that are announced.
    func leave(_ waiter: Waiters.WaiterID, isHeld: Bool = true) {
        let hold = { (key: FlightKey<ResourceKey>) in isHeld ? self.arrivals.withLock { $0.hold(key) } : nil }
        switch waiters.leave(waiter, hold: hold) {
        case .nothing: break
        case .remains(let flight): requeue(flight)
        case .cancelled(let flight): abandon(flight)
        }
    }

    /// Rereads what a waiter's control says.
    func reread(_ waiter: Waiters.WaiterID) {
        updatePriority(of: waiter)
        if flights[waiter.flight]?.isParked == true { requeue(waiter.flight) }
    }

    func updatePriority(of waiter: Waiters.WaiterID) {
        if let flight = waiters.updatePriority(of: waiter) { requeue(flight) }
    }

    func startWaiting() { advance { $0.tick(now: $1) } }

    /// Starts downloads that are more urgent than all whose bytes take up the room, or waits for room.
    func awaitRoom(_ now: Duration) {
        while let priority = queue.priorityWithoutRoom {
            let mayStart = bodyBudget.mayStart(priority, of: ObjectIdentifier(self)) { [weak self] in
                Task { await self?.startWaiting() }
            }
            guard mayStart else { return }
            start(queue.setRoom(from: priority, now: now), now)
        }
        bodyBudget.stopWaiting(ObjectIdentifier(self))
    }

    private func release(_ key: FlightKey<ResourceKey>) {
        // Another handle may have been announced meanwhile.
        guard !isAnnounced(key) else { return }
        if let held = waiters.release(key) { abandon(held) }
        dropLanded(key)
    }

    /// Whether a handle is announced that hasn't joined yet. If so, withdrawing the last one leads to
    /// ``release(_:)``.
    func isAnnounced(_ key: FlightKey<ResourceKey>) -> Bool { arrivals.withLock { $0.hold(key) } != nil }

    /// The download that ended after the caller's handle was announced; nil if there is none.
    func landedDownload(_ key: FlightKey<ResourceKey>, _ control: LoadControl?) -> Download? {
        guard !landed.isEmpty, let download = landed[key], let control else { return nil }
        let arriving = control.takeArriving()
        guard arrivals.withLock({ table in arriving.count { table.join($0, key) } }) > 0 else { return nil }
        // One more holder: the download stays in `landed`, and the caller gets it as well.
        download.share?.hold(for: 2)
        if !isAnnounced(key) { dropLanded(key) }
        counters.coalesced += 1
        return download
    }

    func dropLanded(_ key: FlightKey<ResourceKey>) {
        if !landed.isEmpty { landed.removeValue(forKey: key)?.share?.release() }
    }

    /// Makes later callers start a new download, because the current one began before a removal. Failures and partial
    /// bodies of earlier downloads are discarded. Hops to the actor only if there may be any of these.
    package nonisolated func retire(_ key: ResourceKey) async {
        if !isIdle.load(ordering: .sequentiallyConsistent) { await retireNow(key) }
    }

    private func retireNow(_ key: ResourceKey) {
        for held in waiters.retireAll(withHash: key.prehash, where: { $0.key == key }) { abandon(held) }
        if !landed.isEmpty { for flightKey in landed.keys where flightKey.key == key { dropLanded(flightKey) } }
        removals.record(key)
        failures.forget(key)
        partials.remove(key)
        redirects.forget(key)
        guard waiters.flightCount == 0, landed.isEmpty, failures.isEmpty, partials.count == 0, redirects.count == 0
        else { return }
        // Later removals aren't recorded until a download begins. One that has ended may still be decoded, and then
        // fail; that is no longer remembered.
        removals.recordAll()
        isIdle.store(true, ordering: .sequentiallyConsistent)
    }

    package func retireAll() {
        for held in waiters.retireAll() { abandon(held) }
        for key in landed.keys { dropLanded(key) }
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
        // They may lead to a page that answered in the picture's place.
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
    /// Callers share a download if everything that selects the bytes is equal, and so are their cache policies,
    /// cache directives and ``ImageRequest/retriesFailed``. The request's fallbacks, size and tags don't matter.
    ///
    /// - Throws: The error that the download failed with. If the calling Task is cancelled,
    ///   ``ImageLoaderError/cancelled`` at once.
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
        let download = try await download(request)
        // Nothing is decoded here, so the bytes no longer count as undecoded.
        download.share?.release()
        return DataResponse(
            data: download.body, head: download.head, source: .network, freshness: download.freshness, staleReason: nil)
    }

    /// Whether a download of `request` is running or queued.
    public func isLoading(_ request: ImageRequest) -> Bool {
        let key = ResourceKey(request, in: scope)
        return waiters.hasWaiters(withHash: key.prehash) { $0.key == key }
    }

    /// Cancels all downloads.
    ///
    /// All waiting callers, including loaders, receive ``ImageLoaderError/cancelled``.
    public func cancelAll() { cancelAll { _ in true } }

    /// Cancels the waiters that belong to one loader.
    func cancelAll(of loader: ObjectIdentifier) { cancelAll { $0?.loader == loader } }

    private func cancelAll(where matches: (LoadControl?) -> Bool) {
        for waiter in waiters.waiters(where: matches) { leave(waiter) }
    }

    /// Cancels the waiters of a loader, and refuses others from now on.
    func close(_ loader: ObjectIdentifier) {
        closedLoaders.insert(loader)
        for waiter in waiters.waiters(where: { $0?.loader == loader }) { leave(waiter, isHeld: false) }
    }

    func isClosed(_ control: LoadControl?) -> Bool {
        guard !closedLoaders.isEmpty, let loader = control?.loader else { return false }
        return closedLoaders.contains(loader)
    }

    /// Cancels the waiters of a loader that exists no longer.
    func end(_ loader: ObjectIdentifier) {
        cancelAll(of: loader)
        closedLoaders.remove(loader)
    }

    /// Waits until the transfers that a loader began have ended, as far as they have no waiters.
    func settle(_ loader: ObjectIdentifier) async {
        let ending = flights.contents.filter { $0.value.isAbandoned && $0.value.control.loader == loader }
        let awaited = Set(ending.map(\.id))
        if !awaited.isEmpty { await withCheckedContinuation { settlers.add($0, awaiting: awaited) } }
    }

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
    /// Running downloads continue. While more run than that and others wait, those below ``Settings/minimumRate`` end.
    ///
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` for a count below 1.
    public nonisolated func setMaximumConcurrentDownloads(_ count: Int) async throws(ImageLoaderError) {
        try ImageLoaderError.require("maximumConcurrentDownloads", count, least: 1)
        await changeQueue { $0.setWidth(count, now: $1) }
    }

    /// Changes ``Settings/maximumConcurrentDownloadsPerHost``.
    ///
    /// Running downloads continue, and hosts with their own limit keep it.
    ///
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` for a count below 1.
    public nonisolated func setMaximumConcurrentDownloadsPerHost(_ count: Int) async throws(ImageLoaderError) {
        try ImageLoaderError.require("maximumConcurrentDownloadsPerHost", count, least: 1)
        await changeQueue { $0.setHostWidth(count, now: $1) }
    }

    /// Sets the maximum number of concurrent downloads for one host.
    ///
    /// Running downloads continue.
    ///
    /// - Parameters:
    ///   - count: At least 1. With nil, ``Settings/maximumConcurrentDownloadsPerHost`` applies again. A transport may
    ///     have its own limit; see ``TransportSettings/maximumConnectionsPerHost``.
    ///   - url: Any URL of the host. Only the host's name matters; sub-domains have limits of their own.
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` for a count below 1.
    public nonisolated func setMaximumConcurrentDownloads(
        _ count: Int?, forHostOf url: URL
    ) async throws(ImageLoaderError) {
        try ImageLoaderError.require("maximumConcurrentDownloads", count, least: 1)
        await changeQueue { $0.setHostWidth(url.hostName, count, now: $1) }
    }

    private func changeQueue(_ change: @Sendable (inout DownloadQueue<FlightID>, Duration) -> [FlightID]) {
        advance(change)
    }

    /// Changes ``Settings/order`` for downloads that are queued from now on.
    public func setOrder(_ order: DownloadOrder) { queue.setOrder(order) }

    /// Statistics about the downloads since the coordinator was created.
    public var statistics: DownloadStatistics {
        var statistics = counters
        statistics.running = queue.runningCount
        statistics.queued = queue.waitingCount
        statistics.queuedByHost = queue.waitingByHost
        return statistics
    }
}
