import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The default transport: one `URLSession` for its whole life, driven the one way that is safe on Linux.
///
/// Every call into the session and every callback runs on one serial queue, which is also the delegate queue's
/// underlying queue. Elsewhere a cancel that races a completion deadlocks or kills the process
/// (swift-corelibs-foundation issues 5412, 3296, 5445).
///
/// On Linux a transfer that waits for its server keeps a core busy: Foundation's event loop is told without end that the
/// connection could be written to. A bare `URLSession` does the same.
///
/// A URLSession on Linux does not survive four inputs of a hostile server: a connection closed inside the response's
/// head, trailer fields, a `Content-Length` near 2⁶³, and a redirect to `//%00`.
public final class URLSessionDataLoader: DataLoading {
    private let engine: SessionEngine

    /// Makes the session; no connection is made before the first request.
    ///
    /// Settings that URLSession can't keep, which are those about certificates, let every load throw
    /// ``ImageLoaderError/unsupportedConfiguration(_:)``.
    public init(_ settings: TransportSettings = TransportSettings()) {
        engine = SessionEngine(connectionsPerHost: settings.connectionsPerHost)
    }

    deinit { engine.close() }

    /// Performs `request`; see ``DataLoading/load(_:into:)``.
    public func load(_ request: DataRequest, into sink: ResponseSink) async throws(ImageLoaderError) {
        let id = engine.makeTransferID()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation {
                (continuation: CheckedContinuation<Result<Void, ImageLoaderError>, Never>) in
                if Task.isCancelled { return continuation.resume(returning: .failure(.cancelled)) }
                engine.start(id, request, into: sink, resuming: continuation)
                // A cancel that came in between found nothing to cancel.
                if Task.isCancelled { engine.cancel(id) }
            }
        } onCancel: {
            engine.cancel(id)
        }
        try result.get()
    }
}

/// The session, its delegate and the transfers under way.
private final class SessionEngine: NSObject, URLSessionDataDelegate, Sendable {
    private typealias Outcome = Result<Void, ImageLoaderError>

    private struct Transfer {
        var request: DataRequest
        let sink: ResponseSink
        let continuation: CheckedContinuation<Outcome, Never>
        /// The task of the present hop, nil before the first.
        var task: URLSessionDataTask?
        var hops = 0
        var hasBegun = false
        /// Set at once, while the end waits for its turn on the queue: what has not started then never does.
        var isCancelled = false
    }

    private struct State {
        var session: URLSession?
        var isClosed = false
        var lastID: UInt64 = 0
        var transfers: [UInt64: Transfer] = [:]
        var transferOfTask: [Int: UInt64] = [:]
        /// Tasks whose last callback has not come; the session is invalidated after it only.
        var openTasks: Set<Int> = []
    }

    private let queue = DispatchQueue(label: "alcedo.urlsession")
    private let state = Mutex(State())

