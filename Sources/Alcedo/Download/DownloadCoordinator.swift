/// Downloads each resource once, however many ask for it, a limited number of resources at a time, the most urgent
/// first, and again where a failure may pass.
///
/// Cancelling the calling Task resumes that caller at once; when it was the last, the transfer is cancelled.
package actor DownloadCoordinator {
    private typealias Deck = FlightDeck<FlightKey<ResourceKey>, Download>
    private typealias FlightID = Deck.FlightID

    private let transfer: Transfer
    private let settings: ImageLoader.Configuration.Download
    private let requests: RequestBuilder
    private let time: TimeSource
    private let report: EventReport

    private var deck = Deck()
    private var flights = SlotMap<DownloadFlight>()
    private var queue: DownloadQueue<FlightID>
    private var retryBudget: RetryBudget
    private var failures: FailureMemory<ResourceKey>
    private var partials: PartialBodies<ResourceKey>
    private var removals = RemovalLog<ResourceKey>()
    private var counters = DownloadStatistics()
    private var random = SystemRandomNumberGenerator()
    /// Sleeps until the start rate lets somebody start.
    private var alarm: (due: Duration, task: Task<Void, Never>)?

    package init(
        loader: any DataLoading, settings: ImageLoader.Configuration.Download = .init(),
        time: TimeSource = TimeSource(), onEvent: EventReport? = nil
    ) {
        let report = onEvent ?? { _ in }
        transfer = Transfer(loader: loader, totalTimeout: settings.totalTimeout, time: time, report: report)
        self.settings = settings
        self.requests = RequestBuilder(settings)
        self.time = time
        self.report = report
        queue = DownloadQueue(
            width: settings.width, hostWidth: settings.hostWidth, order: settings.order, startRate: settings.startRate)
        retryBudget = RetryBudget(retries: settings.retry.hostBudget)
        failures = FailureMemory(lifetimes: settings.failureLifetimes)
        partials = PartialBodies(byteLimit: settings.resumableByteLimit)
    }

    deinit { alarm?.task.cancel() }

    /// The response to `request`, complete.
    ///
    /// - Parameter control: what its priority and its progress travel by; nil when neither is of interest.
    package nonisolated func download(
        _ request: ImageRequest, _ control: LoadControl? = nil
    ) async throws(ImageLoaderError) -> Download { try await outcome(of: request, control).get() }

    /// A `Result`, not an error: see Docs/Decisions/0017.
    private func outcome(of request: ImageRequest, _ control: LoadControl?) async -> Deck.Outcome {
        let key = ResourceKey(request)
        if !failures.isEmpty, !request.asksAnew, let error = failures.error(for: key, now: time.now()) {
            return .failure(error)
        }

        let waiter = deck.makeWaiter()
        control?.onPriority { Task { await self.updatePriority(of: waiter) } }
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let priority = control?.priority ?? request.priority
                let flightKey = FlightKey(key, request.cachePolicy)
                switch deck.join(flightKey, as: waiter, control, priority: priority, continuation) {
                case .refused: break
                case .start(let flight, let control): open(flight, request, key, control)
                case .joined(let flight): share(flight)
                }
                if control != nil { updatePriority(of: waiter) }
            }
        } onCancel: {
            Task { await self.leave(waiter) }
        }
        // A control may be kept for longer, and would keep this actor.
        control?.onPriority(nil)
        return outcome
    }

    // MARK: Callers

    private func open(_ id: FlightID, _ imageRequest: ImageRequest, _ key: ResourceKey, _ control: LoadControl) {
        let request: WebRequest
        do throws(ImageLoaderError) {
            request = try requests.webRequest(imageRequest)
        } catch {
            counters.failed += 1
            control.advance { $0.end(error) }
            if let url = imageRequest.url { report(.downloadEnded(url, bytes: 0, error: error)) }
            return deck.land(id, .failure(error))
        }
        flights[id] = DownloadFlight(request, key, control, removals.ticket())
        if settings.prepare == nil {
            lineUp(id, .begin)
        } else {
            // The hook comes before the slot, which is not held while it takes its time.
            deck.setTask(Task.detached { await self.fly(id, request, control, into: nil) }, of: id)
        }
    }

    private func share(_ id: FlightID) {
        counters.coalesced += 1
        requeue(id)
    }

    private func leave(_ waiter: Deck.WaiterID) {
        switch deck.leave(waiter) {
        case .nothing: break
        case .remains(let flight): requeue(flight)
        case .cancelled(let flight): abandon(flight)
        }
    }

    private func updatePriority(of waiter: Deck.WaiterID) {
        if let flight = deck.updatePriority(of: waiter) { requeue(flight) }
    }

    /// Nobody waits for it any more, and its Task, if it has one, is cancelled.
    private func abandon(_ id: FlightID) {
        guard let flight = flights[id] else { return }
        flight.sink?.abandon()
        switch flight.inLine {
        case nil: break
        case .begin: land(id, .failure(.cancelled))
        case .goOn(let continuation):
            flights[id]?.inLine = nil
            continuation.resume(returning: nil)
            start(queue.release(id, now: time.now()))
        }
    }

    // MARK: Slots

    private func lineUp(_ id: FlightID, _ turn: DownloadFlight.Turn) {
        guard let flight = flights[id] else { return }
        flights[id]?.inLine = turn
        let started = queue.request(
            id, host: flight.request.host, priority: flight.control.priority, now: time.now())
        if !started.contains(id) { report(.downloadQueued(flight.request.url)) }
        start(started)
    }

    private func requeue(_ id: FlightID) {
        guard let control = flights[id]?.control else { return }
        start(queue.setPriority(id, control.priority, now: time.now()))
    }

    /// Gives each its sink, which stands for its slot.
    private func start(_ ids: [FlightID]) {
        for id in ids {
            guard let flight = flights[id], let turn = flight.inLine else { continue }
            let sink = makeSink(flight)
            flights[id]?.inLine = nil
            flights[id]?.sink = sink
            counters.started += 1
            switch turn {
            case .begin:
                let (request, control) = (flight.request, flight.control)
                // Detached: the flight outlives its first caller and inherits nothing of it.
                deck.setTask(Task.detached { await self.fly(id, request, control, into: sink) }, of: id)
            case .goOn(let continuation):
                continuation.resume(returning: sink)
            }
        }
        setAlarm()
    }

    private func makeSink(_ flight: DownloadFlight) -> ResponseSink {
        let (url, control, report) = (flight.request.url, flight.control, report)
        let method = flight.data.method
        let asksForPart = flight.data.headers["Range"] != nil
        // Not for one begun before a removal, nor in place of a range that the request has itself.
        let partial = method == .get && isCurrent(flight) && !asksForPart ? partials.take(flight.key) : nil
        return ResponseSink(
            rules: settings.response, method: method, resuming: partial, asksForPart: asksForPart,
            time: time
        ) {
            switch $0 {
            case .response(let head):
                control.advance { $0.respond(head) }
            case .progress(let received, let expected):
                control.advance { $0.receive(received, of: expected) }
                report(.downloadProgress(url, received: received, expected: expected))
            }
        }
    }

    private func setAlarm() {
        guard let due = queue.nextStart else { return }
        if let alarm, alarm.due <= due { return }
        alarm?.task.cancel()
        let delay = due - time.now()
        let task = Task.detached { [weak self, time] in
            if await time.sleep(for: delay) { await self?.tick() }
        }
        alarm = (due, task)
    }

    private func tick() {
        alarm = nil
        start(queue.tick(now: time.now()))
    }

    // MARK: The flight, off the actor, which others need meanwhile

    /// The whole life of one download.
    ///
    /// - Parameter sink: comes with the slot, if it has one already.
    private nonisolated func fly(
        _ id: FlightID, _ request: WebRequest, _ control: LoadControl, into sink: ResponseSink?
    ) async {
        var sink = sink
        for attempt in 1... {
            let prepared: DataRequest
            do throws(ImageLoaderError) {
                prepared = try await requests.prepared(request)
            } catch {
                return await land(id, .failure(error))
            }
            if sink == nil { sink = await slot(for: id, prepared) }
            guard let slot = sink.take() else { return await land(id, .failure(.cancelled)) }
            control.advance { $0.start(attempt: attempt, into: slot) }
            report(.downloadStarted(request.url))
            let outcome = await transfer.run(prepared, of: request.url, into: slot)
            guard let delay = await conclude(id, outcome, attempt, slot) else { return }
            guard await time.sleep(for: delay) else { return await land(id, .failure(.cancelled)) }
        }
    }

    private func slot(for id: FlightID, _ prepared: DataRequest) async -> ResponseSink? {
        await withUnsafeContinuation { continuation in
            // Cancelled before it came here: it has no place to give back.
            if Task.isCancelled { return continuation.resume(returning: nil) }
            flights[id]?.prepared = prepared
            lineUp(id, .goOn(continuation))
        }
    }

    /// An attempt is over: gives back its slot and says after which delay to try again; nil when the flight is over.
    private func conclude(
        _ id: FlightID, _ outcome: Deck.Outcome, _ attempt: Int, _ sink: ResponseSink
    ) -> Duration? {
        counters.bytesWasted += sink.wasted
        guard let flight = flights[id] else { return nil }
        let outcome = outcome.map { $0.begun(at: flight.begun) }
        flight.sink = nil
        flight.received = sink.received
        flight.continuedBytes = sink.continuedBytes ?? 0
        if case .failure(let error) = outcome {
            // What came of it is kept where it can be continued, and not beside that.
            flight.control.advance { $0.letGo() }
            start(queue.release(id, now: time.now()))
            if error.leavesPart, isCurrent(flight), let partial = sink.partial(now: time.secondsSince1970()) {
                partials.keep(partial, for: flight.key)
            }
            // A cancelled flight has no waiters, whatever its transport reports.
            if !Task.isCancelled, let delay = retryDelay(flight, after: error, sink.head) {
                counters.retried += 1
                report(.downloadRetried(flight.request.url, attempt: attempt, error: error, delay: delay))
                return delay
            }
        } else {
            if sink.continuedBytes != nil { counters.resumed += 1 }
        }
        land(id, outcome)
        return nil
    }

    /// Whether nothing was removed since it began.
    private func isCurrent(_ flight: DownloadFlight) -> Bool { removals.permits(flight.begun, flight.key) }

    private func retryDelay(_ flight: DownloadFlight, after error: ImageLoaderError, _ head: ResponseHead?) -> Duration?
    {
        var retries = flight.retries ?? RetryState(settings.retry, resource: flight.key.text, using: &random)
        defer { flight.retries = retries }
        return retries.delay(
            after: error, headers: head?.headers ?? [:], isIdempotent: flight.data.method.isIdempotent,
            host: flight.request.host, budget: &retryBudget, now: time.secondsSince1970())
    }

    /// Ends a flight, wherever it is, and resumes all who wait for it.
    private func land(_ id: FlightID, _ outcome: Deck.Outcome) {
        guard let flight = flights.remove(id) else { return }
        start(queue.release(id, now: time.now()))
        var failure: ImageLoaderError?
        switch outcome {
        case .success(let download):
            counters.succeeded += 1
            counters.bytesReceived += download.body.count - flight.continuedBytes
            retryBudget.recordSuccess(of: flight.request.host)
            if !failures.isEmpty { failures.forget(flight.key) }
        case .failure(let error):
            failure = error
            if error == .cancelled { counters.cancelled += 1 } else { counters.failed += 1 }
            if isCurrent(flight) { failures.record(flight.key, error, now: time.now()) }
        }
        flight.control.advance { $0.end(failure) }
        report(.downloadEnded(flight.request.url, bytes: flight.received, error: failure))
        deck.land(id, outcome)
    }
}

