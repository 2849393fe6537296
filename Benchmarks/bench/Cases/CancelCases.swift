import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization

/// What it costs not to load.
enum CancelCases {
    static let all: [BenchCase] = [
        .timed("download/cancel-before-start", target: 5_000, ours: { try await cancelsBeforeStart() }),
        // From Task.cancel() to the return of URLSessionTask.cancel().
        .timed(
            "download/cancel-latency", target: 1_000_000, iterationsPerSample: 1,
            ours: { try await CancelLatency.workload(onKeptConnections: false) }),
        // Foundation's loop on Linux never rests while a connection is in its first use, and a cancel waits behind it.
        .timed(
            "download/cancel-latency-kept", target: 1_000_000, iterationsPerSample: 1,
            ours: { try await CancelLatency.workload(onKeptConnections: true) }),
        // What a transport reports for every chunk, with a load that follows it.
        .timed("download/event", target: 100, ours: { events() }),
    ]

    /// Loads that are created and cancelled while no download may start.
    private static func cancelsBeforeStart() async throws -> Workload {
        let transport = ScriptedDataLoader { _ in .bytes(Data(count: 1)) }
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = transport
        let loader = ImageLoader(configuration)
        await loader.pauseDownloads()
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
        transfer.add(follower)
        transfer.advance { $0.start(attempt: 1) }
        return Workload { iterations in
            for number in 0..<iterations { transfer.advance { $0.receive(number, of: nil) } }
            blackHole(follower)
        }
    }
}

/// 1,000 downloads over URLSession that are stalled in mid-body; an operation cancels one of them and loads another in
/// its place, which is not timed.
private final class CancelLatency: Sendable {
    private static let width = 1_000

    private let server: LoopbackServer
    private let loader: ImageLoader
    private let stalled = Mutex<[Stalled]>([])
    private let gate: CurrentGate
    private let number = Atomic(0)

    private struct Stalled: Sendable {
        let task: Task<Void, Never>
        let exchange: LoopbackServer.Exchange
    }

    static func workload(onKeptConnections: Bool) async throws -> Workload {
        guard Platform.raiseDescriptorLimit(to: 4 * width) else { throw BenchError("too few descriptors") }
        let latency = try CancelLatency()
        if onKeptConnections { try await latency.connect() }
        for _ in 0..<width { try await latency.addOne() }
        return Workload(
            prepare: { iterations in try await latency.fillUp(iterations) },
            tearDown: { latency.tearDown() },
            run: { iterations in try await latency.cancel(iterations) })
    }

    private init() throws {
        server = try LoopbackServer()
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.download.width = Self.width + 1
        configuration.download.hostWidth = Self.width + 1
        configuration.download.idleTimeout = .seconds(3_600)
        let gate = CurrentGate()
        var settings = TransportSettings()
        settings.connectionsPerHost = Self.width + 1
        configuration.dataLoader = URLSessionDataLoader(settings, onTaskCancelled: { gate.open() })
        self.gate = gate
        loader = ImageLoader(configuration)
    }

    /// Makes all the connections, by as many requests at once that are all answered.
    private func connect() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<Self.width {
                let request = ImageRequest(url: server.url("/connect/\(number)"))
                group.addTask { [loader] in _ = try await loader.data(for: request) }
            }
            var exchanges: [LoopbackServer.Exchange] = []
            for _ in 0..<Self.width { exchanges.append(try await server.nextRequest()) }
            for exchange in exchanges { exchange.reply(.bytes(Data(count: 10))) }
            try await group.waitForAll()
        }
    }

    private func addOne() async throws {
        let number = number.add(1, ordering: .relaxed).newValue
        let request = ImageRequest(url: server.url("/\(number)"))
        let handle = loader.dataTask(for: request)
        let task = Task { _ = try? await handle.value }
        let exchange = try await server.nextRequest()
        exchange.sendHead(length: 1_000)
        exchange.send(Data(count: 100))
        for await event in handle.events { if case .progress = event { break } }
        stalled.withLock { $0.append(Stalled(task: task, exchange: exchange)) }
    }

    private func fillUp(_ count: Int) async throws {
        while stalled.withLock({ $0.count }) < Self.width + count - 1 { try await addOne() }
    }

    private func cancel(_ count: Int) async throws {
        for _ in 0..<count {
            guard let victim = stalled.withLock({ $0.popLast() }) else { return }
            let gate = gate.renew()
            victim.task.cancel()
            await gate.wait()
        }
    }

    private func tearDown() {
        for one in stalled.withLock({ $0 }) { one.task.cancel() }
        server.stop()
    }
}

/// The gate of the cancel that is timed.
private final class CurrentGate: Sendable {
    private let gate = Mutex(Gate())

    func renew() -> Gate {
        let fresh = Gate()
        gate.withLock { $0 = fresh }
        return fresh
    }

    func open() { gate.withLock { $0 }.open() }
}
