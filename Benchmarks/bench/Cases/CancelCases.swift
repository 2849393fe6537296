import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The cost of cancelled loads.
enum CancelCases {
    static let all: [BenchCase] = [
        .timed("download/cancel-before-start", target: 5_000, ours: { try await cancelsBeforeStart() }),
        // The time from Task.cancel() to the return of URLSessionTask.cancel(), compared with a bare URLSession. On
        // Linux, Foundation's loop never rests while a connection is used for the first time, and a cancellation waits
        // behind it.
        .timed(
            "download/cancel-latency", target: 1_000_000, iterationsPerSample: 1,
            ours: { try await CancelLatency.workload { LoaderVictims($0) } }),
        .timed(
            "download/cancel-latency-bare", iterationsPerSample: 1,
            ours: { try await CancelLatency.workload { BareVictims($0) } }),
        // The progress that a transport reports for each chunk of a load with an observer.
        .timed("download/event", target: 100, ours: { events() }),
    ]

    /// Creates and cancels loads while no download may start.
    private static func cancelsBeforeStart() async throws -> Workload {
        let transport = ScriptedDataLoader { _ in .bytes(Data(count: 1)) }
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = transport
        let loader = ImageLoader(configuration)
        await loader.downloads.pause()
        let request = ImageRequest(url: try Scripted.url("a"))
        return Workload { iterations in
            for _ in 0..<iterations {
                let task = Task { try await loader.data(for: request) }
                task.cancel()
                blackHole(await task.result)
            }
            guard transport.callCount == 0 else { throw BenchError("a cancelled load was sent") }
        }
    }

    private static func events() -> Workload {
        let transfer = LoadControl()
        let follower = LoadControl()
        for wake in transfer.share(with: follower) { wake() }
        transfer.advance { $0.start(attempt: 1) }
        return Workload { iterations in
            for number in 0..<iterations { transfer.advance { $0.receive(number, of: nil) } }
            blackHole(follower)
        }
    }
}

/// At least 1,000 URLSession transfers that are stalled in mid-body. An operation cancels one of the surplus transfers;
/// when these are used up, new ones replace them, which isn't timed.
private final class CancelLatency: Sendable {
    static let width = 1_150
    private static let fewest = 1_000
    static let bytesBefore = 100

    private let server: LoopbackServer
    private let victims: any Victims
    private let number = Atomic(0)

    static func workload(_ make: (_ width: Int) -> any Victims) async throws -> Workload {
        guard Platform.raiseDescriptorLimit(to: 4 * width) else { throw BenchError("too few descriptors") }
        let latency = CancelLatency(
            server: try LoopbackServer { _ in .bytes(Data(count: 1_000)).stalling(.afterBytes(bytesBefore)) },
            victims: make(width))
        try await latency.fillUp()
        // While Foundation has new connections to write to, it starves every thread that waits for it, sometimes for
        // many seconds.
        for _ in 0..<50 { await latency.victims.cancelOne() }
        return Workload(
            prepare: { _ in try await latency.fillUp() }, tearDown: { latency.tearDown() },
            run: { iterations in for _ in 0..<iterations { await latency.victims.cancelOne() } })
    }

    private init(server: LoopbackServer, victims: any Victims) {
        self.server = server
        self.victims = victims
    }

    private func fillUp() async throws {
        if victims.count > Self.fewest { return }
        let gate = Gate()
        // Waits until their first bytes have arrived, because Foundation is busy with the transfers until then.
        victims.expect(Arrivals(expected: Self.width - victims.count, gate: gate))
        while victims.count < Self.width {
            victims.add(server.url("/\(number.add(1, ordering: .relaxed).newValue)"))
        }
        try await server.until { $0.stalledReplies == Self.width }
        await gate.wait()
    }

    private func tearDown() {
        victims.cancelAll()
        server.stop()
    }
}

/// Transfers to cancel.
private protocol Victims: Sendable {
    var count: Int { get }
    /// Reports each transfer added from now on to `arrivals` when its body begins to arrive.
    func expect(_ arrivals: Arrivals)
    func add(_ url: URL)
    /// Returns when `URLSessionTask.cancel()` has returned.
    func cancelOne() async
    func cancelAll()
}

/// Transfers through a loader.
private final class LoaderVictims: Victims {
    private let loader: ImageLoader
    private let tasks = Mutex<[Task<Void, Never>]>([])
    private let gate = CurrentGate()
    private let arrivals = CurrentArrivals()

    init(_ width: Int) {
        var settings = TransportSettings()
        settings.maximumConnectionsPerHost = width + 1
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.download.maximumConcurrentDownloads = width + 1
        configuration.download.maximumConcurrentDownloadsPerHost = width + 1
        configuration.download.idleTimeout = .seconds(3_600)
        configuration.dataLoader = URLSessionDataLoader(settings, onTaskCancelled: { [gate] in gate.open() })
        configuration.onEvent { [arrivals] event in
            if case .progress(CancelLatency.bytesBefore, _) = event.kind { arrivals.arrive() }
        }
        loader = ImageLoader(configuration)
    }

    func expect(_ arrivals: Arrivals) { self.arrivals.renew(arrivals) }

    var count: Int { tasks.withLock { $0.count } }

    func add(_ url: URL) {
        let task = Task { [loader] in
            do { blackHole(try await loader.data(for: ImageRequest(url: url))) } catch { blackHole(error) }
        }
        tasks.withLock { $0.append(task) }
    }

    func cancelOne() async {
        let victim = tasks.withLock { $0.removeFirst() }
        let gate = gate.renew()
        victim.cancel()
        await gate.wait()
    }

    func cancelAll() {
        for task in tasks.withLock({ $0 }) { task.cancel() }
    }
}

/// Tasks of a bare session.
private final class BareVictims: NSObject, Victims, URLSessionDataDelegate {
    private let state = Mutex((session: URLSession?.none, tasks: [URLSessionDataTask]()))
    private let arrivals = CurrentArrivals()

    init(_ width: Int) {
        super.init()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpMaximumConnectionsPerHost = width + 1
        configuration.timeoutIntervalForRequest = 3_600
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
        state.withLock { $0.session = session }
    }

    var count: Int { state.withLock { $0.tasks.count } }

    func add(_ url: URL) {
        let task = state.withLock { state -> URLSessionDataTask? in
            guard let task = state.session?.dataTask(with: url) else { return nil }
            state.tasks.append(task)
            return task
        }
        task?.resume()
    }

    func cancelOne() async { state.withLock { $0.tasks.removeFirst() }.cancel() }

    func cancelAll() { state.withLock { $0.session.take() }?.invalidateAndCancel() }

    func expect(_ arrivals: Arrivals) { self.arrivals.renew(arrivals) }

    func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) { arrivals.arrive() }
}

/// The gate of the cancellation being timed.
private final class CurrentGate: Sendable {
    private let gate = Mutex(Gate())

    func renew() -> Gate {
        let fresh = Gate()
        gate.withLock { $0 = fresh }
        return fresh
    }

    func open() { gate.withLock { $0 }.open() }
}

/// The arrivals that are currently awaited.
private final class CurrentArrivals: Sendable {
    private let arrivals = Mutex<Arrivals?>(nil)

    func renew(_ arrivals: Arrivals) { self.arrivals.withLock { $0 = arrivals } }

    func arrive() { arrivals.withLock { $0 }?.arrive() }
}
