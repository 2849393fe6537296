import Foundation

/// The flight, off the actor so that it doesn't block others.
extension DownloadCoordinator {
    func launch(_ id: FlightID, into sink: ResponseSink? = nil) {
        guard let plan = flights[id]?.plan else { return }
        // Detached, because the flight outlives its first caller and must inherit nothing from it.
        plan.control.work(in: Task.detached { await self.fly(id, plan, into: sink) })
    }

    func makeSink(_ flight: DownloadFlight) -> ResponseSink {
        // A flight that began before a removal must not use a partial body, nor must a request with its own range.
        let partial = flight.mayResume && isCurrent(flight) ? partials.take(flight.key) : nil
        let share = bodyBudget.share { [control = flight.control] in control.priority }
        return flight.makeSink(settings, rules, resuming: partial, share, time, onEvent)
    }

    /// Runs one download from its start to its end.
    ///
    /// - Parameters:
    ///   - sink: The sink, if the download already has a slot.
    ///   - first: The number of the first attempt, which starts after `delay`.
    private nonisolated func fly(
        _ id: FlightID, _ plan: FlightPlan, into sink: ResponseSink?, from first: Int = 1, after delay: Duration? = nil
    ) async {
        var (sink, delay) = (sink, delay)
        for number in first... {
            if let delay, !(await time.sleep(for: delay)) { return await fail(id, .cancelled) }
            let next: DownloadFlight.Next
            if let sink, !requests.prepares {
                next = await attempt(number, of: id, plan, into: sink)
            } else {
                next = await attemptWithoutSlot(number, of: id, plan)
            }
            switch next {
            case .retry(let pause): (sink, delay) = (nil, pause)
            case .authenticate: (sink, delay) = (nil, nil)
            case .over: return
            }
        }
    }

    /// Prepares an attempt and waits for its slot. No slot is held while the program's hook runs.
    @inline(never) private nonisolated func attemptWithoutSlot(
        _ number: Int, of id: FlightID, _ plan: FlightPlan
    ) async -> DownloadFlight.Next {
        let prepared: FlightPlan
        do throws(ImageLoaderError) {
            prepared = plan.prepared(try await requests.prepared(plan.request))
        } catch {
            await fail(id, error)
            return .over
        }
        guard let sink = await slot(for: id, prepared.request) else {
            await fail(id, .cancelled)
            return .over
        }
        guard settings.authenticate != nil else { return await attempt(number, of: id, prepared, into: sink) }
        return await attemptWithCredentials(number, of: id, prepared, into: sink)
    }

    @inline(never) nonisolated func attempt(
        _ number: Int, of id: FlightID, _ plan: FlightPlan, into sink: ResponseSink
    ) async -> DownloadFlight.Next {
        // Its callers may have cancelled since it got its slot.
        if !plan.control.isWanted, !(await hasSlotWhenWanted(id)) {
            return await conclude(id, .failure(.cancelled), number, sink)
        }
        begin(number, plan, sink)
        let outcome = await transfer.run(plan.request, into: sink) { await self.move(id, to: $0) }
        return await conclude(id, outcome, number, sink)
    }

