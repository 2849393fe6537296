import AlcedoTestSupport
import Foundation
import Synchronization

/// The origin of the images. It sends them with a validator and a lifetime, and records the requests.
final class PictureOrigin: Sendable {
    struct Request: Sendable {
        let number: Int
        let time: ContinuousClock.Instant
        /// Whether it was answered with 304, because the client had the image.
        let isConfirmation: Bool
    }

    /// The time that a body takes, as over a network.
    private static let delay = Duration.milliseconds(20)

    private let server: LoopbackServer
    private let log: RequestLog

    var port: Int { server.port }
    /// The requests so far, in order.
    var requests: [Request] { log.requests.withLock { $0 } }

    init() throws {
        let files = try (0..<ServerSideSetting.pictures).map(NumberedPictures.file)
        let log = RequestLog()
        self.log = log
        server = try LoopbackServer { request in
            guard let number = NumberedPictures.number(at: request.path) else { return .status(404) }
            let file = files[number]
            let reply = LoopbackServer.Reply.resource(
                file, contentType: "image/png", etag: "\"\(number)\"", for: request)
            log.add(Request(number: number, time: .now, isConfirmation: reply.status == 304))
            return reply.header("Cache-Control", "public, max-age=\(ServerSideSetting.lifetime)")
                .dripping(file.count / 2 + 1, every: Self.delay)
        }
    }

    /// Stops the server and waits until it has closed its connections.
    func stop() async throws {
        server.stop()
        try await server.untilStopped()
    }

    /// The log of requests. It is separate from the server, because the server's handler must not retain the server.
    private final class RequestLog: Sendable {
        let requests = Mutex<[Request]>([])

        func add(_ request: Request) { requests.withLock { $0.append(request) } }
    }
}
