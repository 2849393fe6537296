import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

/// A download coordinator over a scripted transport, with a manual clock.
struct CoordinatorFixture {
    /// The time of day, which doesn't change: Sun, 06 Nov 1994 08:49:37 GMT.
    static let timeOfDay: Int64 = 784_111_777
    /// The headers that a response needs for its body to be resumed.
    static let resumable: HTTPHeaders = ["ETag": "\"v1\"", "Accept-Ranges": "bytes"]

    let transport: ScriptedDataLoader
    let clock: ManualClock
    let events = Recorder<LoadEvent.Kind>()
    /// The same events, with their URLs.
    let urls = Recorder<(URL, LoadEvent.Kind)>()
    let coordinator: DownloadCoordinator
    let body = Data((0..<100).map { UInt8($0) })

    /// - Parameters:
    ///   - loader: Replaces the scripted transport.
    ///   - width: The number of slots.
    ///   - hostWidth: The number of slots of each host.
    ///   - network: Says whether there is a network.
    ///   - configure: Changes the settings. By default, they neither retry nor remember failures, and set no minimum
    ///     rate.
    init(
        _ transport: ScriptedDataLoader = ScriptedDataLoader(), loader: (any DataLoading)? = nil,
        clock: ManualClock = ManualClock(), width: Int = 6, hostWidth: Int = 6, network: NetworkMonitor = .shared,
        configure: (inout DownloadCoordinator.Settings) -> Void = { _ in }
    ) {
        self.clock = clock
        var settings = DownloadCoordinator.Settings()
        settings.retry = .none
        settings.failureLifetimes = .none
        settings.minimumRate = nil
        settings.maximumConcurrentDownloads = width
        settings.maximumConcurrentDownloadsPerHost = hostWidth
        // With a fixed limit, no download waits until the amount of memory is known.
        settings.response.maximumBytes = 200 << 20
        // The process's own budget is shared with other tests.
        settings.bodyBudget = BodyBudget(byteLimit: 64 << 20, time: TimeSource(clock))
        configure(&settings)
        self.transport = transport
        coordinator = DownloadCoordinator(
            valid: settings, loader: loader ?? transport, time: TimeSource(clock) { Self.timeOfDay }, network: network,
            onEvent: { [events, urls] in
                urls.record(($0.url, LoadEvent.Kind($0.kind)))
                events.record(LoadEvent.Kind($0.kind))
            })
    }

    // MARK: Callers

    func download(
        _ path: String = "a.png", priority: RequestPriority = .normal, control: LoadControl? = nil
    ) throws -> Task<Download, any Error> {
        var request = ImageRequest(url: try .test(path))
        request.priority = priority
        return download(request, control: control)
    }

    func download(_ request: ImageRequest, control: LoadControl? = nil) -> Task<Download, any Error> {
        Task { [coordinator] in try await coordinator.download(request, control) }
    }

    /// Starts a download and waits until it is queued.
    func queue(
        _ path: String, priority: RequestPriority = .normal, control: LoadControl? = nil
    ) async throws -> Task<Download, any Error> {
        let caller = try download(path, priority: priority, control: control)
        await untilQueued(path)
        return caller
    }

    /// Starts a download from any host and waits until it is queued.
    func queue(_ request: ImageRequest) async throws -> Task<Download, any Error> {
        let caller = download(request)
        await untilQueued(String(try #require(request.url).path.dropFirst()))
        return caller
    }

    /// Starts a download and sends its first bytes.
    func begin(_ request: ImageRequest, bytes: Int = 10) async throws -> Running {
        let caller = download(request)
        let call = try await nextCall()
        try await begin(call, bytes: bytes)
        return Running(caller: caller, call: call)
    }

    struct Running {
        let caller: Task<Download, any Error>
        let call: ScriptedDataLoader.Call
    }

    // MARK: The server's side

    func nextCall() async throws -> ScriptedDataLoader.Call { try await transport.nextCall() }

    /// Answers a call with the whole body.
    func complete(_ call: ScriptedDataLoader.Call, headers: HTTPHeaders = [:]) {
        call.respond(headers: headers, expectedBytes: body.count)
        call.send(body)
        call.finish()
    }

    /// Sends the first bytes of a body that can be resumed.
    func begin(_ call: ScriptedDataLoader.Call, bytes: Int, headers: HTTPHeaders = resumable) async throws {
        call.respond(headers: headers, expectedBytes: body.count)
        call.send(body.prefix(bytes))
        try await call.delivered()
    }

    /// Sends the rest of the body, as requested.
    ///
    /// - Parameter filler: The number of bytes of an additional header field.
    func goOn(_ call: ScriptedDataLoader.Call, from start: Int, filler: Int = 0) {
        let range = "bytes \(start)-\(body.count - 1)/\(body.count)"
        var headers: HTTPHeaders = ["ETag": "\"v1\"", "Content-Range": range]
        if filler > 0 { headers["X-Filler"] = String(repeating: "x", count: filler) }
        call.respond(status: 206, headers: headers, expectedBytes: body.count - start)
        call.send(body.dropFirst(start))
        call.finish()
    }

    // MARK: What happened

    var statistics: DownloadStatistics { get async { await coordinator.statistics } }

    /// Suspends until the statistics satisfy `condition`.
    func until(_ condition: (DownloadStatistics) -> Bool) async {
        while !Task.isCancelled, !condition(await statistics) { await Task.yield() }
    }

    func untilQueued(_ path: String) async {
        await urls.wait { events in
            events.contains { if case (let url, .began(.queued)) = $0 { url.path == "/\(path)" } else { false } }
        }
    }

    /// Suspends until at least `count` downloads have ended.
    func untilEnded(_ count: Int) async { await until { $0.succeeded + $0.failed + $0.cancelled >= count } }

    var retries: [(attempt: Int, error: ImageLoaderError, delay: Duration)] {
        events.values.compactMap { event in
            if case .retried(let attempt, let error, let delay) = event {
                (attempt, error, delay)
            } else {
                nil
            }
        }
    }
}

extension DownloadCoordinator {
    /// Does several things before the coordinator can handle anything else.
    func inOneTurn<Value: Sendable>(_ work: @Sendable (isolated DownloadCoordinator) -> Value) -> Value { work(self) }
}

extension RetryPolicy {
    /// A policy that retries without any delay of its own.
    static func atOnce(attempts: Int = 3) -> RetryPolicy {
        var policy = RetryPolicy()
        policy.attempts = attempts
        policy.baseDelay = .zero
        return policy
    }
}

extension ImageRequest {
    static func at(_ url: String, _ priority: RequestPriority = .normal) throws -> ImageRequest {
        var request = ImageRequest(url: try #require(URL(string: url)))
        request.priority = priority
        return request
    }

    /// Returns a request for a URL of the test's host, with changes.
    static func test(
        _ path: String = "a.png", _ change: (inout ImageRequest) throws -> Void = { _ in }
    ) throws -> ImageRequest {
        var request = ImageRequest(url: try .test(path))
        try change(&request)
        return request
    }
}
