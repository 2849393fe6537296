#if os(Linux) && Curl
import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// What libcurl does beyond the other transports, and the faults it survives.
@Suite(.timeLimit(.minutes(1))) struct CurlDataLoaderTests {
    private let server: LoopbackServer
    private let client: TransportClient
    private let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    init() throws {
        server = try LoopbackServer()
        client = TransportClient(transport: CurlDataLoader(), server: server)
    }

    private func raw(_ text: String) -> LoopbackServer.Reply { .raw(Data(text.utf8)) }

    // MARK: Responses that crash a process that uses URLSession on Linux

    /// Runs in its own process, because libcurl 7.83 to 8.1 corrupts the heap when a handle is reused.
    @Test func headBeginningWithAContinuation_isMalformed() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer()
            let transport = CurlDataLoader()
            let folded = Data("HTTP/1.1 200 OK\r\n X: a\r\nContent-Length: 5\r\n\r\nhello".utf8)
            for before in [LoopbackServer.Reply.bytes(Data("first".utf8)), .redirect(to: "/b")] {
                for _ in 0..<5 {
                    server.enqueue(before)
                    server.enqueue(.raw(folded))
                    do throws(ImageLoaderError) {
                        for _ in 0..<2 {
                            try await transport.load(
                                DataRequest(url: server.url("/a"), idleTimeout: .seconds(5)),
                                into: ResponseSink(maximumBytes: 100))
                        }
                        Issue.record("the head was accepted")
                    } catch {
                        guard case .malformedResponse = error else { throw error }
                    }
                }
            }
        }
    }

    /// OpenSSL's exit handler frees what a connection needs that is just being opened.
    @Test func transportRests_whileTheProcessExits() async {
        await #expect(processExitsWith: .success) {
            // Runs after the transport's own exit handler, because it is registered before.
            atexit {
                guard let (server, transport) = ExitSite.shared else { _exit(2) }
                let before = server.statistics.requests
                Task.detached { try await transport.load(DataRequest(url: server.url("/b")), into: ExitSite.sink()) }
                usleep(300_000)
                if server.statistics.requests != before { _exit(1) }
            }
            let (server, transport) = try #require(ExitSite.shared)
            server.enqueue(.bytes(Data("first".utf8)))
            try await transport.load(DataRequest(url: server.url("/a")), into: ExitSite.sink())
            exit(0)
        }
    }

    private enum ExitSite {
        /// Each request has a connection of its own.
        static let shared = try? (LoopbackServer { _ in .bytes(Data("more".utf8)).closing() }, CurlDataLoader())
        static func sink() -> ResponseSink { ResponseSink(maximumBytes: 100) }
    }

    @Test func truncatedHead_isALostConnection_whereverItEnds() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 3\r\n\r\n"
        for count in 0..<head.utf8.count {
            let error = await client.error(.raw(Data(head.utf8.prefix(count))))
            switch error {
            case .connectionFailed(.lost, _): break
            // Not recognizable as HTTP yet.
            case .malformedResponse where count < 5: break
            default: Issue.record("\(count): \(String(describing: error))")
            }
        }
    }

    @Test func trailers_areIgnored() async throws {
        server.enqueue(raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n"))
        let download = try await client.download()
        #expect(download.body == Data("abc".utf8))
        #expect(download.head.headers["X-Sum"] == nil)
    }

    @Test(arguments: ["9223372036854775296", "9223372036854775807", "9223372036854775808", "99999999999999999999999"])
    func hugeLength_isReported(length: String) async throws {
        let error = await client.error(raw("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nabc"))
        if let value = Int(length) {
            #expect(error == .limitExceeded(.inputBytes, value: value, allowed: 1 << 20))
        } else {
            #expect(error?.kind == .malformedResponse)
        }
    }

    @Test(
        arguments: [
            ("//", .redirectRefused), ("http://", .redirectRefused), ("http://[", .redirectRefused),
            ("http://a b/", .redirectRefused),
            // libcurl rejects a URL that Foundation accepts.
            ("//%00", .redirectRefused), ("http://%00/", .redirectRefused),
            // Relative references, which are followed.
            ("%", .badStatus), ("x\u{1}y", .badStatus),
        ] as [(String, ImageLoaderError.Kind)])
    func invalidLocation_isReported(location: String, kind: ImageLoaderError.Kind) async throws {
        for path in ["/%25", "/x%01y"] { server.handle(path) { _ in .status(404) } }
        let error = await client.error(raw("HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"))
        #expect(error?.kind == kind, "\(String(describing: error))")
    }

    // MARK: Heads

    @Test func unusualHead_isParsed() async throws {
        var bytes = Data("HTTP/1.1 200\nETag:\"1\"\nX-Folded: one\r\n\ttwo\r\nX-Latin: caf".utf8)
        bytes.append(0xE9)
        bytes.append(Data("\r\nX-None:\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc".utf8))
        server.enqueue(.raw(bytes))
        let download = try await client.download()
        #expect(download.body == Data("abc".utf8))
        #expect(download.head.headers["ETag"] == "\"1\"")
        #expect(download.head.headers["X-Folded"] == "one two")
        #expect(download.head.headers["X-Latin"] == "café")
        #expect(download.head.headers["X-None"] == "")
        #expect(download.head.expectedBytes == 3)
    }

    @Test(arguments: ["Content-Length: -1", "Content-Length: x", "Content-Length: 3\r\nContent-Length: 4"])
    func invalidLength_isMalformed(field: String) async throws {
        let error = await client.error(raw("HTTP/1.1 200 OK\r\n\(field)\r\n\r\nabc"))
        #expect(error?.kind == .malformedResponse)
    }

    @Test func headAboveTheLimit_isStoppedWhileItArrives() async throws {
        var rules = ResponseRules()
        rules.maximumHeaderBytes = 10_000
        let line = "X-Filler: \(String(repeating: "x", count: 988))\r\n"
        // These never end on their own.
        let endless = [
            "HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 20),
            String(repeating: "HTTP/1.1 103 Early Hints\r\n\(line)\r\n", count: 20),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + String(repeating: line, count: 20),
        ]
        for text in endless {
            let error = await client.error(raw(text).stalling(.afterBytes(text.utf8.count)), rules: rules)
            guard case .limitExceeded(.headerBytes, let value, 10_000) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(value > 10_000 && value <= 11_100)
        }
        try await server.untilAbandoned("/a", count: endless.count)
    }

    @Test func fieldAboveLibcurlsLimit_isReported() async throws {
        let error = await client.error(raw("HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 200_000))\r\n\r\n"))
        #expect(error == .limitExceeded(.headerBytes, value: 100 << 10, allowed: 64 << 10))
        var rules = ResponseRules()
        rules.maximumHeaderBytes = 1 << 20
        let allowed = await client.error(
            raw("HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 200_000))\r\n\r\n"), rules: rules)
        if case .malformedResponse(let reason) = allowed {
            #expect(reason.contains("100 KiB"))
        } else {
            Issue.record("\(String(describing: allowed))")
        }
    }

    // MARK: Requests

    @Test func plainRequest_hasNoFurtherHeaders() async throws {
        let load = Task { try await client.download() }
        let exchange = try await server.nextRequest()
        let names = exchange.request.headers.map(\.name)
        #expect(names.sorted() == ["Accept", "Accept-Encoding", "Host", "User-Agent"])
        #expect(exchange.request.headers["User-Agent"] == "Alcedo")
        #expect(exchange.request.headers["Accept"] == "*/*")
        exchange.reply(.bytes(body))
        _ = try await load.value
    }

    @Test func requestHeaders_replaceTheDefaults() async throws {
        let load = Task {
            try await client.download {
                $0.headers = ["User-Agent": "Other", "Accept": "image/png", "X-Empty": ""]
                $0.method = .post
                $0.body = Data(count: 3 << 20)
            }
        }
        let exchange = try await server.nextRequest()
        #expect(exchange.request.headers["User-Agent"] == "Other")
        #expect(exchange.request.headers["Accept"] == "image/png")
        #expect(exchange.request.headers["X-Empty"] == "")
        #expect(exchange.request.headers["Content-Length"] == "\(3 << 20)")
        #expect(exchange.request.headers["Expect"] == nil)
        #expect(exchange.request.headers["Content-Type"] == nil)
        exchange.reply(.bytes(body).closing())
        _ = try await load.value
    }

    @Test func postWithoutABody_sendsLengthZero() async throws {
        let load = Task { try await client.download { $0.method = .post } }
        let exchange = try await server.nextRequest()
        #expect(exchange.request.method == "POST")
        #expect(exchange.request.headers["Content-Length"] == "0")
        exchange.reply(.bytes(body))
        _ = try await load.value
    }

    @Test(arguments: [
        ("X-A", "1\r\nX-B: 2"), ("X-A", "1\nX-B: 2"), ("X-A", "1\u{0}"), ("X-A: 1\r\nX-B", "2"), ("X A", "1"),
        ("", "1"),
    ])
    func injectingHeader_isRejected(name: String, value: String) async throws {
        await #expect(throws: ImageLoaderError.invalidHeader(name: name)) {
            try await client.download { $0.headers = HTTPHeaders([(name, value)]) }
        }
        #expect(server.statistics.requests == 0)
    }

    @Test(arguments: ["", "GET / HTTP/1.1\r\nX: y\r\n\r\nGET", "A B"])
    func injectingMethod_isRejected(method: String) async throws {
        let error = await #expect(throws: ImageLoaderError.self) {
            try await client.download { $0.method = HTTPMethod(rawValue: method) }
        }
        #expect(error?.kind == .unsupportedConfiguration)
        #expect(server.statistics.requests == 0)
    }

    @Test func credentialsInTheURL_areSentToTheirOriginOnly() async throws {
        let other = try LoopbackServer()
        let loads = Task {
            for path in ["/a", "/plain"] {
                _ = try await client.download { request in
                    if path == "/a", let url = URL(string: "http://user:word@127.0.0.1:\(server.port)/a") {
                        request.url = url
                    } else {
                        request.url = server.url(path)
                    }
                }
            }
        }
        let first = try await server.nextRequest()
        #expect(first.request.headers["Authorization"] == "Basic dXNlcjp3b3Jk")
        first.reply(.redirect(to: "b"))
        let second = try await server.nextRequest()
        #expect(second.request.headers["Authorization"] == "Basic dXNlcjp3b3Jk")
        second.reply(.redirect(to: other.url("/c").absoluteString))
        let third = try await other.nextRequest()
        #expect(third.request.headers["Authorization"] == nil)
        third.reply(.bytes(body))
        // The handle that sent them is reused.
        let plain = try await server.nextRequest()
        #expect(plain.request.headers["Authorization"] == nil)
        plain.reply(.bytes(body))
        try await loads.value
    }

    // MARK: Security

    @Test func unreadableAuthorities_failSecureLoads_beforeConnecting() async throws {
        var settings = TransportSettings()
        settings.authorities = URL(fileURLWithPath: "/nowhere/authorities.pem")
        settings.clientCertificate = .init(certificate: URL(fileURLWithPath: "/nowhere/a.pem"), hosts: ["127.0.0.1"])
        let transport = CurlDataLoader(settings)
        let secure = try #require(URL(string: server.url("/a").absoluteString.replacing("http:", with: "https:")))
        for _ in 0..<2 {
            let error = await #expect(throws: ImageLoaderError.self) {
                try await transport.load(DataRequest(url: secure), into: ResponseSink(rules: ResponseRules()))
            }
            guard case .unsupportedConfiguration(let text) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(text.contains("/nowhere/authorities.pem"))
        }
        #expect(server.statistics.connectionsAccepted == 0)
        server.handle("/a") { [body] _ in .bytes(body) }
        #expect(try await TransportClient(transport: transport, server: server).download().body == body)
    }

    @Test func damagedChunk_isMalformed() async throws {
        let error = await client.error(
            raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n0\r\n\r\n"))
        #expect(error?.kind == .malformedResponse)
    }

    // MARK: Redirects

    @Test func redirect_doesNotWaitForItsBody() async throws {
        let load = Task { try await client.download() }
        let exchange = try await server.nextRequest()
        exchange.sendHead(status: 302, headers: ["Location": "/b"])
        exchange.send(Data(count: 100))
        let next = try await server.nextRequest()
        #expect(next.request.path == "/b")
        #expect(try await exchange.connectionClosed() == .byClient)
        next.reply(.bytes(body))
        _ = try await load.value
    }

    @Test func redirectWithACompleteBody_reusesTheConnection() async throws {
        server.handle("/a") { [body] _ in
            LoopbackServer.Reply(status: 302, headers: ["Location": "/b"], body: body.prefix(1_000))
        }
        server.handle("/b") { [body] _ in .bytes(body) }
        for _ in 0..<5 { _ = try await client.download() }
        #expect(server.statistics.requests == 10)
        #expect(server.statistics.connectionsAccepted == 1)
    }

    // MARK: Time

    @Test func idleTimeout_endsASilentLoad_andRestartsWithEachByte() async throws {
        let loads = (1...4).map { number in
            Task {
                let start = ContinuousClock.now
                let idle = Duration.milliseconds(100 * number)
                server.enqueue(.bytes(body).stalling(.beforeHead), for: "/\(number)")
                await #expect(throws: ImageLoaderError.timedOut(.idle)) {
                    try await client.download("/\(number)") { $0.idleTimeout = idle }
                }
                #expect(ContinuousClock.now - start >= idle)
            }
        }
        for load in loads { await load.value }
        server.enqueue(.bytes(body).dripping(10_000, every: .milliseconds(250)))
        // Each pause is shorter than the idle timeout; together they are longer.
        #expect(try await client.download { $0.idleTimeout = .seconds(2) }.body == body)
    }

    @Test func waitForAConnection_isNotIdleTime() async throws {
        var settings = TransportSettings()
        settings.maximumConnectionsPerHost = 1
        let client = TransportClient(transport: CurlDataLoader(settings), server: server)
        let first = Task { try await client.download("/first") }
        let exchange = try await server.nextRequest()
        let second = Task { try await client.download("/second") { $0.idleTimeout = .seconds(2) } }
        let start = ContinuousClock.now
        exchange.sendHead(length: body.count)
        // Takes longer than the second load's idle timeout.
        server.handle("/timer") { [body] _ in .bytes(body.prefix(6)).dripping(1, every: .milliseconds(416)) }
        let timer = TransportClient(transport: CurlDataLoader(), server: server)
        _ = try await timer.download("/timer")
        #expect(ContinuousClock.now - start > .seconds(2))
        // By the server itself, because this test may have to wait for its next turn.
        server.handle("/second") { [body] _ in .bytes(body) }
        exchange.send(body)
        exchange.finish()
        _ = try await first.value
        #expect(try await second.value.body == body)
    }

    // MARK: Threads

    @Test func failedThreadStart_isAnError_andTheNextLoadRetries() async throws {
        let starts = Atomic(0)
        let transport = CurlDataLoader(TransportSettings()) { label, body in
            starts.add(1, ordering: .relaxed).oldValue == 0 ? false : SystemThread.start(label, body)
        }
        let client = TransportClient(transport: transport, server: server)
        let detail: TransportDetail = "the system has no thread for the transport"
        await #expect(throws: ImageLoaderError.connectionFailed(.other, detail: detail)) {
            try await client.download()
        }
        server.enqueue(.bytes(body))
        #expect(try await client.download().body == body)
        #expect(starts.load(ordering: .relaxed) == 2)
    }

    // MARK: Releasing

    @Test func releasedLoaders_releaseThreadsAndDescriptors() async throws {
        let own = try LoopbackServer { [body] _ in .bytes(body) }
        func count(_ folder: String) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)").count
        }
        let before = (threads: try count("task"), descriptors: try count("fd"))
        for _ in 0..<200 {
            let transport = CurlDataLoader()
            try await transport.load(
                DataRequest(url: own.url("/a"), idleTimeout: .seconds(3_600)), into: ResponseSink(maximumBytes: 1 << 20)
            )
        }
        // Their threads close the connections and end right afterwards. Tests that run in parallel have threads and
        // descriptors of their own, but not hundreds.
        try await own.until { $0.closedByClient == 200 }
        #expect(own.statistics.openConnections == 0)
        while !Task.isCancelled, try count("task") > before.threads + 80 { await Task.yield() }
        while !Task.isCancelled, try count("fd") > before.descriptors + 150 { await Task.yield() }
    }

    @Test func loaderReleasedDuringALoad_finishesIt() async throws {
        let load = Task { [server] in
            let sink = ResponseSink(maximumBytes: 1 << 20)
            try await CurlDataLoader().load(
                DataRequest(url: server.url("/a"), idleTimeout: .seconds(3_600)), into: sink)
            return try sink.finish().body
        }
        try await server.nextRequest().reply(.bytes(body))
        #expect(try await load.value == body)
    }
}
#endif
