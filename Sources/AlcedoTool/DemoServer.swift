import AlcedoTestSupport
import Foundation
import Synchronization

/// The demo's server. It sends its images slowly enough to watch, and stalls in the middle of one of them.
final class DemoServer: Sendable {
    let urls: [URL]
    let slowURL: URL
    private let server: LoopbackServer

    init(_ pictures: [DemoPictures.Picture]) throws {
        var replies: [String: LoopbackServer.Reply] = [:]
        for picture in pictures {
            let type = picture.name.hasSuffix(".png") ? "image/png" : "image/jpeg"
            replies["/" + picture.name] = .bytes(picture.bytes, contentType: type)
                .dripping(8 << 10, every: .milliseconds(8))
        }
        let half = pictures.first?.bytes ?? Data()
        replies["/slow.jpg"] = .bytes(half, contentType: "image/jpeg").stalling(.afterBytes(half.count / 2))
        server = try LoopbackServer { [replies] in replies[$0.path] ?? .status(404) }
        urls = pictures.map { [server] in server.url("/" + $0.name) }
        slowURL = server.url("/slow.jpg")
    }

    var base: String { server.url().absoluteString }

    /// The number of requests since the last call.
    func takeRequestCount() -> Int {
        let seen = server.statistics.requests
        return counted.withLock { counted in
            defer { counted = seen }
            return seen - counted
        }
    }

    private let counted = Mutex(0)

    func untilSlowIsUnderWay() async throws { try await server.until { $0.stalledReplies > 0 } }

    func untilSlowIsAbandoned(_ count: Int) async throws {
        try await server.untilAbandoned("/slow.jpg", count: count)
    }

    func stop() { server.stop() }
}
