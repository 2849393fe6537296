import Foundation

/// Downloads resources, each only once regardless of the number of callers.
///
/// A limited number of downloads run at a time, the most urgent first. Transient failures are retried.
///
/// A loader creates its own coordinator unless it is given one. A coordinator can also be used alone, or shared between
/// loaders:
///
/// ```swift
/// let downloads = DownloadCoordinator()
/// let bytes = try await downloads.data(for: ImageRequest(url: url))
/// ```
///
/// Loaders share the downloads of a coordinator if they have the same disk cache, or none. Callers that use the
/// coordinator directly share downloads with one another.
///
/// If a calling Task is cancelled, that caller resumes immediately. If it was the last caller, the transfer is
/// cancelled and its connection closed.
public actor DownloadCoordinator {
    private(set) var transfer: Transfer
    /// The idle timeout of requests that set none.
    private(set) var idleTimeout: Duration
    nonisolated let settings: Settings
    /// The part of all keys that the settings determine.
    nonisolated let scope: KeyScope
    let requests: RequestBuilder
    let time: TimeSource
    let onEvent: Report?
    nonisolated var bodyBudget: BodyBudget { settings.bodyBudget }
    private let memory: ProcessMemory
    let network: NetworkMonitor

    /// The place for large bodies of callers that specify no other.
    nonisolated let bodies: BodyPlace
    nonisolated let flights = ResourceFlights()
    nonisolated let removals = Removals<ResourceKey>()
    /// The requirements for responses. The limit for bodies is determined before the first download.
    private(set) var rules: ResponseRules
    /// The downloads under way, including those that wait for a slot.
    private(set) var downloads = [FlightID: DownloadState]()
    var queue: DownloadQueue<FlightID>
    var rates: RateWatch<FlightID>
    /// The download whose transfer is being ended for the sake of others. Only one at a time, because its slot may be
    /// all that is needed.
    var ending: FlightID?
    var retryBudget: RetryBudget
    var failures: FailureMemory<ResourceKey>
    var redirects = RedirectMemory<ResourceKey>()
    var partials: PartialBodies<ResourceKey>
    var credentials = CredentialTable<FlightID>()
    /// The calls of the program's hook for credentials, by origin.
    var hookCalls: [String: Task<Void, Never>] = [:]
    var counters = DownloadStatistics()
    var random = SystemRandomNumberGenerator()
    /// Fires when the start rate allows a download to start.
    var alarm = Alarm()
    /// Fires when the next check for transfers that are too slow, or that have to yield, is due.
    var endingAlarm = Alarm()

    /// - Parameter accept: The `Accept` field of requests that don't set one.
    package init(
        valid settings: Settings = .init(), loader: any DataLoading, accept: String? = nil,
        time: TimeSource = TimeSource(), memory: ProcessMemory = .shared, network: NetworkMonitor = .shared,
        onEvent: Report? = nil
    ) {
        transfer = Transfer(loader: loader, totalTimeout: settings.totalTimeout, time: time)
        idleTimeout = settings.idleTimeout
        self.settings = settings
        scope = settings.scope
        self.requests = RequestBuilder(settings, accept: accept)
        self.time = time
        self.onEvent = onEvent
        self.memory = memory
        self.network = network
        rules = settings.response
        rates = RateWatch(settings.minimumRate)
        queue = DownloadQueue(
            width: settings.maximumConcurrentDownloads, hostWidth: settings.maximumConcurrentDownloadsPerHost,
            order: settings.order, startRate: settings.startRate)
        for origin in settings.network.allowedOrigins {
            guard let url = URL(string: origin) else { continue }
            _ = queue.setHostWidth(url.hostName, .max, now: .zero)
        }
        retryBudget = RetryBudget(retries: settings.retry.hostBudget)
        failures = FailureMemory(lifetimes: settings.failureLifetimes)
        bodies = BodyPlace(BodyPlace.temporaryDirectory, above: settings.maximumBytesInMemory)
        partials = PartialBodies(byteLimit: settings.maximumResumableBytes)
    }

    func apply(idleTimeout: Duration, totalTimeout: Duration?) {
        self.idleTimeout = idleTimeout
        transfer.totalTimeout = totalTimeout
    }

    deinit {
        alarm.cancel()
        endingAlarm.cancel()
    }

    // MARK: Callers

    /// Returns the complete response to `request`, or the confirmation of the stored response that the request names.
    package nonisolated func download(
        _ request: ImageRequest, _ control: LoadControl? = nil
    ) async throws(ImageLoaderError) -> Download {
        // Flights of loaders may look in caches.
        let key = FlightKey(ResourceKey(request, in: scope), request, in: ObjectIdentifier(self))
        let caller = ResourceFlights.Caller(control)
        if Task.isCancelled { throw .cancelled }
        let outcome = await flights.outcome(of: caller) {
            join(request, key, caller) { flight, control in
                let begun = removals.ticket()
                return work(of: flight, isCurrent: { [removals] in removals.permits(begun, key.key) }) {
                    () async throws(ImageLoaderError) in
                    .init(ResourceBody(try await self.download(request, for: flight, control, key.key, begun)))
                }
            }
        }
        guard let download = try outcome.get().download else { throw .notCached }
        return download
    }

    /// Adds a caller to the flight of a resource, unless it has joined already, and begins a flight if there is none.
    nonisolated func join(
        _ request: ImageRequest, _ key: FlightKey<ResourceKey>, _ caller: ResourceFlights.Caller,
        begin: (FlightID, LoadControl) -> ResourceFlights.Work
    ) {
        if let flight = caller.flightControl {
            flights.countShared()
            report(caller, joins: flight, request)
        } else {
            let place = flights.join(key, caller, priority: request.priority, begin: begin)
            if let place, !place.isFirst { report(caller, joins: place.control, request) }
        }
        caller.control?.endHold()
    }

    private nonisolated func report(
        _ caller: ResourceFlights.Caller, joins flight: LoadControl, _ request: ImageRequest
    ) {
        guard let control = caller.control else { return }
        control.isShared = true
        guard let url = request.url else { return }
        onEvent?(Event(control, url, .coalesced(with: flight.id)))
    }

    /// Ends a caller's wait, even if it has joined a flight early and doesn't need it.
    nonisolated func leave(_ caller: ResourceFlights.Caller) {
        flights.leave(caller)
        if let outcome = caller.promise.take(), case .success(let body) = outcome.result { body.share?.release() }
    }

    // MARK: Flights

    /// The work of a flight whose callers share the memory of its bytes; see
    /// ``Flights/work(of:isCurrent:prepare:refused:load:)``.
    nonisolated func work(
        of flight: FlightID, isCurrent: @escaping @Sendable () -> Bool,
        load: @escaping @Sendable () async throws(ImageLoaderError) -> ResourceFlights.Landing
    ) -> ResourceFlights.Work {
        flights.work(
            of: flight, isCurrent: isCurrent, prepare: { $0.share?.hold(for: $1) },
            refused: { $0.share?.release() }, load: load)
    }

    // MARK: Downloads

    /// Downloads a resource for a flight, or confirms the response that `request` names.
    ///
    /// - Parameter place: The place for a large body.
    func download(
        _ request: ImageRequest, for flight: FlightID, _ control: LoadControl, _ key: ResourceKey,
        _ begun: Download.Ticket, in place: BodyPlace? = nil
    ) async throws(ImageLoaderError) -> Download {
        try await limitRules()
        if !request.asksAnew, let error = failure(for: key, request) { throw error }
        let state = try state(of: flight, control, request, key, begun, place ?? bodies)
        downloads[flight] = state
        control.onChange { [weak self] in
            // Changes needn't stay in order, because each Task reads the current priority.
            Task.detached { [weak self] in await self?.requeue(flight) }
        }
        defer {
            control.onChange(nil)
            downloads[flight] = nil
            downloads.giveBackRoom()
        }
        do throws(ImageLoaderError) {
            let download = try await attempts(at: state)
            end(state, .success(download))
            return download
        } catch {
            end(state, .failure(error))
            throw error
        }
    }

    /// Determines the limits for bodies, which depend on the memory.
    private func limitRules() async throws(ImageLoaderError) {
        if rules.maximumBytes != nil, bodyBudget.isLimitKnown { return }
        guard await bodyBudget.learnLimit() else { throw .cancelled }
        rules = try await rules.limited(within: memory)
    }

    // Not inlined, so that thousands of downloads that wait have small frames.
    @inline(never) private func state(
        of flight: FlightID, _ control: LoadControl, _ request: ImageRequest, _ key: ResourceKey,
        _ begun: Download.Ticket, _ place: BodyPlace
    ) throws(ImageLoaderError) -> DownloadState {
        do throws(ImageLoaderError) {
            var (url, data) = try requests.request(request, idleTimeout: idleTimeout)
            var redirected: Freshness?
            if redirects.count > 0, !request.asksAnew, !requests.prepares {
                (data, redirected) = self.redirected(data, key)
            }
            let hasSubstitute = request.hasSubstitute(at: time.secondsSince1970())
            let mayWait = !hasSubstitute && !request.isBehind
            return DownloadState(
                flight, url, data, control, key, begun, in: place, confirming: request.confirming,
                redirects: redirected, hasSubstitute: hasSubstitute,
                retries: RetryState(request.retry ?? settings.retry, resource: key.text, using: &random),
                networkWait: NetworkWait(
                    atMost: mayWait ? request.connectivityWait ?? settings.connectivityWait : .zero))
        } catch {
            counters.failed += 1
            control.advance { $0.end(error) }
            if let url = request.url { report(refusal: error) { Event(control, url, $0) } }
            throw error
        }
    }

    /// Passes the current priority of a download to the queue.
    private func requeue(_ flight: FlightID) {
        guard let download = downloads[flight] else { return }
        download.sink?.share?.updatePriority()
        advance { $0.setPriority(flight, download.control.priority, now: $1) }
    }
}

/// The flights of a coordinator.
typealias ResourceFlights = Flights<FlightKey<ResourceKey>, ResourceBody>
