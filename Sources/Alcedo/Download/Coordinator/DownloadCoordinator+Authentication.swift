/// Credentials that the program's hook supplies after a 401. None of this code runs without the hook.
extension DownloadCoordinator {
    /// The request with the known credentials of its origin, unless it has its own.
    func addCredentials(to request: DataRequest, of download: DownloadState) -> DataRequest {
        var (request, state) = (request, download.authentication ?? .init())
        state.hasOwn = request.headers["Authorization"] != nil
        state.sent = state.hasOwn ? nil : credentials.credentials(for: request.url.origin)
        if let sent = state.sent { request.headers["Authorization"] = sent }
        download.authentication = state
        return request
    }

    /// The question for the hook after a download was answered with 401. Nil if the request isn't to be repeated. It is
    /// repeated once for each origin.
    func question(for download: DownloadState, _ sink: ResponseSink) -> RequestAuthentication.Question? {
        guard var state = download.authentication, !state.hasOwn, let head = sink.head, head.status == 401 else {
            return nil
        }
        let origin = head.url.origin
        guard !Task.isCancelled, state.repeated.count <= settings.redirects.limit,
            state.repeated.insert(origin).inserted
        else {
            credentials.forget(state.sent, of: origin)
            return nil
        }
        download.authentication = state
        return RequestAuthentication.Question(
            origin: origin, url: head.url.withoutCredentials,
            challenges: head.headers["WWW-Authenticate"].map(AuthenticationChallenge.challenges) ?? [],
            refused: state.sent)
    }

    /// Waits, without a slot, for credentials other than those that were refused. Throws if there are none.
    func waitForCredentials(
        _ download: DownloadState, _ question: RequestAuthentication.Question
    ) async throws(ImageLoaderError) {
        let (flight, answer) = (download.flight, Promise<ImageLoaderError?>())
        switch credentials.refuse(question.refused, by: question.origin, waiter: flight) {
        case .again: return
        case .ask(let number): ask(question, number)
        case .wait: break
        }
        download.authentication?.answer = answer
        let error = await answer.value { answer.end(.cancelled) }
        download.authentication?.answer = nil
        if Task.isCancelled, credentials.leave(flight, of: question.origin) {
            hookCalls.removeValue(forKey: question.origin)?.cancel()
        }
        if let error { throw error }
    }

    /// Calls the hook in a Task, which is cancelled when the last download that waits for it is.
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
        for flight in waiters { downloads[flight]?.authentication?.answer?.end(error) }
    }
}
