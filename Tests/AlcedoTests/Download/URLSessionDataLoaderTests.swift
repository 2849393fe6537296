import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo

/// The transport against real sockets. A response cut inside its head is missing on purpose: it kills any process that
/// uses URLSession on Linux.
@Suite(.timeLimit(.minutes(1))) struct URLSessionDataLoaderTests {
    private let server: LoopbackServer
    private let transport = URLSessionDataLoader()
    private let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    init() throws { server = try LoopbackServer() }

    private func download(
        _ path: String = "/a", byteLimit: Int = 1 << 20, _ adjust: (inout DataRequest) -> Void = { _ in }
    ) async throws(ImageLoaderError) -> Download {
        var request = DataRequest(url: server.url(path))
        adjust(&request)
        let sink = ResponseSink(byteLimit: byteLimit)
        try await transport.load(request, into: sink)
        return try sink.finish()
    }

    /// The error of a download that the server answers so.
    private func error(_ reply: LoopbackServer.Reply, byteLimit: Int = 1 << 20) async -> ImageLoaderError? {
        server.enqueue(reply)
        return await #expect(throws: ImageLoaderError.self) { try await download(byteLimit: byteLimit) }
    }

    // MARK: Bodies

    @Test func bodies_comeWhole_howeverTheyAreFramed() async throws {
        let replies: [LoopbackServer.Reply] = [
            .bytes(body), .bytes(body).chunked(1000), .bytes(body).withoutLength(),
            .bytes(body).dripping(20_000, every: .milliseconds(1)),
        ]
        for reply in replies {
            server.enqueue(reply)
            #expect(try await download().body == body)
        }
        #expect(server.statistics.requests == replies.count)
    }

    @Test func connectionsAreKept() async throws {
        for _ in 0..<20 {
            server.enqueue(.bytes(body))
            _ = try await download()
        }
        #expect(server.statistics.connectionsAccepted == 1)
    }

    @Test func theHead_isDelivered() async throws {
        server.enqueue(.bytes(body, contentType: "image/png").header("ETag", "\"1\""))
        let head = try await download().head
        #expect(head.status == 200)
        #expect(head.expectedBytes == body.count)
        #expect(head.headers["etag"] == "\"1\"")
        #expect(head.url == server.url("/a"))
    }

    @Test func requestFields_areSent_andPlainBytesAskedFor() async throws {
        let load = Task { try await download { $0.headers["X-Test"] = "yes" } }
        let exchange = try await server.nextRequest()
        #expect(exchange.request.headers["x-test"] == "yes")
        #expect(exchange.request.headers["accept-encoding"] == "identity")
        #expect(exchange.request.headers["cookie"] == nil)
        exchange.reply(.bytes(body))
        _ = try await load.value
    }

    @Test func aFieldThatIsGivenTwice_isSentTwice() async throws {
        let headers = HTTPHeaders([("X-Test", "1"), ("X-Test", "2"), ("Accept-Encoding", "gzip")])
        let load = Task { try await download { $0.headers = headers } }
        let exchange = try await server.nextRequest()
        let values = exchange.request.headers["x-test"]?.filter { $0 != " " }
        #expect(values == "1,2")
        #expect(exchange.request.headers["accept-encoding"] == "gzip")
        exchange.reply(.bytes(body))
        _ = try await load.value
    }

    @Test func informationalResponses_arePassedOver() async throws {
        let load = Task { try await download() }
        let exchange = try await server.nextRequest()
        exchange.send(Data("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".utf8))
        exchange.reply(.bytes(body))
        #expect(try await load.value.body == body)
    }

    @Test func timesWithoutMeasure_crashNothing() async throws {
        server.enqueue(.bytes(body))
        #expect(try await download { $0.idleTimeout = .seconds(Int64.max) }.body == body)
        for time in [Duration.seconds(Int64.min), .seconds(-1), .zero, .nanoseconds(1)] {
            server.enqueue(.bytes(body).stalling(.beforeHead), for: "/no-time")
            await #expect(throws: ImageLoaderError.timedOut(.idle)) {
                try await download("/no-time") { $0.idleTimeout = time }
            }
        }
    }

    @Test func cookies_areNotKept() async throws {
        server.enqueue(.bytes(body).header("Set-Cookie", "a=b"))
        _ = try await download()
        let load = Task { try await download() }
        let exchange = try await server.nextRequest()
        #expect(exchange.request.headers["cookie"] == nil)
        exchange.reply(.bytes(body))
        _ = try await load.value
    }

    // MARK: Faults

    @Test func aRefusedConnection_isTold() async throws {
        let gone = try LoopbackServer()
        let url = gone.url("/a")
        gone.stop()
        try await gone.untilStopped()
        let error = await #expect(throws: ImageLoaderError.self) {
            try await transport.load(DataRequest(url: url), into: ResponseSink(byteLimit: 10))
        }
        if case .connectionFailed(.refused, _) = error {} else { Issue.record("\(String(describing: error))") }
    }

    @Test func aReset_isTold_whereverItComes() async throws {
        for position: LoopbackServer.Reply.Position in [.beforeHead, .afterHead, .afterBytes(50_000)] {
            let error = await error(.bytes(body).resetting(position))
            if case .connectionFailed(.lost, _) = error { continue }
            if case .truncated = error { continue }
            Issue.record("\(position): \(String(describing: error))")
        }
    }

    @Test func aTruncatedBody_isTold_howeverItIsFramed() async throws {
        let plain = await error(.bytes(body).truncating(.afterBytes(40_000)))
        #expect(plain == .truncated(received: 40_000, expected: 100_000))
        let chunked = await error(.bytes(body).chunked(1000).truncating(.afterBytes(40_000)))
        if case .truncated(40_000, nil) = chunked {} else { Issue.record("\(String(describing: chunked))") }
        let long = await error(.bytes(body).announcing(length: body.count + 1))
        #expect(long == .truncated(received: body.count, expected: body.count + 1))
    }

    @Test func aBodyLongerThanItsLength_isCutThere() async throws {
        server.enqueue(.bytes(body).announcing(length: 10))
        #expect(try await download().body == body.prefix(10))
    }

    @Test func silence_endsWithTheIdleTime() async throws {
        server.enqueue(.bytes(body).stalling(.afterBytes(1000)))
        await #expect(throws: ImageLoaderError.timedOut(.idle)) {
            try await download { $0.idleTimeout = .milliseconds(200) }
        }
        try await server.untilAbandoned("/a")
    }

    @Test func garbageInsteadOfAResponse_isTold() async throws {
        let error = await error(.raw(Data("SSH-2.0-OpenSSH_9.6\r\n\r\n".utf8)))
        if case .malformedResponse = error {} else { Issue.record("\(String(describing: error))") }
    }

    @Test func aStatusThatIsNoSuccess_endsTheTransfer() async throws {
        for status in [304, 400, 404, 500] {
            #expect(await error(LoopbackServer.Reply(status: status, body: body)) == .badStatus(status))
        }
    }

    @Test func a401_isTold_andDoesNotHang() async throws {
        for scheme in ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"y\"", "Bearer"] {
            #expect(await error(.status(401).header("WWW-Authenticate", scheme)) == .badStatus(401))
        }
    }

    @Test func aBodyAboveTheLimit_endsTheTransfer() async throws {
        let announced = await error(.bytes(body), byteLimit: 99_999)
        #expect(announced == .limitExceeded(.inputBytes, value: 100_000, allowed: 99_999))
        let unannounced = await error(.bytes(body).chunked(), byteLimit: 50_000)
        guard case .limitExceeded(.inputBytes, let value, 50_000) = unannounced else {
            Issue.record("\(String(describing: unannounced))")
            return
        }
        #expect(value > 50_000 && value < 100_000)
    }

    // MARK: Redirects

    @Test func redirects_areFollowed_andRelativeOnesResolved() async throws {
        server.handle("/x/start") { _ in .redirect(to: "next?v=1", status: 301) }
        server.handle("/x/next") { _ in .redirect(to: "../end", status: 307) }
        server.handle("/end") { [body] _ in .bytes(body) }
        let download = try await download("/x/start")
        #expect(download.body == body)
        #expect(download.head.url == server.url("/end"))
    }

    @Test func aRedirectToAnotherOrigin_losesTheSecrets() async throws {
        let other = try LoopbackServer()
        server.enqueue(.redirect(to: other.url("/b").absoluteString))
        let load = Task {
            try await download { $0.headers = ["Authorization": "Bearer x", "Cookie": "a=b", "X-Test": "yes"] }
        }
        let exchange = try await other.nextRequest()
        #expect(exchange.request.headers["authorization"] == nil)
        #expect(exchange.request.headers["cookie"] == nil)
        #expect(exchange.request.headers["x-test"] == "yes")
        exchange.reply(.bytes(body))
        _ = try await load.value
    }

    @Test func redirectsInACircle_end() async throws {
        server.handle("/a") { _ in .redirect(to: "/a") }
        await #expect(throws: ImageLoaderError.limitExceeded(.redirects, value: 4, allowed: 3)) {
            try await download { $0.redirects.limit = 3 }
        }
        #expect(server.statistics.requests == 4)
    }

    @Test(arguments: ["file:///etc/passwd", "data:,x", "ftp://127.0.0.1/"])
    func redirectsToOtherSchemes_areRefused(location: String) async throws {
        let error = await error(.redirect(to: location))
        if case .redirectRefused = error {} else { Issue.record("\(String(describing: error))") }
    }

    @Test func aRedirectThatLeadsNowhere_isItsStatus() async throws {
        #expect(await error(.status(302)) == .badStatus(302))
    }

    // MARK: Cancelling

    @Test func cancelling_closesTheConnection_atEveryStage() async throws {
        for stage in 0..<3 {
            // Nothing but the cancel closes the connection within the test's time.
            let load = Task { try await download { $0.idleTimeout = .seconds(3_600) } }
            let exchange = try await server.nextRequest()
            if stage > 0 { exchange.sendHead(length: body.count) }
            if stage > 1 { exchange.send(body.prefix(1000)) }
            load.cancel()
            await #expect(throws: ImageLoaderError.cancelled) { try await load.value }
            #expect(try await exchange.connectionClosed() == .byClient)
        }
    }

    @Test func cancellingInARedirect_isSafe() async throws {
        server.handle("/a") { _ in .redirect(to: "/a") }
        for _ in 0..<50 {
            let load = Task { try await download { $0.redirects.limit = 1_000_000 } }
            let seen = server.statistics.requests
            try await server.until { $0.requests > seen + 2 }
            load.cancel()
            await #expect(throws: ImageLoaderError.cancelled) { try await load.value }
        }
    }

    @Test func aCallerThatIsCancelled_doesNotWaitForTheSession() async throws {
        let gate = ThreadGate()
        // A sink that takes its time holds up the session's queue.
        let slow = ResponseSink(byteLimit: 1 << 20) { _, _ in gate.enter() }
        server.handle("/slow") { [body] _ in .bytes(body) }
        server.handle("/silent") { [body] _ in .bytes(body).stalling(.beforeHead) }
        let silent = Task { try await download("/silent") }
        try await server.until { $0.stalledReplies == 1 }
        let load = Task { try await transport.load(DataRequest(url: server.url("/slow")), into: slow) }
        await gate.arrivals(1)
        let unstarted = Task { try await download("/never") }
        for waiting in [silent, unstarted] {
            waiting.cancel()
            await #expect(throws: ImageLoaderError.cancelled) { try await waiting.value }
        }
        gate.open()
        try await load.value
        #expect(try slow.finish().body == body)
        try await server.untilAbandoned("/silent")
        #expect(server.statistics.requestsByPath["/never"] == nil)
    }

    @Test func nothingIsDelivered_onceACancelledLoadHasReturned() async throws {
        let gate = ThreadGate()
        let isOver = Mutex(false)
        let sink = ResponseSink(byteLimit: 1 << 20) { _, _ in
            gate.enter()
            #expect(!isOver.withLock { $0 })
        }
        server.handle("/a") { [body] _ in .bytes(body).chunked(1000) }
        let load = Task {
            defer { isOver.withLock { $0 = true } }
            try await transport.load(DataRequest(url: server.url("/a")), into: sink)
        }
        await gate.arrivals(1)
        load.cancel()
        gate.open()
        await #expect(throws: ImageLoaderError.cancelled) { try await load.value }
        // Another load on the same queue has the rest of the line behind it.
        server.enqueue(.bytes(body), for: "/b")
        #expect(try await download("/b").body == body)
    }

    @Test func oneCancelledBeforeItStarts_causesNoRequest() async throws {
        let load = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await download("/never")
        }
        await #expect(throws: ImageLoaderError.cancelled) { try await load.value }
        server.enqueue(.bytes(body))
        _ = try await download("/b")
        #expect(server.statistics.requestsByPath == ["/b": 1])
    }

    @Test func cancelsAtRandomMoments_endEachLoadOnce() async throws {
        var random = SeededRandom(seed: 4)
        server.handle("/ok") { [body] _ in .bytes(body) }
        server.handle("/moved") { _ in .redirect(to: "/ok") }
        server.handle("/slow") { [body] _ in .bytes(body).dripping(1000, every: .milliseconds(1)) }
        server.handle("/silent") { [body] _ in .bytes(body).stalling(.afterHead) }
        let paths = ["/ok", "/moved", "/slow", "/silent"]
        let loads = (0..<400).map { number in
            let load = Task { try await download(paths[number % 4]) }
            return (load: load, isCancelled: number % 4 == 3 || Bool.random(using: &random))
        }
        for (number, entry) in loads.enumerated() where entry.isCancelled {
            if number % 8 == 0 { try await server.until { $0.requests > number / 8 } }
            entry.load.cancel()
        }
        for (load, isCancelled) in loads {
            switch await load.result {
            case .success(let download): #expect(download.body == body)
            case .failure(let error): #expect(isCancelled && error as? ImageLoaderError == .cancelled, "\(error)")
            }
        }
    }

    // MARK: Giving back

    @Test func loadersMadeUsedAndDropped_closeTheirConnections() async throws {
        let own = try LoopbackServer { [body] _ in .bytes(body) }
        func use() async throws {
            let transport = URLSessionDataLoader()
            let sink = ResponseSink(byteLimit: 1 << 20)
            try await transport.load(DataRequest(url: own.url("/a")), into: sink)
        }
        for _ in 0..<50 { try await use() }
        // The sessions close their connections when they are gone, which the server sees.
        try await own.until { $0.closedByClient == 50 }
        #expect(own.statistics.openConnections == 0)
    }
}
