import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Loads URLs with nothing but a delegate: a limited number of concurrent tasks, each body collected.
final class BareSessionLoop: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        var session: URLSession?
        var next = 0
        var left = 0
        var bodies: [Int: Data] = [:]
        var failure: (any Error)?
        var continuation: CheckedContinuation<Void, any Error>?
    }

    private let urls: [URL]
    private let width: Int
    private let state = Mutex(State())

    init(urls: [URL], width: Int) {
        self.urls = urls
        self.width = width
        super.init()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.httpMaximumConnectionsPerHost = width + 2
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
        state.withLock { $0.session = session }
    }

    func stop() { state.withLock { $0.session.take() }?.invalidateAndCancel() }

    func run() async throws {
        try await withCheckedThrowingContinuation { continuation in
            state.withLock { state in
                state.next = 0
                state.left = urls.count
                state.failure = nil
                state.continuation = continuation
            }
            for _ in 0..<width { startNext() }
        }
    }

    private func startNext() {
        let task = state.withLock { state -> URLSessionDataTask? in
            guard state.next < urls.count else { return nil }
            var request = URLRequest(url: urls[state.next])
            request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
            state.next += 1
            return state.session?.dataTask(with: request)
        }
        task?.resume()
    }

    func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        state.withLock { $0.bodies[dataTask.taskIdentifier, default: Data()].append(data) }
    }

    func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let (ended, failure) = state.withLock { state -> (CheckedContinuation<Void, any Error>?, (any Error)?) in
            let body = state.bodies.removeValue(forKey: task.taskIdentifier)
            if let error { state.failure = error }
            if body?.count != SmallFiles.bytes { state.failure = BenchError("a body of \(body?.count ?? 0) bytes") }
            state.left -= 1
            return (state.left == 0 ? state.continuation.take() : nil, state.failure)
        }
        startNext()
        if let failure { ended?.resume(throwing: failure) } else { ended?.resume() }
    }
}
