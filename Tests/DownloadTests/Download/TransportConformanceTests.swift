import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// The behavior that all transports share, over real sockets.
@Suite(.timeLimit(.minutes(1))) struct TransportConformanceTests {
    private let server: LoopbackServer
    private let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    init() throws { server = try LoopbackServer() }

    private func client(_ kind: RealTransport) -> TransportClient {
        TransportClient(transport: kind.make(TransportSettings()), server: server)
    }

    // MARK: Bodies

    @Test(arguments: RealTransport.all)
    func body_isComplete_howeverItIsFramed(kind: RealTransport) async throws {
        let client = client(kind)
        let replies: [LoopbackServer.Reply] = [
            .bytes(body), .bytes(body).chunked(1000), .bytes(body).withoutLength(),
            .bytes(body).dripping(20_000, every: .milliseconds(1)),
        ]
        for reply in replies {
            server.enqueue(reply)
            #expect(try await client.download().body == body)
        }
        #expect(server.statistics.requests == replies.count)
    }

    @Test(arguments: RealTransport.all)
    func connections_areReused(kind: RealTransport) async throws {
        let client = client(kind)
        for _ in 0..<20 {
            server.enqueue(.bytes(body))
            _ = try await client.download()
        }
        #expect(server.statistics.connectionsAccepted == 1)
    }

    @Test(arguments: RealTransport.all)
    func connections_areLimited(kind: RealTransport) async throws {
        var settings = TransportSettings()
        settings.maximumConnectionsPerHost = 3
        let client = TransportClient(transport: kind.make(settings), server: server)
        server.handle("/a") { [body] _ in .bytes(body) }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<30 { group.addTask { try await client.download().body.count } }
            for try await count in group { #expect(count == body.count) }
        }
        #expect(server.statistics.connectionsAccepted <= 3)
    }

    @Test(arguments: RealTransport.all)
    func missingResponse_blocksNoOther(kind: RealTransport) async throws {
        let client = client(kind)
        let first = Task { try await client.download("/silent") }
        let exchange = try await server.nextRequest()
        server.handle("/a") { [body] _ in .bytes(body) }
        for _ in 0..<3 { #expect(try await client.download().body == body) }
        exchange.reply(.bytes(body))
        #expect(try await first.value.body == body)
    }

    @Test(arguments: RealTransport.all)
    func head_isDelivered(kind: RealTransport) async throws {
        server.enqueue(.bytes(body, contentType: "image/png").header("ETag", "\"1\""))
        let head = try await client(kind).download().head
        #expect(head.status == 200)
        #expect(head.expectedBytes == body.count)
        #expect(head.headers["etag"] == "\"1\"")
        #expect(head.headers["Content-Type"] == "image/png")
        #expect(head.url == server.url("/a"))
    }

    @Test(arguments: RealTransport.all)
    func codedBody_isDecoded_andTheLimitAppliesToDecodedBytes(kind: RealTransport) async throws {
        let client = client(kind)
        let coded = CodedBodies.letters
        server.enqueue(.bytes(coded).header("Content-Encoding", "gzip"))
        let download = try await client.download()
        #expect(download.body == Data(repeating: 0x61, count: 100_000))
        #expect(download.head.expectedBytes == nil)
        let error = await client.error(.bytes(coded).header("Content-Encoding", "gzip"), byteLimit: 50_000)
        if case .limitExceeded(.inputBytes, let value, 50_000) = error {
            #expect(value < 100_000)
        } else {
            Issue.record("\(String(describing: error))")
        }
        let damaged = await client.error(.bytes(coded.dropFirst(3)).header("Content-Encoding", "gzip"))
        #expect(damaged?.kind == .malformedResponse)
    }

    // MARK: Requests

    /// libcurl takes 1 MiB, and says of a longer one that there is no memory.
    @Test(arguments: RealTransport.all)
    func requestThatIsTooLong_isRefused_beforeItIsSent(kind: RealTransport) async throws {
        let client = client(kind)
        let text = String(repeating: "x", count: 1_000_000)
        let url = try #require(URL(string: server.url("/a?").absoluteString + text))
        let changes: [(inout DataRequest) -> Void] = [{ $0.url = url }, { $0.headers["X-Long"] = text }]
        for change in changes {
            let error = await #expect(throws: ImageLoaderError.self) { try await client.download("/a", change) }
            guard case .limitExceeded(let limit, let value, 1_000_000) = error else {
                Issue.record("\("\(String(describing: error))".prefix(200))")
                continue
            }
            #expect(limit.rawValue == "requestBytes" && value > 1_000_000 && value < 1_001_000)
        }
        #expect(server.statistics.requests == 0)
        server.handle("/a") { [body] _ in .bytes(body) }
        #expect(try await client.download { $0.headers["X-Long"] = String(text.prefix(10_000)) }.body == body)
    }

    @Test(arguments: RealTransport.all)
    func requestHeaders_areSent_andIdentityIsRequested(kind: RealTransport) async throws {
        let client = client(kind)
        let load = Task { try await client.download { $0.headers["X-Test"] = "yes" } }
        let exchange = try await server.nextRequest()
        #expect(exchange.request.method == "GET")
        #expect(exchange.request.headers["x-test"] == "yes")
        #expect(exchange.request.headers["accept-encoding"] == "identity")
        #expect(exchange.request.headers["cookie"] == nil)
        exchange.reply(.bytes(body))
        _ = try await load.value
    }

    @Test(arguments: RealTransport.all)
    func injectingMethodOrHeader_isRejected(kind: RealTransport) async throws {
        let client = client(kind)
        let method = await #expect(throws: ImageLoaderError.self) {
            try await client.download { $0.method = HTTPMethod(rawValue: "GET / HTTP/1.1\r\nX-Own: 1\r\nX-Other:") }
        }
        #expect(method?.kind == .unsupportedConfiguration)
        await #expect(throws: ImageLoaderError.invalidHeader(name: "X-Test")) {
            try await client.download { $0.headers["X-Test"] = "1\r\nX-Own: 1" }
        }
        for name in ["Content-Length", "transfer-encoding", "Connection", "Expect"] {
            await #expect(throws: ImageLoaderError.invalidHeader(name: name)) {
                try await client.download { $0.headers[name] = "1" }
            }
        }
        #expect(server.statistics.requests == 0)
    }

    @Test(arguments: RealTransport.all)
    func headerGivenTwice_isSentTwice(kind: RealTransport) async throws {
        let client = client(kind)
        let headers = HTTPHeaders([("X-Test", "1"), ("X-Test", "2"), ("Accept-Encoding", "gzip")])
        let load = Task { try await client.download { $0.headers = headers } }
        let exchange = try await server.nextRequest()
        #expect(exchange.request.headers["x-test"]?.filter { $0 != " " } == "1,2")
        #expect(exchange.request.headers["accept-encoding"] == "gzip")
        exchange.reply(.bytes(body))
        _ = try await load.value
    }

    @Test(arguments: RealTransport.all)
    func post_sendsItsBodysLength(kind: RealTransport) async throws {
        let client = client(kind)
        for content in [Data("a=1".utf8), Data(count: 20)] {
            let load = Task {
                try await client.download {
                    $0.method = .post
                    $0.body = content
                    $0.headers["Content-Type"] = "text/plain"
                }
            }
            let exchange = try await server.nextRequest()
            #expect(exchange.request.method == "POST")
            #expect(exchange.request.headers["content-length"] == "\(content.count)")
            #expect(exchange.request.headers["content-type"] == "text/plain")
            exchange.reply(.bytes(body).closing())
            #expect(try await load.value.body == body)
        }
    }

    @Test(arguments: RealTransport.all)
    func informationalResponse_isSkipped(kind: RealTransport) async throws {
        let client = client(kind)
        let load = Task { try await client.download() }
        let exchange = try await server.nextRequest()
        exchange.send(Data("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".utf8))
        exchange.reply(.bytes(body))
        let download = try await load.value
        #expect(download.body == body)
        #expect(download.head.headers["Link"] == nil)
    }

    @Test(arguments: RealTransport.all)
    func extremeTimeouts_doNotCrash(kind: RealTransport) async throws {
        let client = client(kind)
        for time in [Duration.seconds(Int64.max), .seconds(-1), .zero, .nanoseconds(1), .seconds(Int64.min)] {
            server.enqueue(.bytes(body), for: "/a")
            do {
                #expect(try await client.download { $0.idleTimeout = time }.body == body)
            } catch {
                #expect(error == .timedOut(.idle) && time < .seconds(1))
            }
        }
    }

    // MARK: Statuses

    @Test(arguments: RealTransport.all)
    func failureStatus_endsTheTransfer(kind: RealTransport) async throws {
        let client = client(kind)
        for status in [304, 400, 404, 416, 500] {
            #expect(await client.error(LoopbackServer.Reply(status: status, body: body)) == .badStatus(status))
        }
    }

    @Test(arguments: RealTransport.all)
    func responseWithoutABody_isAnEmptyBody(kind: RealTransport) async throws {
        let client = client(kind)
        // Status 204 says that there is none.
        let announced = LoopbackServer.Reply.raw(Data("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n".utf8))
        for reply in [LoopbackServer.Reply.status(204), announced] {
            client.server.enqueue(reply)
            let download = try await client.download()
            #expect(download.body.isEmpty && download.head.status == 204)
        }
        #expect(await client.error(.bytes(Data())) == .emptyBody)
        var rules = ResponseRules()
        rules.acceptedStatus = 200...399
        #expect(await client.error(.status(304).header("Content-Length", "5"), rules: rules) == .emptyBody)
        server.enqueue(.bytes(body))
        await #expect(throws: ImageLoaderError.emptyBody) {
            try await client.download { $0.method = HTTPMethod(rawValue: "HEAD") }
        }
    }

    @Test(arguments: RealTransport.all)
    func status401_isReported_andDoesNotHang(kind: RealTransport) async throws {
        let client = client(kind)
        for scheme in ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"y\"", "Bearer"] {
            #expect(await client.error(.status(401).header("WWW-Authenticate", scheme)) == .badStatus(401))
        }
    }

    // MARK: Faults

    @Test(arguments: RealTransport.all)
    func refusedConnection_isReported(kind: RealTransport) async throws {
        let port = try RefusingPort()
        let error = await #expect(throws: ImageLoaderError.self) {
            try await client(kind).download { $0.url = port.url("/a") }
        }
        if case .connectionFailed(.refused, _) = error {} else { Issue.record("\(String(describing: error))") }
    }

    @Test(arguments: RealTransport.all)
    func connectionReset_isReported_whereverItHappens(kind: RealTransport) async throws {
        let client = client(kind)
        for position: LoopbackServer.Reply.Position in [.beforeHead, .afterHead, .afterBytes(50_000)] {
            let error = await client.error(.bytes(body).resetting(position))
            if case .connectionFailed(.lost, _) = error { continue }
            if case .truncated = error { continue }
            Issue.record("\(position): \(String(describing: error))")
        }
    }

    @Test(arguments: RealTransport.all)
    func truncatedBody_isReported_howeverItIsFramed(kind: RealTransport) async throws {
        let client = client(kind)
        let plain = await client.error(.bytes(body).truncating(.afterBytes(40_000)))
        #expect(plain == .truncated(received: 40_000, expected: 100_000))
        let chunked = await client.error(.bytes(body).chunked(1000).truncating(.afterBytes(40_000)))
        if case .truncated(40_000, nil) = chunked {} else { Issue.record("\(String(describing: chunked))") }
        let long = await client.error(.bytes(body).announcing(length: body.count + 1))
        #expect(long == .truncated(received: body.count, expected: body.count + 1))
    }

    @Test(arguments: RealTransport.all)
    func bodyLongerThanItsLength_isCutThere(kind: RealTransport) async throws {
        server.enqueue(.bytes(body).announcing(length: 10))
        #expect(try await client(kind).download().body == body.prefix(10))
    }

    @Test(arguments: RealTransport.all)
    func garbageInsteadOfAResponse_isMalformed(kind: RealTransport) async throws {
        let error = await client(kind).error(.raw(Data("SSH-2.0-OpenSSH_9.6\r\n\r\n".utf8)))
        #expect(error?.kind == .malformedResponse)
    }

    @Test(
        arguments: RealTransport.all,
        [
            "1.1 99 OK", "1.1 20 OK", "1.1 000 OK", "1.1 1000 OK", "1.1  OK", "1.1", "1.7 200 OK", "3 200 OK",
            "9 200 OK",
            "1.1 200 OK\r\nContent-Length: 3", "1.1 200 OK\r\nContent-Length: 7", "1.1 200 OK\r\nContent-Length: 5abc",
            "1.1 200 OK\r\nContent-Length: 0x5", "1.1 200 OK\r\nContent-Length: +5", "1.1 200 OK\r\nContent-Length: 5,",
        ])
    func invalidHead_isMalformed(kind: RealTransport, start: String) async throws {
        let head = "HTTP/\(start)\r\nContent-Length: 5\r\n\r\n"
        let error = await client(kind).error(.raw(Data((head + "hello").utf8)))
        #expect(error?.kind == .malformedResponse)
    }

    @Test(arguments: RealTransport.all)
    func repeatedEqualLength_countsAsOne(kind: RealTransport) async throws {
        let client = client(kind)
        for lengths in ["5, 5", "5,5", "5\r\nContent-Length: 5"] {
            server.enqueue(.raw(Data("HTTP/1.1 200 OK\r\nContent-Length: \(lengths)\r\n\r\nhello".utf8)))
            let download = try await client.download()
            #expect(download.body == Data("hello".utf8))
            #expect(download.head.expectedBytes == 5)
        }
    }

    @Test(arguments: RealTransport.all)
    func length_isKnown_ifAnnouncedOrChunked(kind: RealTransport) async throws {
        let client = client(kind)
        for (reply, isKnown) in [
            (LoopbackServer.Reply.bytes(body), true), (.bytes(body).chunked(1000), true),
            (.bytes(body).withoutLength(), false),
            (.raw(Data("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n".utf8) + body), false),
        ] {
            server.enqueue(reply)
            #expect(try await client.download().head.hasKnownLength == isKnown)
        }
    }

    @Test(arguments: RealTransport.all)
    func silence_endsWithTheIdleTimeout(kind: RealTransport) async throws {
        let client = client(kind)
        let shortest = Duration.milliseconds(300)
        for position: LoopbackServer.Reply.Position in [.beforeHead, .afterBytes(1000)] {
            server.enqueue(.bytes(body).stalling(position))
            let start = ContinuousClock.now
            await #expect(throws: ImageLoaderError.timedOut(.idle)) {
                try await client.download { $0.idleTimeout = shortest }
            }
            #expect(ContinuousClock.now - start > shortest - .milliseconds(50))
        }
        try await server.until { $0.stalledReplies == 0 }
    }

    @Test(arguments: RealTransport.all)
    func bodyAboveTheLimit_endsTheTransfer(kind: RealTransport) async throws {
        let client = client(kind)
        let announced = await client.error(.bytes(body), byteLimit: 99_999)
        #expect(announced == .limitExceeded(.inputBytes, value: 100_000, allowed: 99_999))
        let unannounced = await client.error(.bytes(body).chunked(), byteLimit: 50_000)
        guard case .limitExceeded(.inputBytes, let value, 50_000) = unannounced else {
            Issue.record("\(String(describing: unannounced))")
            return
        }
        #expect(value > 50_000 && value < 100_000)
    }

    @Test(arguments: RealTransport.all)
    func headLimit_countsHeaderBytes(kind: RealTransport) async throws {
        let client = client(kind)
        // Each header counts with its colon, blank and line end.
        let fields = "Content-Length: 5\r\nX-Filler: \(String(repeating: "x", count: 500))\r\n"
        let reply = LoopbackServer.Reply.raw(Data("HTTP/1.1 200 OK\r\n\(fields)\r\nhello".utf8))
        var rules = ResponseRules()
        rules.maximumHeaderBytes = fields.utf8.count
        server.enqueue(reply)
        #expect(try await client.download(rules: rules).body == Data("hello".utf8))
        rules.maximumHeaderBytes -= 1
        let error = await client.error(reply, rules: rules)
        #expect(error == .limitExceeded(.headerBytes, value: fields.utf8.count, allowed: fields.utf8.count - 1))
    }

    @Test(arguments: RealTransport.all)
    func sinkError_isThrown_andClosesTheConnection(kind: RealTransport) async throws {
        let client = client(kind)
        let endless: [LoopbackServer.Reply] = [
            .bytes(body).announcing(length: 1 << 30).stalling(.afterBytes(90_000)),
            .bytes(body).withoutLength().stalling(.afterBytes(90_000)),
        ]
        for reply in endless {
            server.enqueue(reply)
            let error = await #expect(throws: ImageLoaderError.self) {
                // Only the limit can end it.
                try await client.download(byteLimit: 100) { $0.idleTimeout = .seconds(3_600) }
            }
            if case .limitExceeded(.inputBytes, _, 100) = error {} else { Issue.record("\(String(describing: error))") }
        }
        try await server.untilAbandoned("/a", count: 2)
    }
}
