import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Transfers over sockets that pause, continue and end as the budget for received bytes demands.
@Suite(.timeLimit(.minutes(1))) struct TransportBudgetTests {
    private let server: LoopbackServer
    private let body = Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) })
    private let clock = ManualClock()

    init() throws { server = try LoopbackServer() }

    private func load(
        _ sink: ResponseSink, _ transport: any DataLoading, _ path: String = "/a",
        idleTimeout: Duration = .seconds(3_600)
    ) -> Task<Void, any Error> {
        let request = DataRequest(url: server.url(path), idleTimeout: idleTimeout)
        return Task { try await transport.load(request, into: sink) }
    }

    @Test(arguments: RealTransport.all)
    func silentTransfer_thatHoldsUpOthers_isEnded(kind: RealTransport) async throws {
        let budget = BodyBudget(byteLimit: 1_000, time: TimeSource(clock))
        let sink = ResponseSink(rules: ResponseRules(), share: budget.share { .high })
        let load = load(sink, kind.make(TransportSettings()))
        let exchange = try await server.nextRequest()
        exchange.sendHead(length: body.count)
        exchange.send(body.prefix(600))
        while budget.byteCount < 600, !Task.isCancelled { await Task.yield() }
        let other = budget.share { .normal }
        other.onDemand(canPause: true) {}
        other.add(400)
        #expect(other.demand == .nothing)
        try await clock.sleeper(until: .init(offset: .seconds(10)))
        clock.advance(by: .seconds(10))
        await #expect(throws: ImageLoaderError.timedOut(.tooSlow)) { try await load.value }
        _ = try await exchange.connectionClosed()
        #expect(other.demand == .more)
    }
}

#if os(Linux) && Curl
extension TransportBudgetTests {
    @Test func twelveBodies_ofASixthOfTheBudgetEach_allEnd() async throws {
        let budget = BodyBudget(byteLimit: 6 << 20)
        let highest = Mutex(0)
        var settings = DownloadCoordinator.Settings()
        settings.bodyBudget = budget
        settings.maximumConcurrentDownloadsPerHost = 12
        settings.minimumRate = nil
        let coordinator = DownloadCoordinator(valid: settings, loader: CurlDataLoader()) { _ in
            highest.withLock { $0 = max($0, budget.byteCount) }
        }
        let callers = (0..<12).map { number in
            server.handle("/\(number)") { [body] _ in .bytes(body) }
            let url = server.url("/\(number)")
            return Task { try await coordinator.data(for: ImageRequest(url: url)) }
        }
        for caller in callers { #expect(try await caller.value == body) }
        // The most urgent body, and a chunk of each other.
        #expect(highest.withLock { $0 } <= 7 << 20 + 12 * 64 << 10)
        #expect(budget.byteCount == 0)
    }

    @Test(arguments: [false, true]) func pausedTransfer_readsNothing_andIsNotIdle(isCoded: Bool) async throws {
        let transport = CurlDataLoader()
        let budget = BodyBudget(byteLimit: 1_000, time: TimeSource(clock))
        let lead = budget.share { .high }
        lead.add(1_000)
        let sink = ResponseSink(rules: ResponseRules(), share: budget.share { .normal })
        let reply =
            isCoded
            ? LoopbackServer.Reply.bytes(CodedBodies.gzip(body)).header("Content-Encoding", "gzip") : .bytes(body)
        server.handle("/a") { _ in reply }
        let paused = load(sink, transport, idleTimeout: .milliseconds(500))
        while sink.demand != .nothing, !Task.isCancelled { await Task.yield() }
        // Another transfer's time passes, twice.
        for _ in 0..<2 {
            let silent = load(ResponseSink(maximumBytes: 1), transport, "/silent", idleTimeout: .milliseconds(500))
            await #expect(throws: ImageLoaderError.timedOut(.idle)) { try await silent.value }
        }
        // Small chunks are delivered together, so some may have been under way.
        #expect(sink.received <= 64 << 10 && sink.received > 0)
        lead.release()
        try await paused.value
        #expect(sink.body == body)
        #expect(budget.byteCount == body.count)
    }

    @Test(.enabled(if: NginxServer.isInstalled)) func pausedStream_letsOthersOfItsConnectionPass() async throws {
        let server = try NginxServer(files: ["a": body, "b": Data("small".utf8)])
        var settings = TransportSettings()
        settings.authorities = server.authority
        let transport = CurlDataLoader(settings)
        let budget = BodyBudget(byteLimit: 1_000)
        let lead = budget.share { .high }
        lead.add(1_000)
        func load(_ path: String, into sink: ResponseSink) async throws {
            try await transport.load(
                DataRequest(url: server.secureURL(path), idleTimeout: .seconds(3_600)), into: sink)
        }
        let sinks = (0..<3).map { _ in ResponseSink(rules: ResponseRules(), share: budget.share { .normal }) }
        let paused = sinks.map { sink in
            Task {
                try await load("/a", into: sink)
                // As at the end of a download, and once its caller has it.
                sink.share?.complete()
                sink.share?.release()
            }
        }
        while sinks.contains(where: { $0.demand != .nothing }), !Task.isCancelled { await Task.yield() }
        for _ in 0..<10 {
            let sink = ResponseSink(maximumBytes: 100)
            try await load("/b", into: sink)
            #expect(sink.body == Data("small".utf8))
        }
        #expect(sinks.allSatisfy { $0.received < body.count })
        lead.release()
        for (sink, load) in zip(sinks, paused) {
            try await load.value
            #expect(sink.body == body)
        }
        #expect(budget.byteCount == 0)
        server.stop()
    }

    @Test func pausedTransfer_canBeCancelled() async throws {
        let budget = BodyBudget(byteLimit: 1_000)
        let lead = budget.share { .high }
        lead.add(1_000)
        for isCoded in [false, true] {
            let sink = ResponseSink(rules: ResponseRules(), share: budget.share { .normal })
            let reply =
                isCoded
                ? LoopbackServer.Reply.bytes(CodedBodies.gzip(body)).header("Content-Encoding", "gzip") : .bytes(body)
            server.handle("/a") { _ in reply }
            let paused = load(sink, CurlDataLoader())
            while sink.demand != .nothing, !Task.isCancelled { await Task.yield() }
            paused.cancel()
            await #expect(throws: ImageLoaderError.cancelled) { try await paused.value }
        }
    }
}
#endif
