import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization

/// Requests that are cancelled while they wait for one of the six download slots.
enum QueuedCancelCases {
    static let all: [BenchCase] = [
        .counted("download/cancel-10000-begun", target: 0, unit: .count) { try await begunAfterCancel() }
    ]

    private static let requests = 10_000

    /// The number of downloads in a round that began after the `cancel()` of their request had returned. Each round is
    /// a sample.
    @concurrent
    private static func begunAfterCancel() async throws -> Measurement {
        var measurement = Measurement(isCounted: true)
        for _ in 0..<3 {
            measurement.ours.append(try await handles())
            measurement.ours.append(try await tasks(waitingFirst: false))
            measurement.ours.append(try await tasks(waitingFirst: true))
        }
        // The result is the worst round, because even one such download is too many.
        measurement.ours = measurement.ours.max().map { [$0] } ?? []
        return measurement
    }

    private static func handles() async throws -> Double {
        let transport = WatchedTransport()
        let loader = Scripted.loader(transport) { $0.memory.maximumBytes = 0 }
        let tasks = try Scripted.freshURLs(requests).map { ($0, loader.imageTask(for: ImageRequest(url: $0))) }
        for (url, task) in tasks {
            task.cancel()
            transport.noteCancelled(url)
        }
        for (_, task) in tasks { await task.end() }
        try await ProcessRest.wait()
        return Double(transport.lateCount)
    }

    /// - Parameter waitingFirst: Whether all requests are in the queue before the first one is cancelled.
    private static func tasks(waitingFirst: Bool) async throws -> Double {
        let transport = WatchedTransport()
        let loader = Scripted.loader(transport) { $0.memory.maximumBytes = 0 }
        let started = Turn()
        let tasks = try Scripted.freshURLs(requests).map { url in
            let task = Task {
                started.next()
                _ = try await loader.image(for: url)
            }
            return (url, task)
        }
        if waitingFirst { repeat { try await ProcessRest.wait() } while started.count < requests }
        for (url, task) in tasks {
            task.cancel()
            transport.noteCancelled(url)
        }
        for (_, task) in tasks {
            guard case .failure = await task.result else { throw BenchError("a cancelled request has loaded") }
        }
        try await ProcessRest.wait()
        return Double(transport.lateCount)
    }
}

/// A transport that never answers, and counts the transfers that begin too late.
private final class WatchedTransport: DataLoading {
    private struct State {
        var cancelled: Set<URL> = []
        var late = 0
    }

    private let state = Mutex(State())
    private let transport = ScriptedDataLoader()

    /// The number of transfers that began for a cancelled request.
    var lateCount: Int { state.withLock { $0.late } }

    /// Records that the request for `url` was cancelled, and that `cancel()` has returned.
    func noteCancelled(_ url: URL) { state.withLock { _ = $0.cancelled.insert(url) } }

    func load(_ request: DataRequest, into sink: ResponseSink) async throws(ImageLoaderError) {
        state.withLock { state in
            if state.cancelled.contains(request.url) { state.late += 1 }
        }
        try await transport.load(request, into: sink)
    }
}