    /// Releases the slot of a download while nobody wants it. Returns false if it was cancelled.
    private func hasSlotWhenWanted(_ id: FlightID) async -> Bool {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<ResponseSink?, Never>) in
            guard let flight = wanted(id) else { return continuation.resume(returning: nil) }
            flight.slotWait = .resume(continuation)
            advance { _, _ in [id] }
        } != nil
    }

    @inline(never) private nonisolated func begin(_ attempt: Int, _ plan: FlightPlan, _ sink: ResponseSink) {
        plan.control.advance { $0.start(attempt: attempt, receiving: sink.receivedBody) }
        sink.start()
        guard let onEvent else { return }
        onEvent(plan.event(.began(.download)))
        if sink.rangeFields != nil { onEvent(plan.event(.resumed(from: sink.resumableBytes))) }
    }

    /// Continues at another origin, with a slot of its host. Returns the request to send, or nil if the download was
    /// cancelled meanwhile.
    private func move(_ id: FlightID, to next: DataRequest) async -> DataRequest? {
        let sink = await withUnsafeContinuation { (continuation: UnsafeContinuation<ResponseSink?, Never>) in
            guard let flight = wanted(id) else { return continuation.resume(returning: nil) }
            flight.slotWait = .resume(continuation)
            flight.movedHost = next.url.hostName
            advance { $0.move(id, toHost: next.url.hostName, now: $1) }
            if flight.slotWait != nil { rates.end(id) }
        }
        guard sink != nil else { return nil }
        return settings.authenticate == nil ? next : addCredentials(to: next, of: id)
    }

    private func slot(for id: FlightID, _ prepared: DataRequest) async -> ResponseSink? {
        await withUnsafeContinuation { continuation in
            guard let flight = wanted(id) else { return continuation.resume(returning: nil) }
            if requests.prepares { flight.prepared = prepared }
            requestSlot(id, .resume(continuation))
        }
    }

    /// A flight whose Task is about to wait for a slot; nil if its last waiter has left.
    func wanted(_ id: FlightID) -> DownloadFlight? {
        guard !Task.isCancelled, let flight = flights[id], !flight.isAbandoned else { return nil }
        return flight
    }

    /// Ends an attempt and releases its slot.
    private nonisolated func conclude(
        _ id: FlightID, _ outcome: Result<Download, ImageLoaderError>, _ attempt: Int, _ sink: ResponseSink
    ) async -> DownloadFlight.Next {
        if let next = turns.now(self, { $0.concludeInTurn(id, outcome, attempt, sink) }) { return next }
        return await concludeInTurn(id, outcome, attempt, sink)
    }

    @inline(never) private func concludeInTurn(
        _ id: FlightID, _ outcome: Result<Download, ImageLoaderError>, _ attempt: Int, _ sink: ResponseSink
    ) -> DownloadFlight.Next {
        counters.bytesWasted += sink.wasted
        guard let flight = flights[id] else { return .over }
        flight.sink = nil
        flight.movedHost = nil
        flight.received = sink.received
        flight.continuedBytes = sink.continuedBytes ?? 0
        endAttempt(of: flight, outcome, sink)
        let ending = takeEnding(of: id)
        let next = next(id, flight, outcome, attempt, sink, ending)
        guard ending != nil else { return next }
        switch next {
        case .retry(let delay): flyAnew(id, flight, from: attempt + 1, after: delay)
        case .authenticate: flyAnew(id, flight, from: attempt + 1, authenticates: true)
        case .over: return next
        }
        return .over
    }

    /// Decides what follows an attempt, and releases its slot.
    ///
    /// - Parameter ending: Why the attempt was told to end, which it may have done in another way just before.
    private func next(
        _ id: FlightID, _ flight: DownloadFlight, _ outcome: Result<Download, ImageLoaderError>, _ attempt: Int,
        _ sink: ResponseSink, _ ending: DownloadFlight.Ending?
    ) -> DownloadFlight.Next {
        switch outcome {
        case .success(let download):
            if sink.continuedBytes != nil { counters.resumed += 1 }
            noteRedirects(flight, sink)
            land(id, .success(download))
            return .over
        case .failure(.cancelled) where ending == .tooSlow && !flight.isAbandoned:
            return retry(id, flight, after: .timedOut(.tooSlow), attempt, sink, ending)
        case .failure(.cancelled) where ending == .yields && !flight.isAbandoned:
            return yield(id, flight, attempt, sink)
        case .failure(let error):
            if error == .badStatus(401), asksForCredentials(id, flight, sink) { return .authenticate }
            return retry(id, flight, after: error, attempt, sink, ending)
        }
    }

    func report(_ flight: DownloadFlight, _ kind: Event.Kind) { onEvent?(flight.plan.event(kind)) }

    /// Reports a download that ends before its first attempt, as one that has waited.
    func report(refusal error: ImageLoaderError, _ event: (Event.Kind) -> Event) {
        guard let onEvent else { return }
        onEvent(event(.began(.queued)))
        onEvent(event(.ended(.queued, StageOutcome(duration: .zero, error: error))))
    }

    /// Counts how long a flight waited, once it has its slot or has ended.
    func endWait(of flight: DownloadFlight, at now: Duration, _ error: ImageLoaderError? = nil) {
        guard let began = flight.queuedAt.take() else { return }
        if error == nil { counters.slotWaits.record(now - began) }
        guard flight.isReportedAsQueued else { return }
        flight.isReportedAsQueued = false
        report(flight, .ended(.queued, StageOutcome(duration: now - began, error: error)))
    }

    /// Counts how long an attempt took that has begun.
    private func endAttempt(
        of flight: DownloadFlight, _ outcome: Result<Download, ImageLoaderError>, _ sink: ResponseSink
    ) {
        guard let time = sink.elapsed else { return }
        flight.wasSent = true
        var flags: LoadFlags = sink.continuedBytes == nil ? [] : .resumed
        var failure: ImageLoaderError?
        switch outcome {
        case .success(let download):
            counters.transfers.record(time)
            if download.isConfirmation { flags.insert(.revalidated) }
        case .failure(let error): failure = error
        }
        guard onEvent != nil else { return }
        if let failure, let connecting = sink.failedConnectTime {
            report(flight, .ended(.connect, StageOutcome(duration: connecting, error: failure)))
        }
        let end = StageOutcome(duration: time, bytes: sink.received, flags: flags, error: failure)
        report(flight, .ended(.download, end))
    }

    /// The recent failure with which a download would end, or for which a stale response is used.
    func failure(for key: ResourceKey, _ request: ImageRequest) -> ImageLoaderError? {
        let now = time.now()
        if let error = failures.error(for: key, from: request.url, now: now) { return error }
        guard let error = failures.errorBeforeFallback(for: key, from: request.url, now: now), error.permitsStale,
            request.hasSubstitute(at: time.secondsSince1970())
        else { return nil }
        return error
    }

    /// The request to where an earlier one was redirected, and how long these redirects may be followed again.
    func redirected(_ request: DataRequest, _ key: ResourceKey) -> (DataRequest, Freshness?) {
        var next = request
        var freshness: Freshness?
        do throws(ImageLoaderError) {
            for hop in redirects.redirects(of: key, from: request.url, at: time.secondsSince1970()) {
                next = try next.redirected(status: hop.status, to: hop.location).withCredentialsAsField()
                freshness = freshness?.limited(by: hop.freshness) ?? hop.freshness
            }
            return (next, freshness)
        } catch {
            // The transport will meet the redirect, and report why it isn't followed.
            return (request, nil)
        }
    }

    private func noteRedirects(_ flight: DownloadFlight, _ sink: ResponseSink) {
        let hops = sink.redirects
        guard !hops.isEmpty || redirects.count > 0 else { return }
        guard !flight.plan.isRedirected, flight.data.method == .get, isCurrent(flight) else { return }
        redirects.record(flight.key, from: flight.data.url, hops)
    }

    private func retry(
        _ id: FlightID, _ flight: DownloadFlight, after error: ImageLoaderError, _ attempt: Int, _ sink: ResponseSink,
        _ ending: DownloadFlight.Ending?
    ) -> DownloadFlight.Next {
        flight.refusalFreshness = sink.refusalFreshness
        redirects.forget(flight.key)
        letGo(of: flight, sink, keepsPart: error.leavesPart)
        // Another download of the same resource may get the slot, and continues the part.
        release(id)
        // A slow transfer leaves its slot to others.
        guard !flight.isAbandoned, !(ending == .tooSlow && queue.isShort), !flight.plan.hasSubstitute,
            let delay = flight.retryDelay(
                after: error, sink.head, settings.retry, &random, budget: &retryBudget, now: time.secondsSince1970())
        else {
            land(id, .failure(error))
            return .over
        }
        counters.retried += 1
        report(flight, .retried(attempt: attempt, error: error, delay: delay))
        return .retry(after: delay)
    }

    /// Puts a download that leaves its slot to another host back into the queue. That is no retry.
    private func yield(_ id: FlightID, _ flight: DownloadFlight, _ attempt: Int, _ sink: ResponseSink)
        -> DownloadFlight.Next
    {
        letGo(of: flight, sink, keepsPart: true)
        release(id, yields: true)
        flyAnew(id, flight, from: attempt)
        return .over
    }

    /// The bytes of an attempt that failed are stored only as a partial body, if they can be continued. Nothing else
    /// may hold them.
    private func letGo(of flight: DownloadFlight, _ sink: ResponseSink, keepsPart: Bool) {
        flight.control.advance { $0.letGo() }
        sink.share?.release()
        guard keepsPart, isCurrent(flight), let partial = sink.partial(now: time.secondsSince1970()) else { return }
        partials.keep(partial, for: flight.key)
    }

    /// Continues a flight whose Task was cancelled in a new one.
    ///
    /// - Parameter authenticates: Whether it waits for credentials first.
    private func flyAnew(
        _ id: FlightID, _ flight: DownloadFlight, from attempt: Int, after delay: Duration? = nil,
        authenticates: Bool = false
    ) {
        let plan = flight.plan
        plan.control.work(
            in: Task.detached {
                if authenticates, !(await self.waitForCredentials(id)) { return }
                await self.fly(id, plan, into: nil, from: attempt, after: delay)
            })
    }

    /// Whether nothing was removed since the flight began.
    func isCurrent(_ flight: DownloadFlight) -> Bool { removals.permits(flight.begun, flight.key) }

    private func fail(_ id: FlightID, _ error: ImageLoaderError) { land(id, .failure(error)) }

    /// Ends a flight, whatever its state, and serves all its waiters.
    func land(_ id: FlightID, _ outcome: Result<Download, ImageLoaderError>) {
        guard let flight = flights.remove(id) else { return }
        release(id)
        settlers.end(id)
        var failure: ImageLoaderError?
        switch outcome {
        case .success(let download):
            // A handle may need room for a read before it joins, so the bodies that wait for handles leave some.
            let isExpected = isCurrent(flight) && isAnnounced(flight.flightKey) && bodyBudget.hasRoom
            download.share?.hold(for: waiters.waiterCount(of: id) + (isExpected ? 1 : 0))
            if isExpected { landed.updateValue(download, forKey: flight.flightKey)?.share?.release() }
            counters.succeeded += 1
            counters.bytesReceived += download.body.count - flight.continuedBytes
            retryBudget.recordSuccess(of: flight.host)
            if !failures.isEmpty { failures.forget(flight.key) }
        case .failure(let error):
            failure = error
            if error == .cancelled { counters.cancelled += 1 } else { counters.failed += 1 }
            if isCurrent(flight) {
                failures.record(
                    flight.key, error, from: flight.url, freshness: flight.refusalFreshness, now: time.now())
            }
        }
        flight.control.advance { $0.end(failure) }
        if flight.queuedAt != nil { endWait(of: flight, at: time.now(), failure) }
        if let failure, failure != .cancelled, !flight.wasSent { report(refusal: failure, flight.plan.event) }
        waiters.land(id, Outcome(outcome)) {
            if case .success(let download) = outcome { download.share?.release() }
        }
    }
}
