import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The effect of requests and settings on a server.
@Suite(.timeLimit(.minutes(1))) struct URLSessionSettingsTests {
    private let server: LoopbackServer
    private let body = Data("0123456789".utf8)

    init() throws { server = try LoopbackServer() }

    private func download(
        _ url: URL, with transport: URLSessionDataLoader = URLSessionDataLoader(),
        _ adjust: (inout DataRequest) -> Void = { _ in }
    ) async throws(ImageLoaderError) -> Download {
        var request = DataRequest(url: url, idleTimeout: .seconds(3_600))
        adjust(&request)
        let sink = ResponseSink(rules: ResponseRules())
        try await transport.load(request, into: sink)
        return try sink.finish()
    }

    /// The request that the server receives for a download, which it answers with the body.
    private func request(
        for url: URL, with transport: URLSessionDataLoader = URLSessionDataLoader(), to server: LoopbackServer? = nil,
        _ adjust: @escaping @Sendable (inout DataRequest) -> Void = { _ in }
    ) async throws -> LoopbackServer.RecordedRequest {
        let load = Task { try await download(url, with: transport, adjust) }
        let exchange = try await (server ?? self.server).nextRequest()
        exchange.reply(.bytes(body))
        _ = try await load.value
        return exchange.request
    }

    private func url(_ path: String, credentials: String) throws -> URL {
        try #require(URL(string: "http://\(credentials)@127.0.0.1:\(server.port)\(path)"))
    }

    // MARK: Settings

    @Test(arguments: [1, 3]) func connectionsToAHost_areLimited(count: Int) async throws {
        var settings = TransportSettings()
        settings.maximumConnectionsPerHost = count
        let transport = URLSessionDataLoader(settings)
        let loads = (0..<8).map { number in
            Task { try await download(server.url("/\(number)"), with: transport) }
        }
        var waiting: [LoopbackServer.Exchange] = []
        for _ in 0..<count { waiting.append(try await server.nextRequest()) }
        for number in 0..<8 {
            waiting.removeFirst().reply(.bytes(body))
            if number + count < 8 { waiting.append(try await server.nextRequest()) }
        }
        for load in loads { #expect(try await load.value.body == body) }
        #expect(server.statistics.connectionsAccepted == count)
        #expect(server.statistics.peakActiveRequests == count)
    }

    @Test func ownConfiguration_isUsed_andNotChanged() async throws {
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = ["X-Own": "1"]
        configuration.httpMaximumConnectionsPerHost = 3
        let transport = URLSessionDataLoader(configuration: configuration)
        configuration.httpAdditionalHeaders = ["X-Own": "2"]
        #expect(try await request(for: server.url("/a"), with: transport).headers["x-own"] == "1")
        #expect(configuration.httpMaximumConnectionsPerHost == 3 && configuration.httpCookieStorage != nil)
    }

    @Test func ownConfiguration_neitherStoresNorSendsCookies() async throws {
        let transport = URLSessionDataLoader(configuration: .default)
        server.handle("/set") { [body] _ in .bytes(body).header("Set-Cookie", "a=1; Max-Age=100") }
        _ = try await download(server.url("/set"), with: transport)
        #expect(try await request(for: server.url("/a"), with: transport).headers["cookie"] == nil)
    }

    // MARK: Cookies

    @Test func cookie_expiresByTheInjectedClock() async throws {
        var settings = TransportSettings()
        settings.keepsCookies = true
        let seconds = Mutex<Int64>(1_000)
        let time = TimeSource(secondsSince1970: { seconds.withLock { $0 } })
        let transport = URLSessionDataLoader(settings, time: time, onTaskCancelled: {})
        server.handle("/set") { [body] _ in .bytes(body).header("Set-Cookie", "a=1; Max-Age=10") }
        _ = try await download(server.url("/set"), with: transport)
        seconds.withLock { $0 = 1_009 }
        #expect(try await request(for: server.url("/a"), with: transport).headers["cookie"] == "a=1")
        seconds.withLock { $0 = 1_010 }
        #expect(try await request(for: server.url("/a"), with: transport).headers["cookie"] == nil)
    }

    @Test func secureCookie_isRejected_overAPlainConnection() async throws {
        var settings = TransportSettings()
        settings.keepsCookies = true
        let transport = URLSessionDataLoader(settings)
        server.handle("/set") { [body] _ in
            .bytes(body).header("Set-Cookie", "a=1; Secure").header("Set-Cookie", "b=2")
        }
        _ = try await download(server.url("/set"), with: transport)
        #expect(try await request(for: server.url("/a"), with: transport).headers["cookie"] == "b=2")
    }

    // MARK: Methods and bodies

    @Test func body_isSent_andItsConnectionReused() async throws {
        let transport = URLSessionDataLoader()
        for size in [1, 100_000, 3 << 20] {
            let sent = try await request(for: server.url("/post"), with: transport) {
                $0.method = .post
                $0.body = Data(count: size)
                $0.headers["Content-Type"] = "application/json"
            }
            #expect(sent.method == "POST")
            #expect(sent.headers["content-length"] == "\(size)")
            #expect(sent.headers["content-type"] == "application/json")
        }
        #expect(server.statistics.connectionsAccepted == 1)
    }

    @Test func headRequest_receivesTheHeadOnly() async throws {
        server.enqueue(.redirect(to: "/end", status: 303), .bytes(body, contentType: "image/png"))
        var request = DataRequest(url: server.url("/a"), idleTimeout: .seconds(3_600))
        request.method = HTTPMethod(rawValue: "HEAD")
        let sink = ResponseSink(maximumBytes: 5)
        try await URLSessionDataLoader().load(request, into: sink)
        #expect(throws: ImageLoaderError.emptyBody) { try sink.finish() }
        #expect(server.statistics.requestsByPath == ["/a": 1, "/end": 1])
    }

    // MARK: Credentials

    @Test func credentialsInTheURL_areSentToItsOrigin_alsoAfterARedirect() async throws {
        let basic = "Basic " + Data("user:pass word".utf8).base64EncodedString()
        server.handle("/moved") { request in
            request.headers["authorization"] == basic ? .redirect(to: "end") : .status(500)
        }
        let sent = try await request(for: url("/moved", credentials: "user:pass%20word"))
        #expect(sent.headers["authorization"] == basic)
    }

    @Test func credentialsInTheURL_areNotSentToAnotherOrigin() async throws {
        let other = try LoopbackServer()
        server.enqueue(.redirect(to: other.url("/b").absoluteString))
        let sent = try await request(for: url("/a", credentials: "user:pw"), to: other)
        #expect(sent.headers["authorization"] == nil)
    }

    @Test func responseURL_containsNoPassword() async throws {
        server.enqueue(.bytes(body))
        let download = try await download(url("/a", credentials: "user:pw"))
        #expect(download.head.url == server.url("/a"))
    }

    @Test(arguments: ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"y\"", "Bearer", "Negotiate", ""])
    func status401_isReported_withAndWithoutCredentials(scheme: String) async throws {
        let reply = LoopbackServer.Reply(status: 401, headers: ["WWW-Authenticate": scheme], body: body)
        for header in [nil, "Basic eDp5", "Bearer x"] {
            server.enqueue(reply)
            await #expect(throws: ImageLoaderError.badStatus(401)) {
                try await download(server.url("/a")) { $0.headers["Authorization"] = header }
            }
        }
        server.enqueue(reply)
        await #expect(throws: ImageLoaderError.badStatus(401)) {
            try await download(url("/a", credentials: "user:wrong"))
        }
        #expect(server.statistics.requests == 4)
    }

    // MARK: Limits

    @Test func headAboveTheLimit_isRejected() async throws {
        server.enqueue(.bytes(body).header("X-Long", String(repeating: "a", count: 70_000)))
        let long = await #expect(throws: ImageLoaderError.self) { try await download(server.url("/a")) }
        guard case .limitExceeded(.headerBytes, let value, 65_536) = long else {
            Issue.record("\(String(describing: long))")
            return
        }
        #expect(value > 70_000)
        // Beyond about 100 KB, the session itself fails.
        for size in [100_000, 200_000] {
            server.enqueue(.bytes(body).header("X-Long", String(repeating: "a", count: size)))
            let error = await #expect(throws: ImageLoaderError.self) { try await download(server.url("/a")) }
            switch error {
            case .limitExceeded(.headerBytes, _, _), .malformedResponse, .connectionFailed(.other, _): break
            default: Issue.record("\(size): \(String(describing: error))")
            }
        }
    }

    // MARK: Codings

    /// 100,000 zeros in gzip.
    private var packed: Data { get throws { try #require(Data(base64Encoded: Self.zerosInGzip)) } }
    private static let zerosInGzip = """
        H4sIAAAAAAACA+3BMQEAAADCoPVPbQ0PoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIBXA32VEdSghgEA
        """

    @Test func damagedCodedBody_isMalformed() async throws {
        var damaged = try packed
        damaged.replaceSubrange(12..<30, with: Data(repeating: 0xff, count: 18))
        let bodies = [(damaged, "gzip"), (Data("no gzip at all".utf8), "gzip"), (body, "unheard-of")]
        for (body, coding) in bodies {
            server.enqueue(.bytes(body).header("Content-Encoding", coding))
            let error = await #expect(throws: ImageLoaderError.self) { try await download(server.url("/a")) }
            #expect(error?.kind == .malformedResponse, "\(coding)")
        }
    }

    /// The session reports no error and delivers what could be decoded.
    @Test func truncatedCodedBody_isDeliveredInPart() async throws {
        server.enqueue(.bytes(try packed.dropLast(40)).header("Content-Encoding", "gzip"))
        let download = try await download(server.url("/a"))
        #expect(download.body.count < 100_000)
    }

    // MARK: Responses that the session rejects

    @Test func headerWithoutABlankAfterItsColon_isMalformed() async throws {
        server.enqueue(.raw(Data("HTTP/1.1 200 OK\r\nETag:\"1\"\r\nContent-Length: 1\r\n\r\na".utf8)))
        let error = await #expect(throws: ImageLoaderError.self) { try await download(server.url("/a")) }
        #expect(error?.kind == .malformedResponse)
    }

    @Test func ipv6Address_isRejected() async throws {
        let url = try #require(URL(string: "http://[::1]:1/a"))
        let error = await #expect(throws: ImageLoaderError.self) { try await download(url) }
        #expect(error?.kind == .invalidURL)
    }
}