    init(connectionsPerHost: Int) {
        super.init()
        let configuration = URLSessionConfiguration.ephemeral
        // A URLCache races a cancel and crashes on Linux; Alcedo has caches of its own.
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.httpMaximumConnectionsPerHost = max(1, connectionsPerHost)
        let delegateQueue = OperationQueue()
        delegateQueue.underlyingQueue = queue
        delegateQueue.maxConcurrentOperationCount = 1
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: delegateQueue)
        state.withLock { $0.session = session }
    }

    func makeTransferID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    func start(
        _ id: UInt64, _ request: DataRequest, into sink: ResponseSink,
        resuming continuation: CheckedContinuation<Result<Void, ImageLoaderError>, Never>
    ) {
        state.withLock { $0.transfers[id] = Transfer(request: request, sink: sink, continuation: continuation) }
        queue.async { self.launch(id) }
    }

    func cancel(_ id: UInt64) {
        state.withLock { $0.transfers[id]?.isCancelled = true }
        queue.async { self.end(id, .failure(.cancelled)) }
    }

    func close() {
        queue.async {
            self.state.withLock { $0.isClosed = true }
            self.invalidateWhenQuiet()
        }
    }

    // MARK: On the queue

    /// Starts the task of a transfer's next hop, unless the transfer has ended meanwhile.
    private func launch(_ id: UInt64) {
        let task = state.withLock { state -> URLSessionDataTask? in
            guard let transfer = state.transfers[id], !transfer.isCancelled, let session = state.session else {
                return nil
            }
            let task = session.dataTask(with: Self.urlRequest(transfer.request))
            state.transfers[id]?.task = task
            state.transferOfTask[task.taskIdentifier] = id
            state.openTasks.insert(task.taskIdentifier)
            return task
        }
        task?.resume()
    }

    /// Ends a transfer once: its task is cancelled unless it completed, and its caller resumed.
    private func end(_ id: UInt64, _ outcome: Outcome) {
        let ended = state.withLock { state -> Transfer? in
            guard let transfer = state.transfers.removeValue(forKey: id) else { return nil }
            if let task = transfer.task { state.transferOfTask[task.taskIdentifier] = nil }
            return transfer
        }
        guard let ended else { return }
        if case .failure = outcome { ended.task?.cancel() }
        ended.continuation.resume(returning: outcome)
    }

    private func transfer(of task: URLSessionTask) -> (id: UInt64, transfer: Transfer)? {
        state.withLock { state in
            guard let id = state.transferOfTask[task.taskIdentifier], let found = state.transfers[id] else {
                return nil
            }
            return (id, found)
        }
    }

    private func begin(_ id: UInt64, _ transfer: Transfer, _ response: HTTPURLResponse) {
        state.withLock { $0.transfers[id]?.hasBegun = true }
        do {
            try transfer.sink.begin(ResponseHead(response, fallbackURL: transfer.request.url))
        } catch {
            end(id, .failure(error))
        }
    }

    private func invalidateWhenQuiet() {
        let session = state.withLock { state -> URLSession? in
            guard state.isClosed, state.openTasks.isEmpty else { return nil }
            return state.session.take()
        }
        session?.finishTasksAndInvalidate()
    }

    // MARK: Callbacks, on the queue

    func urlSession(
        _: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        // Linux ignores the answer; a transfer that is not wanted is cancelled instead.
        completionHandler(.allow)
        guard let (id, transfer) = transfer(of: dataTask), let response = response as? HTTPURLResponse else { return }
        guard response.statusCode >= 200 else { return }
        begin(id, transfer, response)
    }

    func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard let (id, transfer) = transfer(of: dataTask) else { return }
        do {
            try transfer.sink.append(data)
        } catch {
            end(id, .failure(error))
        }
    }

    func urlSession(
        _: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // To answer for a cancelled task is a fatal error on Linux.
        guard let (id, transfer) = transfer(of: task) else { return }
        do {
            let location = response.value(forHTTPHeaderField: "Location") ?? ""
            let next = try transfer.request.redirected(
                status: response.statusCode, to: location, hop: transfer.hops + 1)
            state.withLock { state in
                state.transferOfTask[task.taskIdentifier] = nil
                state.transfers[id]?.request = next
                state.transfers[id]?.hops += 1
                state.transfers[id]?.task = nil
            }
            // A fresh task for each hop: the same one again fails over HTTP/2.
            completionHandler(nil)
            launch(id)
        } catch {
            end(id, .failure(error))
        }
    }

    func urlSession(
        _: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let ofHTTP = [
            NSURLAuthenticationMethodDefault, NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest,
        ]
        guard ofHTTP.contains(challenge.protectionSpace.authenticationMethod) else {
            return completionHandler(.performDefaultHandling, nil)
        }
        // Default handling never returns on Linux when there is no credential.
        let status = (challenge.failureResponse as? HTTPURLResponse)?.statusCode ?? 401
        if let (id, _) = transfer(of: task) {
            end(id, .failure(.badStatus(status)))
        } else {
            completionHandler(.cancelAuthenticationChallenge, nil)
        }
    }

    func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        state.withLock { _ = $0.openTasks.remove(task.taskIdentifier) }
        defer { invalidateWhenQuiet() }
        guard let (id, transfer) = transfer(of: task) else { return }
        if let error { return end(id, .failure(ImageLoaderError(sessionError: error, of: transfer.sink))) }
        // A redirect that leads nowhere completes without its response having been delivered.
        if !transfer.hasBegun, let response = task.response as? HTTPURLResponse { begin(id, transfer, response) }
        end(id, .success(()))
    }

    private static func urlRequest(_ request: DataRequest) -> URLRequest {
        var result = URLRequest(url: request.url)
        result.httpMethod = request.method.rawValue
        result.httpBody = request.body
        // Whole seconds, rounded up: less than one would run out at once on Linux.
        // Larger numbers overflow in Foundation; a day without a byte is as good as for ever.
        result.timeoutInterval = min(max(1, (request.idleTimeout / .seconds(1)).rounded(.up)), 86_400)
        if request.headers["Accept-Encoding"] == nil {
            result.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
        for field in request.headers.fields { result.addValue(field.value, forHTTPHeaderField: field.name) }
        return result
    }
}
