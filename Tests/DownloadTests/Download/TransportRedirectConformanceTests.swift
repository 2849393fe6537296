import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// Redirects and cancellation, which all transports handle alike.
@Suite(.timeLimit(.minutes(1))) struct TransportRedirectConformanceTests {
    private let server: LoopbackServer
    private let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    init() throws { server = try LoopbackServer() }

    private func client(_ kind: RealTransport) -> TransportClient {
        TransportClient(transport: kind.make(TransportSettings()), server: server)
    }

    // MARK: Redirects

    @Test(arguments: RealTransport.all)
    func redirects_areFollowed_andRelativeLocationsResolved(kind: RealTransport) async throws {
        server.handle("/x/start") { _ in .redirect(to: "next?v=1", status: 301) }
        server.handle("/x/next") { _ in .redirect(to: "../end", status: 307) }
        server.handle("/end") { [body] _ in .bytes(body) }
        let download = try await client(kind).download("/x/start")
        #expect(download.body == body)
        #expect(download.head.url == server.url("/end"))
    }

    @Test(arguments: RealTransport.all)
    func scheme_isCaseInsensitive(kind: RealTransport) async throws {
        server.handle("/start") { [server] _ in
            .redirect(to: server.url("/end").absoluteString.replacing("http:", with: "HTTP:"))
        }
        server.handle("/end") { [body] _ in .bytes(body) }
        #expect(try await client(kind).download("/start").body == body)
        let capital = try #require(URL(string: server.url("/end").absoluteString.replacing("http:", with: "Http:")))
        #expect(try await client(kind).download { $0.url = capital }.body == body)
    }

    @Test(arguments: RealTransport.all)
    func redirectToAnotherOrigin_dropsTheSecrets(kind: RealTransport) async throws {
        let other = try LoopbackServer()
        let client = client(kind)
        server.enqueue(.redirect(to: other.url("/b").absoluteString))
        let load = Task {
            try await client.download { $0.headers = ["Authorization": "Bearer x", "Cookie": "a=b", "X-Test": "yes"] }
        }
        let exchange = try await other.nextRequest()
        #expect(exchange.request.headers["authorization"] == nil)
        #expect(exchange.request.headers["cookie"] == nil)
        #expect(exchange.request.headers["x-test"] == "yes")
        exchange.reply(.bytes(body))
        _ = try await load.value
    }

    @Test(arguments: RealTransport.all)
    func redirectWithinTheOrigin_preservesTheSecrets(kind: RealTransport) async throws {
        let client = client(kind)
        server.enqueue(.redirect(to: "/b"))
        let load = Task { try await client.download { $0.headers = ["Authorization": "Bearer x"] } }
        let exchange = try await server.nextRequest()
        #expect(exchange.request.path == "/b")
        #expect(exchange.request.headers["authorization"] == "Bearer x")
        exchange.reply(.bytes(body))
        _ = try await load.value
    }

    @Test(arguments: RealTransport.all)
    func credentialsInALocation_areSent_butNotReported(kind: RealTransport) async throws {
        let client = client(kind)
        let target = server.url("/b")
        for (credentials, field) in [("us:word", "Basic dXM6d29yZA=="), (":word", "Basic OndvcmQ="), (":", nil)] {
            server.enqueue(.redirect(to: target.absoluteString.replacing("://", with: "://\(credentials)@")))
            let load = Task { try await client.download() }
            let exchange = try await server.nextRequest()
            #expect(exchange.request.path == "/b")
            #expect(exchange.request.headers["authorization"] == field)
            exchange.reply(.bytes(body))
            #expect(try await load.value.head.url == target)
        }
    }

    @Test(arguments: RealTransport.all, [301, 302, 303, 307, 308])
    func redirectedPost_keepsItsMethod_dependingOnTheStatus(kind: RealTransport, status: Int) async throws {
        let client = client(kind)
        server.enqueue(.redirect(to: "/b", status: status).closing(), for: "/a")
        let load = Task {
            try await client.download {
                $0.method = .post
                $0.body = Data("a=1".utf8)
            }
        }
        let exchange = try await server.nextRequest()
        #expect(exchange.request.path == "/b")
        #expect(exchange.request.method == (status < 304 ? "GET" : "POST"))
        #expect((exchange.request.headers["content-length"] ?? "0") == (status < 304 ? "0" : "3"))
        exchange.reply(.bytes(body).closing())
        _ = try await load.value
    }

    /// 305 and 306 would have the client use a proxy (RFC 9110 section 15.4), and 300 leaves the choice to the user.
    @Test(arguments: RealTransport.all, [300, 304, 305, 306])
    func statusThatIsNoRedirect_isNotFollowed(kind: RealTransport, status: Int) async throws {
        server.handle("/b") { [body] _ in .bytes(body) }
        server.enqueue(.redirect(to: "/b", status: status), for: "/a")
        await #expect(throws: ImageLoaderError.badStatus(status)) { try await client(kind).download() }
        #expect(server.statistics.requestsByPath == ["/a": 1])
    }

    @Test(arguments: RealTransport.all)
    func redirectLoop_endsAtTheLimit(kind: RealTransport) async throws {
        server.handle("/a") { _ in .redirect(to: "/a") }
        await #expect(throws: ImageLoaderError.limitExceeded(.redirects, value: 4, allowed: 3)) {
            try await client(kind).download { $0.redirects.limit = 3 }
        }
        #expect(server.statistics.requests == 4)
    }

    @Test(arguments: RealTransport.all, ["file:///etc/passwd", "data:,x", "ftp://127.0.0.1/"])
    func redirectToAnotherScheme_isRejected(kind: RealTransport, location: String) async throws {
        let error = await client(kind).error(.redirect(to: location))
        #expect(error?.kind == .redirectRefused)
    }

    @Test(arguments: RealTransport.all)
    func redirectWithoutALocation_isABadStatus(kind: RealTransport) async throws {
        #expect(await client(kind).error(.status(302)) == .badStatus(302))
    }

    @Test(arguments: RealTransport.all)
    func hook_receivesEveryRedirect_andMayDecline(kind: RealTransport) async throws {
        server.handle("/a") { _ in .redirect(to: "/b", status: 301) }
        server.handle("/b") { _ in .redirect(to: "/c", status: 302) }
        server.handle("/c") { _ in .redirect(to: "/d", status: 307) }
        let seen = Mutex<[Redirect]>([])
        let error = await #expect(throws: ImageLoaderError.self) {
            try await client(kind).download { request in
                request.redirects.willFollow = { redirect in
                    seen.withLock { $0.append(redirect) }
                    return redirect.hop < 3
                }
            }
        }
        if case .redirectRefused("/d", _) = error {} else { Issue.record("\(String(describing: error))") }
        let redirects = seen.withLock { $0 }
        #expect(redirects.map(\.status) == [301, 302, 307])
        #expect(redirects.map(\.target) == ["/b", "/c", "/d"].map { server.url($0) })
        #expect(redirects.map(\.source) == ["/a", "/b", "/c"].map { server.url($0) })
        #expect(server.statistics.requests == 3)
    }

    // MARK: Cancellation

    @Test(arguments: RealTransport.all)
    func cancellation_closesTheConnection_atEveryStage(kind: RealTransport) async throws {
        let client = client(kind)
        for stage in 0..<3 {
            // Only the cancellation can close the connection within the test's time limit.
            let load = Task { try await client.download { $0.idleTimeout = .seconds(3_600) } }
            let exchange = try await server.nextRequest()
            if stage > 0 { exchange.sendHead(length: body.count) }
            if stage > 1 { exchange.send(body.prefix(1000)) }
            load.cancel()
            await #expect(throws: ImageLoaderError.cancelled) { try await load.value }
            #expect(try await exchange.connectionClosed() == .byClient)
        }
    }

    @Test(arguments: RealTransport.all)
    func cancellationInTheBody_deliversNothingMore(kind: RealTransport) async throws {
        let client = client(kind)
        for _ in 0..<20 {
            let received = Recorder<Int>()
            let sink = ResponseSink(maximumBytes: 1 << 20) { count, _ in received.record(count) }
            let load = Task {
                try await client.transport.load(
                    DataRequest(url: server.url("/a"), idleTimeout: .seconds(3_600)), into: sink)
            }
            let exchange = try await server.nextRequest()
            exchange.sendHead(length: 3 * body.count)
            exchange.send(body)
            await received.wait { ($0.last ?? 0) > 0 }
            load.cancel()
            await #expect(throws: ImageLoaderError.cancelled) { try await load.value }
            let atTheEnd = received.values
            exchange.send(body)
            _ = try await exchange.connectionClosed()
            #expect(received.values == atTheEnd)
        }
    }

    @Test(arguments: RealTransport.all)
    func cancellationInARedirect_endsTheLoad(kind: RealTransport) async throws {
        let client = client(kind)
        server.handle("/a") { _ in .redirect(to: "/a") }
        for _ in 0..<50 {
            let load = Task { try await client.download { $0.redirects.limit = 1_000_000 } }
            let seen = server.statistics.requests
            try await server.until { $0.requests > seen + 2 }
            load.cancel()
            await #expect(throws: ImageLoaderError.cancelled) { try await load.value }
        }
    }

    @Test(arguments: RealTransport.all)
    func loadCancelledBeforeItStarts_causesNoRequest(kind: RealTransport) async throws {
        let client = client(kind)
        let load = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await client.download("/never")
        }
        await #expect(throws: ImageLoaderError.cancelled) { try await load.value }
        server.enqueue(.bytes(body))
        _ = try await client.download("/b")
        #expect(server.statistics.requestsByPath == ["/b": 1])
    }

    @Test(arguments: RealTransport.all)
    func cancellationAtRandomMoments_endsEachLoadOnce(kind: RealTransport) async throws {
        let client = client(kind)
        var random = SeededRandom(seed: 4)
        server.handle("/ok") { [body] _ in .bytes(body) }
        server.handle("/moved") { _ in .redirect(to: "/ok") }
        server.handle("/slow") { [body] _ in .bytes(body).dripping(1000, every: .milliseconds(1)) }
        server.handle("/silent") { [body] _ in .bytes(body).stalling(.afterHead) }
        let paths = ["/ok", "/moved", "/slow", "/silent"]
        let loads = (0..<400).map { number in
            let load = Task { try await client.download(paths[number % 4]) }
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
}