// MARK: - For the loader

extension DownloadCoordinator {
    /// Callers from now on start a new download, as what is under way was begun before a removal; what is known of
    /// earlier ones is forgotten.
    package func retire(_ key: ResourceKey) {
        for policy in CachePolicy.allCases {
            deck.retire(FlightKey(key, policy))
        }
        removals.record(key)
        failures.forget(key)
        partials.remove(key)
    }

    package func retireAll() {
        deck.retireAll()
        removals.recordAll()
        failures.forgetAll()
        partials.removeAll()
    }

    /// What was downloaded proved useless: it is not asked for again for a while, unless it was removed meanwhile.
    func recordFailure(_ error: ImageLoaderError, of request: ImageRequest, _ download: Download) {
        let key = ResourceKey(request)
        guard let begun = download.begun, removals.permits(begun, key) else { return }
        failures.record(key, error, now: time.now())
    }

    func forgetFailure(of request: ImageRequest) { failures.forget(ResourceKey(request)) }
    func forgetAllFailures() { failures.forgetAll() }

    package func pause() { queue.pause() }
    package func resume() { start(queue.resume(now: time.now())) }

    package func setWidth(_ width: Int?, ofHost host: String) {
        start(queue.setHostWidth(host, width, now: time.now()))
    }

    package var statistics: DownloadStatistics {
        var statistics = counters
        statistics.inFlight = queue.runningCount
        statistics.queued = queue.waitingCount
        statistics.queuedByHost = queue.waitingByHost
        return statistics
    }
}
