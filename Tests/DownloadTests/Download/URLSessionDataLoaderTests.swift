import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// Behavior particular to URLSession. A response truncated inside its head is deliberately absent: it crashes any
/// process that uses URLSession on Linux.
@Suite(.timeLimit(.minutes(1))) struct URLSessionDataLoaderTests {
    private let server: LoopbackServer
    private let transport = URLSessionDataLoader()
    private let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    init() throws { server = try LoopbackServer() }

    private func download(_ path: String) async throws(ImageLoaderError) -> Download {
        try await TransportClient(transport: transport, server: server).download(path)
    }

    @Test func cancelledCaller_returnsAtOnce_andItsSlotWaitsForTheSession() async throws {
        let gate = ThreadGate()
        // A slow sink blocks the session's queue.
        let slow = ResponseSink(maximumBytes: 1 << 20) { _, _ in gate.enter() }
        server.handle("/slow") { [body] _ in .bytes(body) }
        server.handle("/silent") { [body] _ in .bytes(body).stalling(.beforeHead) }
        let fixture = CoordinatorFixture(loader: transport) { $0.idleTimeout = .seconds(3_600) }
        let silent = fixture.download(ImageRequest(url: server.url("/silent")))
        try await server.until { $0.stalledReplies == 1 }
        let load = Task {
            try await transport.load(DataRequest(url: server.url("/slow"), idleTimeout: .seconds(3_600)), into: slow)
        }
        await gate.arrivals(1)
        let unstarted = fixture.download(ImageRequest(url: server.url("/never")))
        await fixture.until { $0.running == 2 }
        for waiting in [silent, unstarted] {
            waiting.cancel()
            await #expect(throws: ImageLoaderError.cancelled) { try await waiting.value }
        }
        #expect(await fixture.statistics.running == 2)
        gate.open()
        try await load.value
        #expect(try slow.finish().body == body)
        try await server.untilAbandoned("/silent")
        await fixture.until { $0.running == 0 }
        #expect(server.statistics.requestsByPath["/never"] == nil)
    }

    @Test func cancelledLoad_deliversNothing_afterItReturned() async throws {
        let gate = ThreadGate()
        let isOver = Mutex(false)
        let sink = ResponseSink(maximumBytes: 1 << 20) { _, _ in
            gate.enter()
            #expect(!isOver.withLock { $0 })
        }
        server.handle("/a") { [body] _ in .bytes(body).chunked(1000) }
        let load = Task {
            defer { isOver.withLock { $0 = true } }
            try await transport.load(DataRequest(url: server.url("/a"), idleTimeout: .seconds(3_600)), into: sink)
        }
        await gate.arrivals(1)
        load.cancel()
        gate.open()
        await #expect(throws: ImageLoaderError.cancelled) { try await load.value }
        // Another load on the same queue ends after everything queued before it.
        server.enqueue(.bytes(body), for: "/b")
        #expect(try await download("/b").body == body)
    }

    @Test func releasedLoaders_closeTheirConnections() async throws {
        let own = try LoopbackServer { [body] _ in .bytes(body) }
        func use() async throws {
            let transport = URLSessionDataLoader()
            let sink = ResponseSink(maximumBytes: 1 << 20)
            try await transport.load(DataRequest(url: own.url("/a"), idleTimeout: .seconds(3_600)), into: sink)
        }
        for _ in 0..<50 { try await use() }
        // Sessions close their connections when they are invalidated.
        try await own.until { $0.closedByClient == 50 }
        #expect(own.statistics.openConnections == 0)
    }
}
