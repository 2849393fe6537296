import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

/// The idle timeout on the real clock, because the subject is the transport's own timer.
@Suite(.timeLimit(.minutes(1)), .serialized) struct URLSessionIdleTests {
    private let server: LoopbackServer
    private let transport = URLSessionDataLoader()
    private let body = Data("0123456789".utf8)
    /// The session's own timeout is at least this long.
    private static let backstop = Duration.seconds(30)

    init() throws { server = try LoopbackServer() }

    private func download(_ path: String, idleTimeout: Duration) async throws(ImageLoaderError) -> Download {
        let sink = ResponseSink(maximumBytes: 1 << 20)
        try await transport.load(DataRequest(url: server.url(path), idleTimeout: idleTimeout), into: sink)
        return try sink.finish()
    }

    /// The time that a download takes to end with the idle timeout.
    private func timeToEnd(_ path: String, idleTimeout: Duration) async -> Duration {
        await ContinuousClock().measure {
            await #expect(throws: ImageLoaderError.timedOut(.idle)) {
                try await download(path, idleTimeout: idleTimeout)
            }
        }
    }

    @Test(arguments: [LoopbackServer.Reply.Position.beforeHead, .afterHead, .afterBytes(5)])
    func silence_endsALoad_whereverItOccurs(position: LoopbackServer.Reply.Position) async throws {
        server.handle("/a") { [body] _ in .bytes(body).stalling(position) }
        for milliseconds in [50, 300, 1_200] {
            let time = await timeToEnd("/a", idleTimeout: .milliseconds(milliseconds))
            #expect(time >= .milliseconds(milliseconds))
            #expect(time < Self.backstop)
        }
        try await server.untilAbandoned("/a", count: 3)
    }

    @Test func byte_restartsTheTimeout() async throws {
        server.handle("/a") { [body] _ in .bytes(body).dripping(1, every: .milliseconds(100)) }
        #expect(try await download("/a", idleTimeout: .milliseconds(700)).body == body)
    }

    @Test func hop_hasItsOwnTimeout() async throws {
        server.handle("/a") { _ in .redirect(to: "/b") }
        server.handle("/b") { [body] _ in .bytes(body).stalling(.afterBytes(2)) }
        #expect(await timeToEnd("/a", idleTimeout: .milliseconds(200)) >= .milliseconds(200))
    }

    @Test func concurrentTimeouts_expireIndependently() async throws {
        server.handle("/a") { [body] _ in .bytes(body).stalling(.beforeHead) }
        await withTaskGroup(of: Void.self) { group in
            for milliseconds in [400, 50, 200, 100, 300, 50] {
                group.addTask {
                    let time = await timeToEnd("/a", idleTimeout: .milliseconds(milliseconds))
                    #expect(time >= .milliseconds(milliseconds) && time < Self.backstop)
                }
            }
        }
    }

    /// The session receives the whole body of a redirect before it reports the redirect, and delivers none of it.
    @Test func endlessRedirectBody_endsWithTheIdleTimeout() async throws {
        let endless = LoopbackServer.Reply(status: 302, headers: ["Location": "/b"], body: Data(count: 100_000))
        server.enqueue(endless.dripping(1, every: .milliseconds(10)))
        #expect(await timeToEnd("/a", idleTimeout: .milliseconds(300)) >= .milliseconds(300))
        try await server.untilAbandoned("/a")
    }
}
