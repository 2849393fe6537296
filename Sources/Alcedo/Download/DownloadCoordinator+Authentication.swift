/// Credentials that the program's hook supplies after a 401. None of it runs without the hook.
extension DownloadCoordinator {
    /// An attempt with the known credentials of the origin. If the server refuses them, it waits for others, without a
    /// slot.
    @inline(never) nonisolated func attemptWithCredentials(
        _ number: Int, of id: FlightID, _ plan: FlightPlan, into sink: ResponseSink
    ) async -> DownloadFlight.Next {
        let plan = plan.prepared(await addCredentials(to: plan.request, of: id))
        let next = await attempt(number, of: id, plan, into: sink)
        guard case .authenticate = next else { return next }
        return await waitForCredentials(id) ? .authenticate : .over
    }

    /// The request with the credentials of its origin, unless it has its own.
    func addCredentials(to request: DataRequest, of id: FlightID) -> DataRequest {
        guard let flight = flights[id] else { return request }
        var (request, state) = (request, flight.authentication ?? .init())
        state.hasOwn = request.headers["Authorization"] != nil
        state.sent = state.hasOwn ? nil : credentials.credentials(for: request.url.origin)
        if let sent = state.sent { request.headers["Authorization"] = sent }
        flight.authentication = state
        return request
    }

    /// Whether a flight that was answered with 401 repeats its request, once for each origin. If so, its slot is free.
    func asksForCredentials(_ id: FlightID, _ flight: DownloadFlight, _ sink: ResponseSink) -> Bool {
        guard var state = flight.authentication, !state.hasOwn, let head = sink.head, head.status == 401 else {
            return false
        }
        let origin = head.url.origin
        guard !flight.isAbandoned, state.repeated.count <= settings.redirects.limit,
            state.repeated.insert(origin).inserted
        else {
            credentials.forget(state.sent, of: origin)
            return false
        }
        state.question = RequestAuthentication.Question(
            origin: origin, url: head.url.withoutCredentials,
            challenges: head.headers["WWW-Authenticate"].map(AuthenticationChallenge.challenges) ?? [],
            refused: state.sent)
        flight.authentication = state
        flight.control.advance { $0.letGo() }
        sink.share?.release()
        release(id)
        return true
    }

    /// Waits for the hook. Returns false if there are no credentials, and the flight has ended.
    func waitForCredentials(_ id: FlightID) async -> Bool {
        let error = await withUnsafeContinuation { (continuation: UnsafeContinuation<ImageLoaderError?, Never>) in
            guard let flight = wanted(id), let question = flight.authentication?.question else {
                return continuation.resume(returning: .cancelled)
            }
            flight.authentication?.question = nil
            let step = credentials.refuse(question.refused, by: question.origin, waiter: id)
            if step == .again { return continuation.resume(returning: nil) }
            flight.authentication?.wait = (question.origin, continuation)
            if case .ask(let number) = step { ask(question, number) }
        }
        if let error { land(id, .failure(error)) }
        return error == nil
    }

    /// Calls the hook, in a Task that is cancelled when its last waiter leaves.
    private func ask(_ question: RequestAuthentication.Question, _ number: Int) {
        guard let hook = settings.authenticate else { return }
        hookCalls[question.origin] = Task.detached {
            let answer = await hook.credentials(for: question)
            await self.take(answer, number, of: question.origin)
        }
    }

    private func take(_ answer: Result<String, ImageLoaderError>, _ number: Int, of origin: String) {
        let (value, error): (String?, ImageLoaderError?) =
            switch answer {
            case .success(let value): (value, nil)
            case .failure(let error): (nil, error)
            }
        let waiters = credentials.answer(number, value, of: origin)
        if !waiters.isEmpty { hookCalls[origin] = nil }
        for id in waiters {
            guard let flight = flights[id], let wait = flight.authentication?.wait else { continue }
            flight.authentication?.wait = nil
            wait.continuation.resume(returning: error)
        }
    }

    /// Removes a flight without waiters from those that wait for the hook.
    func stopWaitingForCredentials(_ id: FlightID, _ flight: DownloadFlight) {
        guard let wait = flight.authentication?.wait else { return }
        flight.authentication?.wait = nil
        if credentials.leave(id, of: wait.origin) { hookCalls.removeValue(forKey: wait.origin)?.cancel() }
        wait.continuation.resume(returning: .cancelled)
    }
}
