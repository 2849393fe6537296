import Foundation
import Synchronization

/// Downloads resources, each one once however many callers ask for it.
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
/// If a calling Task is cancelled, that caller resumes at once. If it was the last one, the transfer is cancelled and
/// its connection closed.
public actor DownloadCoordinator {
    typealias Waiters = FlightWaiters<FlightKey<ResourceKey>, Download>
    typealias FlightID = Waiters.FlightID
    typealias Outcome = Waiters.Outcome

    nonisolated let turns = TurnExecutor()
    let transfer: Transfer
    nonisolated let settings: Settings
    /// What the settings add to the keys of all requests.
    nonisolated let scope: KeyScope
    let requests: RequestBuilder
    let time: TimeSource
    let onEvent: Report?
    nonisolated var bodyBudget: BodyBudget { settings.bodyBudget }
    private let memory: ProcessMemory

    /// The requirements for responses. The limit for bodies is determined before the first download.
    private(set) var rules: ResponseRules
    var waiters = Waiters()
    nonisolated let arrivals = Mutex(ArrivalTable<FlightKey<ResourceKey>>())
    /// Downloads that ended while handles were announced for them, until the last of these has joined or been
    /// withdrawn. None is kept if the budget for bodies is exhausted.
    var landed: [FlightKey<ResourceKey>: Download] = [:]
    var flights = SlotMap<DownloadFlight>()
    var queue: DownloadQueue<FlightID>
    var rates: RateWatch<FlightID>
    /// The transfer being ended for the sake of others. Only one at a time, because its slot may be all that is needed.
    var ending: (flight: FlightID, reason: DownloadFlight.Ending)?
    var retryBudget: RetryBudget
    var failures: FailureMemory<ResourceKey>
    var redirects = RedirectMemory<ResourceKey>()
    var partials: PartialBodies<ResourceKey>
    var removals = RemovalLog<ResourceKey>()
    var credentials = CredentialTable<FlightID>()
    /// The calls of the program's hook for credentials, by origin.
    var hookCalls: [String: Task<Void, Never>] = [:]
    /// Whether no download has begun since a removal found none under way and nothing left of earlier ones.
    nonisolated let isIdle = Atomic(true)
    var counters = DownloadStatistics()
    var random = SystemRandomNumberGenerator()
    /// Loaders whose loads are refused.
    var closedLoaders: Set<ObjectIdentifier> = []
    /// Callers that wait until certain flights without waiters have ended.
    var settlers = Settlers<FlightID>()
    /// Fires when the start rate allows a download to start.
    var alarm = Alarm()
    /// Fires when the next check for transfers that are too slow, or that have to yield, is due.
    var endingAlarm = Alarm()

    /// - Parameter accept: The `Accept` field of requests that don't set one.
    package init(
        valid settings: Settings = .init(), loader: any DataLoading, accept: String? = nil,
        time: TimeSource = TimeSource(), memory: ProcessMemory = .shared, onEvent: Report? = nil
    ) {
        transfer = Transfer(loader: loader, totalTimeout: settings.totalTimeout, time: time)
        self.settings = settings
        scope = settings.scope
        self.requests = RequestBuilder(settings, accept: accept)
        self.time = time
        self.onEvent = onEvent
        self.memory = memory
        rules = settings.response
        rates = RateWatch(settings.minimumRate)
        queue = DownloadQueue(
            width: settings.maximumConcurrentDownloads, hostWidth: settings.maximumConcurrentDownloadsPerHost,
            order: settings.order, startRate: settings.startRate)
        retryBudget = RetryBudget(retries: settings.retry.hostBudget)
        failures = FailureMemory(lifetimes: settings.failureLifetimes)
        partials = PartialBodies(byteLimit: settings.maximumResumableBytes)
    }

    /// Free most of the time, so most turns need no suspension.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { turns.asUnownedSerialExecutor() }

    deinit {
        alarm.cancel()
        endingAlarm.cancel()
    }

    /// The complete response to `request`.
    ///
    /// - Parameters:
    ///   - control: Carries the load's priority and progress; nil when neither is needed.
    ///   - isFlight: Whether a flight waits, whose own callers count in its place.
    package nonisolated func download(
        _ request: ImageRequest, _ control: LoadControl? = nil, isFlight: Bool = false
    ) async throws(ImageLoaderError) -> Download {
        let download = try await outcome(of: request, control, isFlight).get()
        guard download.isConfirmation, download.response.version != request.confirming?.version else { return download }
        // It was shared with a caller that has the body already.
        return try await outcome(of: request.needingBody, control, isFlight).get()
    }

    /// Returns a `Result` instead of throwing; see Docs/Decisions/0017.
    @concurrent private nonisolated func outcome(
        of request: ImageRequest, _ control: LoadControl?, _ isFlight: Bool
    ) async -> Outcome {
        if Task.isCancelled { return Outcome(.failure(.cancelled)) }
        let caller = Waiters.Caller(request, control, isFlight: isFlight) { waiter in
            self.turns.later(self) { $0.leave(waiter) }
        }
        let outcome = await withTaskCancellationHandler {
            await join(caller)
            return await caller.promise.value()
        } onCancel: {
            caller.cancel()
        }
        // The control may outlive this call, and its closure would keep this actor alive.
        control?.onChange(nil)
        return outcome
    }

    private func join(_ caller: Waiters.Caller) async {
        let error = isLimited ? nil : await limitRules()
        let (request, control) = (caller.request, caller.control)
        let key = FlightKey(ResourceKey(request, in: scope), request)
        let refusal = isClosed(control) ? .closed : error
        if let outcome = refusal.map({ Outcome(.failure($0)) }) ?? outcomeInAdvance(of: request, key, control) {
            if !caller.promise.end(outcome), case .success(let download) = outcome.result { download.share?.release() }
            return
        }
        isIdle.store(false, ordering: .sequentiallyConsistent)
        let priority = control?.priority ?? request.priority
        guard let place = waiters.join(key, caller, priority: priority, loader: control?.loader) else { return }
        for arrival in control?.takeArriving() ?? [] { arrivals.withLock { _ = $0.join(arrival, key) } }
        if !landed.isEmpty, !isAnnounced(key) { dropLanded(key) }
        if place.isFirst {
            open(place.flight, request, key, place.control)
        } else {
            counters.coalesced += 1
            if let control { note(control, joins: place.control, request) }
            requeue(place.flight)
        }
        if let control { follow(control, place.waiter, readAs: priority) }
    }

    private func note(_ control: LoadControl, joins leader: LoadControl, _ request: ImageRequest) {
        guard let onEvent, let url = request.url else { return }
        control.isShared = true
        onEvent(Event(load: control.id, url: url, kind: .coalesced(with: leader.id)))
    }

    private func follow(_ control: LoadControl, _ waiter: Waiters.WaiterID, readAs priority: RequestPriority) {
        control.onChange { self.turns.later(self) { $0.reread(waiter) } }
        // It may have changed since it was read.
        if control.priority != priority { updatePriority(of: waiter) }
    }

    /// Whether the limits are known that depend on the memory.
    private var isLimited: Bool { rules.maximumBytes != nil && bodyBudget.isLimitKnown }

    /// Determines the limits for bodies. Returns an error if that can't be done.
    @inline(never) private func limitRules() async -> ImageLoaderError? {
        do throws(ImageLoaderError) {
            guard await bodyBudget.learnLimit() else { throw .cancelled }
            rules = try await rules.limited(within: memory)
            return nil
        } catch {
            return error
        }
    }

    /// The outcome if nothing needs to be downloaded: a failure that is remembered, or a download that ended after the
    /// caller's handle was announced.
    private func outcomeInAdvance(
        of request: ImageRequest, _ key: FlightKey<ResourceKey>, _ control: LoadControl?
    ) -> Outcome? {
        if !failures.isEmpty, !request.asksAnew, let error = failure(for: key.key, request) {
            return Outcome(.failure(error))
        }
        return landedDownload(key, control).map { Outcome(.success($0)) }
    }

    // MARK: Callers

    private func open(
        _ id: FlightID, _ imageRequest: ImageRequest, _ key: FlightKey<ResourceKey>, _ control: LoadControl
    ) {
        let flight: DownloadFlight
        do throws(ImageLoaderError) {
            var (url, data) = try requests.request(imageRequest)
            var redirected: Freshness?
            if redirects.count > 0, !imageRequest.asksAnew, !requests.prepares {
                (data, redirected) = self.redirected(data, key.key)
            }
            let plan = FlightPlan(
                url, data, control, confirming: imageRequest.confirming, redirects: redirected,
                hasSubstitute: imageRequest.hasSubstitute(at: time.secondsSince1970()))
            flight = DownloadFlight(plan, key, removals.ticket())
        } catch {
            counters.failed += 1
            control.advance { $0.end(error) }
            if let url = imageRequest.url {
                report(refusal: error) { Event(load: control.id, url: url, kind: $0) }
            }
            waiters.land(id, Outcome(.failure(error)))
            return
        }
        flights[id] = flight
        if !requests.prepares {
            requestSlot(id, .begin)
        } else {
            // No slot is held while the hook runs.
            launch(id)
        }
    }

    /// Ends a flight that has no waiters. Its Task, if it has one, has already been cancelled.
    func abandon(_ id: FlightID) {
        guard let flight = flights[id] else { return }
        flight.isAbandoned = true
        flight.sink?.abandon()
        stopWaitingForCredentials(id, flight)
        switch flight.slotWait.take() {
        case nil: break
        case .begin: land(id, .failure(.cancelled))
        case .resume(let continuation):
            continuation.resume(returning: nil)
            release(id)
        }
    }

    // MARK: Slots

    func requestSlot(_ id: FlightID, _ wait: DownloadFlight.SlotWait) {
        guard let flight = flights[id] else { return }
        flight.slotWait = wait
        let host = flight.currentHost
        advance {
            flight.queuedAt = flight.queuedAt ?? $1
            let control = flight.control
            return $0.request(id, host: host, load: control.id.number, priority: control.priority, now: $1)
        }
        guard flight.slotWait != nil, !flight.isReportedAsQueued else { return }
        flight.isReportedAsQueued = true
        report(flight, .began(.queued))
    }

    func requeue(_ id: FlightID) {
        guard let flight = flights[id] else { return }
        if flight.isParked, isWanted(flight), let wait = flight.slotWait {
            flight.isParked = false
            requestSlot(id, wait)
        } else {
            flight.sink?.share?.updatePriority()
            advance { $0.setPriority(id, flight.control.priority, now: $1) }
        }
    }

    /// Whether somebody waits for a download or is about to. A caller that has cancelled doesn't, even before it has
    /// left.
    func isWanted(_ flight: DownloadFlight) -> Bool { flight.control.isWanted || isAnnounced(flight.flightKey) }

    func release(_ id: FlightID, yields: Bool = false) {
        rates.end(id)
        advance { yields ? $0.yield(id, now: $1) : $0.release(id, now: $1) }
    }

    /// Changes the queue, and starts the downloads that may start as a result.
    func advance(_ change: (inout DownloadQueue<FlightID>, Duration) -> [FlightID]) {
        let now = time.now()
        start(queue.setRoom(from: bodyBudget.hasRoom ? .veryLow : nil, now: now), now)
        start(change(&queue, now), now)
        if !queue.hasRoom { awaitRoom(now) }
        rates.setWaiting(queue.isShort, now: now)
        setAlarms()
    }

    /// Starts downloads that got a slot. Each gets a sink, unless it continues with the one that it has.
    ///
    /// A download that nobody wants any more leaves its slot to others, until its callers have left or another one
    /// joins it.
    func start(_ ids: [FlightID], _ now: Duration) {
        var ids = ids[...]
        while let id = ids.popFirst() {
            guard let flight = flights[id], flight.slotWait != nil else { continue }
            flight.isParked = !isWanted(flight)
            if flight.isParked {
                rates.end(id)
                ids += queue.release(id, now: now)
            }
            guard !flight.isParked, let wait = flight.slotWait.take() else { continue }
            // The progress of a request's body isn't known here, so such requests are exempt.
            if !flight.hasBody { rates.begin(id, now: now) }
            endWait(of: flight, at: now)
            let sink = flight.sink ?? makeSink(flight)
            if flight.sink == nil { counters.started += 1 }
            flight.sink = sink
            switch wait {
            case .begin: launch(id, into: sink)
            case .resume(let continuation): continuation.resume(returning: sink)
            }
        }
    }
}
