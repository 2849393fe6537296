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

    private let transfer: Transfer
    nonisolated let settings: Settings
    /// What the settings add to the keys of all requests.
    nonisolated let scope: KeyScope
    private let requests: RequestBuilder
    let time: TimeSource
    private let onEvent: Report?
    nonisolated let undecoded: UndecodedBytes
    private let memory: ProcessMemory

    /// The requirements for responses. The limit for bodies is determined before the first download.
    private var rules: ResponseRules
    var waiters = Waiters()
    nonisolated let arrivals = Mutex(ArrivalTable<FlightKey<ResourceKey>>())
    /// Downloads that ended while handles were announced for them, until the last of these has joined or been
    /// withdrawn.
    var landed: [FlightKey<ResourceKey>: Download] = [:]
    private var flights = SlotMap<DownloadFlight>()
    var queue: DownloadQueue<FlightID>
    private var rates: RateWatch<FlightID>
    /// The transfer being ended because it is too slow. Only one at a time, because its slot may be all that is needed.
    private var tooSlow: FlightID?
    private var retryBudget: RetryBudget
    var failures: FailureMemory<ResourceKey>
    var partials: PartialBodies<ResourceKey>
    var removals = RemovalLog<ResourceKey>()
    var counters = DownloadStatistics()
    private var random = SystemRandomNumberGenerator()
    /// Fires when the start rate allows a download to start.
    private var alarm = Alarm()
    /// Fires when the next check for transfers that are too slow is due.
    private var rateAlarm = Alarm()

    /// - Parameter accept: The `Accept` field of requests that don't set one.
    package init(
        valid settings: Settings = .init(), loader: any DataLoading, accept: String? = nil,
        time: TimeSource = TimeSource(),
        memory: ProcessMemory = .shared, onEvent: Report? = nil
    ) {
        transfer = Transfer(loader: loader, totalTimeout: settings.totalTimeout, time: time)
        self.settings = settings
        scope = KeyScope(resource: settings.scope)
        self.requests = RequestBuilder(settings, accept: accept)
        self.time = time
        self.onEvent = onEvent
        let undecoded = UndecodedBytes(limit: settings.maximumUndecodedBytes)
        self.undecoded = undecoded
        self.memory = memory
        rules = settings.response
        rates = RateWatch(settings.minimumRate)
        queue = DownloadQueue(
            width: settings.maximumConcurrentDownloads, hostWidth: settings.maximumConcurrentDownloadsPerHost,
            order: settings.order, startRate: settings.startRate)
        retryBudget = RetryBudget(retries: settings.retry.hostBudget)
        failures = FailureMemory(lifetimes: settings.failureLifetimes)
        partials = PartialBodies(byteLimit: settings.maximumResumableBytes)
        undecoded.onRoom { [weak self] in
            Task { await self?.startWaiting() }
        }
    }

    deinit {
        alarm.cancel()
        rateAlarm.cancel()
    }

    /// The complete response to `request`.
    ///
    /// - Parameter control: Carries the load's priority and progress; nil when neither is needed.
    package nonisolated func download(
        _ request: ImageRequest, _ control: LoadControl? = nil
    ) async throws(ImageLoaderError) -> Download { try await outcome(of: request, control).get() }

    /// Returns a `Result` instead of throwing; see Docs/Decisions/0017.
    private func outcome(of request: ImageRequest, _ control: LoadControl?) async -> Waiters.Outcome {
        if rules.maximumBytes == nil {
            do throws(ImageLoaderError) {
                rules = try await rules.limited(within: memory)
            } catch {
                return .failure(error)
            }
        }
        let key = ResourceKey(request, in: scope)
        if !failures.isEmpty, !request.asksAnew, let error = failures.error(for: key, now: time.now()) {
            return .failure(error)
        }

        let flightKey = FlightKey(key, request)
        if let download = landedDownload(flightKey, control) { return .success(download) }

        let waiter = waiters.makeWaiter()
        control?.onPriority { Task { await self.updatePriority(of: waiter) } }
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let priority = control?.priority ?? request.priority
                switch waiters.join(flightKey, as: waiter, control, priority: priority, continuation) {
                case .refused: return
                case .start(let flight, let control): open(flight, request, flightKey, control)
                case .joined(let flight, _):
                    counters.coalesced += 1
                    requeue(flight)
                }
                for arrival in control?.arriving ?? [] { arrivals.withLock { _ = $0.join(arrival, flightKey) } }
                if control != nil { updatePriority(of: waiter) }
            }
        } onCancel: {
            Task { await self.leave(waiter) }
        }
        // The control may outlive this call, and its closure would keep this actor alive.
        control?.onPriority(nil)
        return outcome
    }

    // MARK: Callers

    private func open(
        _ id: FlightID, _ imageRequest: ImageRequest, _ key: FlightKey<ResourceKey>, _ control: LoadControl
    ) {
        let flight: DownloadFlight
        do throws(ImageLoaderError) {
            let (url, data) = try requests.request(imageRequest)
            flight = DownloadFlight(url, data, key, control, removals.ticket())
        } catch {
            counters.failed += 1
            control.advance { $0.end(error) }
            if let url = imageRequest.url {
                onEvent?(Event(load: control.id, url: url, kind: .ended(bytes: 0, error: error)))
            }
            return waiters.land(id, .failure(error))
        }
        flights[id] = flight
        if settings.prepare == nil {
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
        switch flight.slotWait.take() {
        case nil: break
        case .begin: land(id, .failure(.cancelled))
        case .resume(let continuation):
            continuation.resume(returning: nil)
            release(id)
        }
    }

    private func report(_ flight: DownloadFlight, _ kind: Event.Kind) {
        onEvent?(Event(load: flight.control.id, url: flight.url, kind: kind))
    }

    // MARK: Slots

    private func requestSlot(_ id: FlightID, _ wait: DownloadFlight.SlotWait) {
        guard let flight = flights[id] else { return }
        flight.slotWait = wait
        let host = flight.data.url.origin
        advance { $0.request(id, host: host, priority: flight.control.priority, now: $1) }
        if flight.slotWait != nil { report(flight, .queued) }
    }

    func requeue(_ id: FlightID) {
        guard let control = flights[id]?.control else { return }
        advance { $0.setPriority(id, control.priority, now: $1) }
    }

    private func release(_ id: FlightID) {
        rates.end(id)
        advance { $0.release(id, now: $1) }
    }

    /// Changes the queue, and starts the downloads that may start as a result.
    func advance(_ change: (inout DownloadQueue<FlightID>, Duration) -> [FlightID]) {
        let now = time.now()
        start(queue.setRoom(undecoded.hasRoom(), now: now), now)
        start(change(&queue, now), now)
        rates.setWaiting(queue.isShort, now: now)
        setAlarms(now)
    }

    /// Starts downloads that got a slot. Each gets a sink, unless it continues with the one that it has.
    private func start(_ ids: [FlightID], _ now: Duration) {
        for id in ids {
            guard let flight = flights[id], let wait = flight.slotWait.take() else { continue }
            // The progress of a request's body isn't known here, so such requests are exempt.
            if flight.data.body == nil { rates.begin(id, now: now) }
            let sink = flight.sink ?? makeSink(flight)
            if flight.sink == nil { counters.started += 1 }
            flight.sink = sink
            switch wait {
            case .begin: launch(id, into: sink)
            case .resume(let continuation): continuation.resume(returning: sink)
            }
        }
    }

    private func makeSink(_ flight: DownloadFlight) -> ResponseSink {
        // A flight that began before a removal must not use a partial body, nor must a request with its own range.
        let partial = flight.mayResume && isCurrent(flight) ? partials.take(flight.key) : nil
        return flight.makeSink(rules, resuming: partial, undecoded.share(), time, onEvent)
    }

    private func startsAreDue() {
        alarm.rang()
        startWaiting()
    }

    private func setAlarms(_ now: Duration) {
        if let due = queue.nextStart {
            alarm.set(for: due, now: now, time) { [weak self] in await self?.startsAreDue() }
        }
        // Runs only while a download waits for a slot.
        guard rates.isWaiting, tooSlow == nil else { return rateAlarm.cancel() }
        if !rateAlarm.isSet, let due = rates.nextCheck {
            rateAlarm.set(for: due, now: now, time) { [weak self] in await self?.endSlowTransfer() }
        }
    }

    /// Ends a transfer that is too slow while a download waits for its slot.
    private func endSlowTransfer() {
        guard !Task.isCancelled else { return }
        rateAlarm.rang()
        let now = time.now()
        tooSlow = rates.check(now: now, bytes: { flights[$0]?.sink?.receivedHere ?? 0 }, holdsUp: holdsUp)
        if let tooSlow { waiters.stopTask(of: tooSlow) } else { setAlarms(now) }
    }

    /// Whether another download waits for the slot of this one, or for the room that its bytes take up.
    private func holdsUp(_ id: FlightID) -> Bool {
        queue.holdsUp(id) && (queue.hasRoom || flights[id]?.sink?.received ?? 0 > 0)
    }

    // MARK: The flight, off the actor so that it doesn't block others

    private func launch(
        _ id: FlightID, into sink: ResponseSink? = nil, from attempt: Int = 1, after delay: Duration? = nil
    ) {
        guard let flight = flights[id] else { return }
        let (url, request, control) = (flight.url, flight.request, flight.control)
        // Detached, because the flight outlives its first caller and must inherit nothing from it.
        let task = Task.detached { await self.fly(id, url, request, control, into: sink, from: attempt, after: delay) }
        waiters.setTask(task, of: id)
    }

    /// Runs one download from its start to its end.
    ///
    /// - Parameters:
    ///   - sink: The sink, if the download already has a slot.
    ///   - first: The number of the first attempt, which starts after `delay`.
    private nonisolated func fly(
        _ id: FlightID, _ url: URL, _ request: DataRequest, _ control: LoadControl, into sink: ResponseSink?,
        from first: Int, after delay: Duration?
    ) async {
        var (sink, delay) = (sink, delay)
        for attempt in first... {
            if let delay, !(await time.sleep(for: delay)) { return await land(id, .failure(.cancelled)) }
            let prepared: DataRequest
            do throws(ImageLoaderError) {
                prepared = try await requests.prepared(request)
            } catch {
                return await land(id, .failure(error))
            }
            if sink == nil { sink = await slot(for: id, prepared) }
            guard let slot = sink.take() else { return await land(id, .failure(.cancelled)) }
            control.advance { $0.start(attempt: attempt, receiving: slot.receivedBody) }
            onEvent?(Event(load: control.id, url: url, kind: .started))
            if let onEvent, slot.rangeFields != nil {
                onEvent(Event(load: control.id, url: url, kind: .resumed(from: slot.resumableBytes)))
            }
            let outcome = await transfer.run(prepared, into: slot) { await self.move(id, to: $0) }
            delay = await conclude(id, outcome, attempt, slot)
            if delay == nil { return }
        }
    }

    /// Continues at another origin, with a slot there. Returns false if the download was cancelled meanwhile.
    private func move(_ id: FlightID, to next: DataRequest) async -> Bool {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<ResponseSink?, Never>) in
            guard !Task.isCancelled, let flight = flights[id] else { return continuation.resume(returning: nil) }
            flight.slotWait = .resume(continuation)
            advance { $0.move(id, toHost: next.url.origin, now: $1) }
            if flight.slotWait != nil { rates.end(id) }
        } != nil
    }

    private func slot(for id: FlightID, _ prepared: DataRequest) async -> ResponseSink? {
        await withUnsafeContinuation { continuation in
            // The Task may have been cancelled before it requested a slot.
            if Task.isCancelled { return continuation.resume(returning: nil) }
            flights[id]?.prepared = prepared
            requestSlot(id, .resume(continuation))
        }
    }

    /// Ends an attempt and releases its slot. Returns the delay before this Task's next attempt, or nil if it makes
    /// none.
    private func conclude(
        _ id: FlightID, _ outcome: Waiters.Outcome, _ attempt: Int, _ sink: ResponseSink
    ) -> Duration? {
        counters.bytesWasted += sink.wasted
        guard let flight = flights[id] else { return nil }
        flight.sink = nil
        flight.received = sink.received
        flight.continuedBytes = sink.continuedBytes ?? 0
        let isTooSlow = tooSlow == id
        if isTooSlow { tooSlow = nil }
        switch outcome {
        case .success(let download):
            if sink.continuedBytes != nil { counters.resumed += 1 }
            land(id, .success(download.begun(at: flight.begun)))
        case .failure(.cancelled) where isTooSlow && !flight.isAbandoned:
            return retry(id, flight, after: .timedOut(.tooSlow), attempt, sink, isTooSlow: true)
        case .failure(let error):
            return retry(id, flight, after: error, attempt, sink, isTooSlow: isTooSlow)
        }
        return nil
    }

    private func retry(
        _ id: FlightID, _ flight: DownloadFlight, after error: ImageLoaderError, _ attempt: Int, _ sink: ResponseSink,
        isTooSlow: Bool
    ) -> Duration? {
        // The bytes are stored only as a partial body, if they can be continued. Nothing else may hold them.
        flight.control.advance { $0.letGo() }
        sink.undecoded?.release()
        release(id)
        if error.leavesPart, isCurrent(flight), let partial = sink.partial(now: time.secondsSince1970()) {
            partials.keep(partial, for: flight.key)
        }
        // A slow transfer leaves its slot to others.
        guard !flight.isAbandoned, !(isTooSlow && queue.isShort),
            let delay = flight.retryDelay(
                after: error, sink.head, settings.retry, &random, budget: &retryBudget, now: time.secondsSince1970())
        else {
            land(id, .failure(error))
            return nil
        }
        counters.retried += 1
        report(flight, .retried(attempt: attempt, error: error, delay: delay))
        guard isTooSlow else { return delay }
        // The old Task was cancelled, so the flight needs a new one.
        launch(id, from: attempt + 1, after: delay)
        return nil
    }

    /// Whether nothing was removed since the flight began.
    private func isCurrent(_ flight: DownloadFlight) -> Bool { removals.permits(flight.begun, flight.key) }

    /// Ends a flight, whatever its state, and resumes all its waiters.
    private func land(_ id: FlightID, _ outcome: Waiters.Outcome) {
        guard let flight = flights.remove(id) else { return }
        release(id)
        var failure: ImageLoaderError?
        switch outcome {
        case .success(let download):
            let isExpected = isCurrent(flight) && isAnnounced(flight.flightKey)
            download.undecoded?.hold(for: waiters.waiterCount(of: id) + (isExpected ? 1 : 0))
            if isExpected { landed.updateValue(download, forKey: flight.flightKey)?.undecoded?.release() }
            counters.succeeded += 1
            counters.bytesReceived += download.body.count - flight.continuedBytes
            retryBudget.recordSuccess(of: flight.host)
            if !failures.isEmpty { failures.forget(flight.key) }
        case .failure(let error):
            failure = error
            if error == .cancelled { counters.cancelled += 1 } else { counters.failed += 1 }
            if isCurrent(flight) { failures.record(flight.key, error, now: time.now()) }
        }
        flight.control.advance { $0.end(failure) }
        report(flight, .ended(bytes: flight.received, error: failure))
        waiters.land(id, outcome)
    }
}
