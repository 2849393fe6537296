import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The session, its delegate and the current transfers.
final class SessionEngine: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        /// Nil before the first load, and from a ``rest()`` to the next load.
        var session: URLSession?
        var isClosed = false
        var transfers: [Int: SessionTransfer] = [:]
        /// Ended transfers whose task was cancelled but hasn't completed.
        var ending: [Int: SessionTransfer] = [:]
        /// Tasks that have not had their last callback. The session is invalidated only after it.
        var openTasks: Set<Int> = []
        /// When the timer is due, in terms of the machine's uptime. No transfer's deadline is earlier. Nil when it
        /// isn't set.
        var timerDue: TimeInterval?
        /// Nil when cookies aren't kept.
        var cookies: CookieJar?
    }

    private let queue = DispatchQueue(label: "alcedo.urlsession")
    /// Runs the callbacks on `queue`, in order.
    private let callbacks = OperationQueue()
    private let state: Mutex<State>
    /// Returns the current time in seconds since 1970.
    private let now: @Sendable () -> Int64
    private let onTaskCancelled: @Sendable () -> Void
    private let onChallenge: URLSessionDataLoader.ChallengeHook?
    private let settings: TransportSettings
    /// The program's own configuration, which is never changed.
    private let configuration: URLSessionConfiguration?

    init(
        _ settings: TransportSettings, _ configuration: URLSessionConfiguration?, now: @escaping @Sendable () -> Int64,
        _ onTaskCancelled: @escaping @Sendable () -> Void, _ onChallenge: URLSessionDataLoader.ChallengeHook?
    ) {
        state = Mutex(State(cookies: settings.keepsCookies ? CookieJar() : nil))
        self.now = now
        self.onTaskCancelled = onTaskCancelled
        self.onChallenge = onChallenge
        self.settings = settings
        self.configuration = configuration
        super.init()
        callbacks.underlyingQueue = queue
        callbacks.maxConcurrentOperationCount = 1
    }

    func start(_ transfer: SessionTransfer) { queue.async { self.launch(transfer) } }

    /// Cancels a transfer. Nothing is delivered from now on. The caller is resumed when the task has completed.
    func cancel(_ transfer: SessionTransfer) {
        guard transfer.load.end(.failure(.cancelled)) else { return }
        queue.async { self.abandon(transfer) }
    }

    /// Pauses, continues or ends a transfer as its sink demands.
    func heedDemand(on transfer: SessionTransfer) {
        queue.async {
            if case .end(let error) = transfer.load.sink.demand { return self.fail(transfer, error) }
            transfer.heedDemand()
        }
    }

    func close() {
        queue.async {
            self.state.withLock { $0.isClosed = true }
            self.invalidateWhenQuiet()
        }
    }

    /// Ends the session if it has no tasks. The next load creates a new one.
    func rest() async {
        await withCheckedContinuation { continuation in
            queue.async {
                let isQuiet = self.state.withLock { $0.openTasks.isEmpty }
                if isQuiet { self.state.withLock({ $0.session.take() })?.finishTasksAndInvalidate() }
                continuation.resume()
            }
        }
    }

    // MARK: On the queue

    private func session() -> URLSession {
        if let session = state.withLock({ $0.session }) { return session }
        let configuration = URLSessionConfiguration.make(settings, from: configuration)
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: callbacks)
        state.withLock { $0.session = session }
        return session
    }

    /// Starts the task of a transfer's next hop, unless the transfer has already ended.
    private func launch(_ transfer: SessionTransfer) {
        guard !transfer.load.hasEnded else { return transfer.load.close() }
        let task = session().dataTask(with: makeRequest(of: transfer.hop))
        transfer.update { $0.task = task }
        transfer.restartIdleTime()
        state.withLock { state in
            state.transfers[task.taskIdentifier] = transfer
            state.openTasks.insert(task.taskIdentifier)
        }
        task.resume()
        setTimer(for: transfer.deadline)
    }

    /// Adds cookies to a copy of the hop's request, because they aren't meant for a redirect's target.
    private func makeRequest(of hop: SessionTransfer.Hop) -> URLRequest {
        var request = URLRequest(hop.request)
        if !hop.request.hasOwnCookies,
            let cookies = state.withLock({ $0.cookies?.field(for: hop.request.url, now: now()) })
        {
            request.setValue(cookies, forHTTPHeaderField: "Cookie")
        }
        return request
    }

    private func takeCookies(of response: HTTPURLResponse, to request: DataRequest) {
        guard !request.hasOwnCookies, let field = response.value(forHTTPHeaderField: "Set-Cookie") else { return }
        state.withLock { $0.cookies?.take(field, from: request.url, now: now()) }
    }

    private func fail(_ transfer: SessionTransfer, _ error: ImageLoaderError) {
        transfer.load.end(.failure(error))
        abandon(transfer)
    }

    /// Cancels the task of an ended transfer, unless it has completed.
    private func abandon(_ transfer: SessionTransfer) {
        guard let task = awaitCompletion(of: transfer) else { return }
        task.cancel()
        onTaskCancelled()
    }

    /// Holds an ended transfer until its task has completed, but no longer than the idle time: the session may have a
    /// long backlog, and a task that never completes must not block its caller.
    private func awaitCompletion(of transfer: SessionTransfer) -> URLSessionDataTask? {
        guard let task = transfer.takeTask() else { return nil }
        transfer.restartIdleTime()
        state.withLock { state in
            state.transfers[task.taskIdentifier] = nil
            state.ending[task.taskIdentifier] = transfer
        }
        setTimer(for: transfer.deadline)
        return task
    }

    private func transfer(of task: URLSessionTask) -> SessionTransfer? {
        state.withLock { $0.transfers[task.taskIdentifier] }
    }

    private func begin(_ transfer: SessionTransfer, _ response: HTTPURLResponse) {
        transfer.update { $0.hasBegun = true }
        let request = transfer.hop.request
        takeCookies(of: response, to: request)
        let isTaken = transfer.deliver { sink throws(ImageLoaderError) in
            try sink.begin(ResponseHead(response, to: request))
        }
        if !isTaken { abandon(transfer) }
    }

    /// Points a transfer at a redirect's target. Returns false if the transfer has ended, with an error or because its
    /// sink takes the redirect.
    private func turn(_ transfer: SessionTransfer, to response: HTTPURLResponse) -> Bool {
        let hop = transfer.hop
        takeCookies(of: response, to: hop.request)
        do throws(ImageLoaderError) {
            let location = try response.redirectLocation() ?? ""
            transfer.load.sink.record(redirect: response.statusCode, to: location, response.headers)
            let next = try hop.request.redirected(status: response.statusCode, to: location)
            if transfer.load.sink.takes(redirectTo: next, from: hop.request) {
                transfer.load.end(.success(()))
                return false
            }
            transfer.update { $0 = .init(request: next.withCredentialsAsField()) }
            return true
        } catch {
            fail(transfer, error)
            return false
        }
    }

    private func invalidateWhenQuiet() {
        let session = state.withLock { state -> URLSession? in
            guard state.isClosed, state.openTasks.isEmpty else { return nil }
            return state.session.take()
        }
        session?.finishTasksAndInvalidate()
    }

    // MARK: Idle time

    /// Makes the timer fire at `deadline` or earlier. Received bytes don't reset it: when it fires, it is set to the
    /// earliest deadline at that time.
    private func setTimer(for deadline: TimeInterval) {
        let isEarliest = state.withLock { state in
            if let due = state.timerDue, due <= deadline { return false }
            state.timerDue = deadline
            return true
        }
        guard isEarliest else { return }
        // A timer overtaken by an earlier deadline isn't stopped: when it fires, it finds that it isn't due.
        queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: UInt64(deadline * 1e9))) { [weak self] in
            // Runs after the queued callbacks, because their bytes have already arrived.
            self?.callbacks.addOperation { [weak self] in self?.timerRanOut() }
        }
    }

    private func timerRanOut() {
        // Tolerates a timer that fires early because of rounding.
        let now = uptime() + 0.001
        let (transfers, ending) = state.withLock { state -> ([SessionTransfer], [Int: SessionTransfer]) in
            guard let due = state.timerDue, due <= now else { return ([], [:]) }
            state.timerDue = nil
            return (Array(state.transfers.values), state.ending)
        }
        var earliest = TimeInterval.infinity
        for (id, transfer) in ending {
            let deadline = transfer.deadline
            guard deadline <= now else {
                earliest = min(earliest, deadline)
                continue
            }
            state.withLock { _ = $0.ending.removeValue(forKey: id) }
            transfer.load.close()
        }
        for transfer in transfers {
            if transfer.deadline <= now, transfer.load.sink.demand == .nothing { transfer.restartIdleTime() }
            let isDue = transfer.deadline <= now
            if isDue { fail(transfer, .timedOut(.idle)) } else { earliest = min(earliest, transfer.deadline) }
        }
        if earliest < .infinity { setTimer(for: earliest) }
    }

    // MARK: Callbacks, on the queue

    func urlSession(
        _: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        // Linux ignores the answer, so an unwanted transfer is cancelled instead.
        completionHandler(.allow)
        guard let transfer = transfer(of: dataTask), let response = response as? HTTPURLResponse else { return }
        // An informational response is a sign of life.
        guard response.statusCode >= 200 else {
            if response.statusCode != 101 { return transfer.restartIdleTime() }
            return fail(transfer, .malformedResponse("a switch to another protocol, which was not asked for"))
        }
        begin(transfer, response)
    }

    func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard let transfer = transfer(of: dataTask) else { return }
        if !transfer.deliver({ sink throws(ImageLoaderError) in try sink.append(data) }) { abandon(transfer) }
    }

    func urlSession(
        _: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let transfer = transfer(of: task) else {
            if URLSessionTask.answersWhenCancelled { completionHandler(nil) }
            return
        }
        // 305 and 306 lead here, too. The response is delivered when the task completes.
        guard DataRequest.isRedirect(response.statusCode) else { return completionHandler(nil) }
        guard turn(transfer, to: response) else {
            // A cancelled transfer's task has already been taken.
            let isRunning = awaitCompletion(of: transfer) != nil
            if isRunning || URLSessionTask.answersWhenCancelled { completionHandler(nil) }
            return
        }
        state.withLock { _ = $0.transfers.removeValue(forKey: task.taskIdentifier) }
        // A new task for each hop, because reusing the same one fails over HTTP/2.
        completionHandler(nil)
        launch(transfer)
    }

    func urlSession(
        _: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        if let answer = onChallenge?(challenge) {
            // The session reports a refused server as a cancellation, so the load ends first.
            if answer.0 == .cancelAuthenticationChallenge, let transfer = transfer(of: task) {
                fail(transfer, .connectionFailed(.insecure, detail: TransportDetail("the server isn't trusted")))
            }
            return completionHandler(answer.0, answer.1)
        }
        let ofHTTP = [
            NSURLAuthenticationMethodDefault, NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest,
        ]
        guard ofHTTP.contains(challenge.protectionSpace.authenticationMethod) else {
            return completionHandler(.performDefaultHandling, nil)
        }
        // On Linux, default handling never returns when there is no credential.
        let response = challenge.failureResponse as? HTTPURLResponse
        if let transfer = transfer(of: task) {
            // The response's fields contain the server's challenges.
            if let response { begin(transfer, response) }
            fail(transfer, .badStatus(response?.statusCode ?? 401))
            guard URLSessionTask.answersWhenCancelled else { return }
        }
        completionHandler(.cancelAuthenticationChallenge, nil)
    }

    func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let (transfer, ended) = state.withLock { state in
            state.openTasks.remove(task.taskIdentifier)
            let id = task.taskIdentifier
            return (state.transfers.removeValue(forKey: id), state.ending.removeValue(forKey: id))
        }
        defer { invalidateWhenQuiet() }
        ended?.load.close()
        guard let transfer else { return }
        // There is nothing left to cancel.
        _ = transfer.takeTask()
        if let error {
            transfer.load.end(.failure(ImageLoaderError(sessionError: error, of: transfer.load.sink)))
            return transfer.load.close()
        }
        // A redirect with a location that the session can't use completes without its response having been delivered.
        if !transfer.hop.hasBegun, let response = task.response as? HTTPURLResponse {
            if response.namesRedirect { return turn(transfer, to: response) ? launch(transfer) : transfer.load.close() }
            begin(transfer, response)
        }
        transfer.load.end(.success(()))
        transfer.load.close()
    }
}
