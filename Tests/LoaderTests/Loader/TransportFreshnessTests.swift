import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// What a response's redirects, cookies and coding mean for its use. Only real transports know of them.
@Suite(.timeLimit(.minutes(1))) struct TransportFreshnessTests {
    private let server: LoopbackServer
    private let temporary: TemporaryDirectory
    private let second = Second()
    private let png: Data

    private final class Second: Sendable {
        let now = Mutex<Int64>(1_800_000_000)
        func pass(_ seconds: Int64) { now.withLock { $0 += seconds } }
    }

    init() throws {
        server = try LoopbackServer()
        temporary = try TemporaryDirectory()
        png = try Pictures.png(40, 30)
    }

    private func loader(_ kind: RealTransport, keepsCookies: Bool = false) -> ImageLoader {
        var settings = TransportSettings()
        settings.keepsCookies = keepsCookies
        var configuration = ImageLoader.Configuration()
        configuration.dataLoader = kind.make(settings)
        configuration.timeOfDay = { [second] in second.now.withLock { $0 } }
        configuration.download.idleTimeout = .seconds(3_600)
        configuration.download.retry = .none
        configuration.download.failureLifetimes = .none
        configuration.disk = .init(directory: temporary.url.appendingPathComponent("cache"))
        return ImageLoader(configuration)
    }

    private func request(_ path: String = "/a", _ policy: CacheReadPolicy? = nil) -> ImageRequest {
        var request = ImageRequest(url: server.url(path))
        request.readPolicy = policy
        return request
    }

    private func picture(_ control: String? = nil, vary: String? = nil) -> LoopbackServer.Reply {
        var reply = LoopbackServer.Reply.bytes(png, contentType: "image/png").header("ETag", "\"1\"")
        if let control { reply = reply.header("Cache-Control", control) }
        if let vary { reply = reply.header("Vary", vary) }
        return reply
    }

    // MARK: Redirects

    /// A redirect that says nothing is asked for each time, but doesn't forbid to show the picture when it can't be.
    @Test(
        arguments: RealTransport.all,
        [
            (nil, true), ("max-age=30", true), ("no-cache", false), ("no-store", false),
            ("max-age=30, must-revalidate", false), ("max-age=30, stale-if-error=20", false),
        ] as [(String?, Bool)])
    func redirectedPicture_isShown_whenServerFails(kind: RealTransport, redirect: (String?, isShown: Bool)) async throws
    {
        let loader = loader(kind)
        var reply = LoopbackServer.Reply.redirect(to: "/b")
        if let control = redirect.0 { reply = reply.header("Cache-Control", control) }
        server.enqueue(reply, for: "/a")
        server.enqueue(picture("max-age=60"), for: "/b")
        let first = try await loader.response(for: request())
        #expect(
            first.freshness?.isFresh(at: Date(timeIntervalSince1970: 1_800_000_000))
                == (redirect.0?.hasPrefix("max") == true))
        second.pass(70)
        let status = LoopbackServer.Reply.status(503)
        for _ in 0..<2 {
            server.enqueue(status, for: "/a")
            if redirect.isShown {
                #expect(try await loader.response(for: request()).staleReason == .afterError)
                server.enqueue(status, for: "/a")
                #expect(try await loader.dataResponse(for: request()).staleReason == .afterError)
            } else {
                await #expect(throws: ImageLoaderError.badStatus(503)) { try await loader.image(for: request()) }
            }
            await loader.flush()
        }
        // Not for longer than a day after its end.
        second.pass(86_400)
        server.enqueue(status, for: "/a")
        await #expect(throws: ImageLoaderError.badStatus(503)) { try await loader.image(for: request()) }
    }

    /// The redirect leads to another picture, which doesn't know the tag of the first.
    @Test(arguments: RealTransport.all, ["\"strong\"", "W/\"weak\"", nil])
    func confirmationOfAnotherTarget_isNoAnswer(kind: RealTransport, tag: String?) async throws {
        let loader = loader(kind)
        let other = try Pictures.png(44, 30)
        let (isMoved, date) = (Recorder<Bool>(), "Sun, 06 Nov 1994 08:49:37 GMT")
        server.handle("/a") { _ in .redirect(to: isMoved.values.isEmpty ? "/b" : "/c") }
        server.handle("/b") { [png] request in
            var reply = LoopbackServer.Reply.bytes(png)
            if let tag, request.headers["If-None-Match"] == tag { reply = .status(304) }
            reply = reply.header("Last-Modified", date).header("Cache-Control", "max-age=60")
            return tag.map { reply.header("ETag", $0) } ?? reply
        }
        server.handle("/c") { request in
            let asksAnything = request.headers["If-Modified-Since"] != nil || request.headers["If-None-Match"] != nil
            return asksAnything ? .status(304) : .bytes(other)
        }
        for _ in 0..<3 {
            #expect(try await loader.image(for: request()).size.width == 40)
            second.pass(61)
        }
        let isStrong = tag?.hasPrefix("W/") == false
        #expect(server.statistics.requestsByPath["/b"] == 3)
        isMoved.record(true)
        let response = try await loader.response(for: request())
        #expect(response.image.size.width == 44 && response.staleReason == nil)
        #expect(server.statistics.requestsByPath["/c"] == (isStrong ? 2 : 1))
    }

    /// A picture whose weak validators were stored without a redirect.
    @Test(arguments: RealTransport.all)
    func confirmationOverANewRedirect_isNoAnswer(kind: RealTransport) async throws {
        let loader = loader(kind)
        server.enqueue(.bytes(png).header("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"), for: "/a")
        _ = try await loader.image(for: request())
        second.pass(8 * 86_400)
        server.handle("/a") { _ in .redirect(to: "/c") }
        let other = try Pictures.png(44, 30)
        server.handle("/c") { $0.headers["If-Modified-Since"] == nil ? .bytes(other) : .status(304) }
        #expect(try await loader.image(for: request()).size.width == 44)
    }

    @Test(arguments: RealTransport.all)
    func lifetimeOfARedirectedPicture_followsFromAllItsFields(kind: RealTransport) async throws {
        server.enqueue(.redirect(to: "/b", status: 301), for: "/a")
        // The present second is that of Friday, 15 January 2027, 08:00:00.
        server.enqueue(.bytes(png).header("Last-Modified", "Fri, 15 Jan 2027 07:59:40 GMT"), for: "/b")
        let response = try await loader(kind).response(for: request())
        #expect(response.freshness?.basis == .lastModified && response.freshness?.lifetime == .seconds(2))
    }

    /// The target never changes, but the redirect may lead to another one.
    @Test(arguments: RealTransport.all)
    func immutableTarget_isRevalidated_whereItsRedirectIsNot(kind: RealTransport) async throws {
        let loader = loader(kind)
        server.enqueue(.redirect(to: "/v1").header("Cache-Control", "max-age=600"), for: "/a")
        server.enqueue(picture("max-age=31536000, immutable"), for: "/v1")
        _ = try await loader.image(for: request())
        server.enqueue(.redirect(to: "/v2"), for: "/a")
        server.enqueue(.bytes(try Pictures.png(44, 30)), for: "/v2")
        #expect(try await loader.image(for: request("/a", .revalidate)).size.width == 44)
    }

    /// A network that asks for a password has redirected the picture for a year.
    @Test(arguments: RealTransport.all, [false, true])
    func redirectToAPage_isForgotten(kind: RealTransport, isProcessed: Bool) async throws {
        let loader = loader(kind)
        var request = request()
        if isProcessed { request.processors = [.gray()] }
        let redirect = LoopbackServer.Reply.redirect(to: "/login", status: 308)
        server.enqueue(redirect.header("Cache-Control", "max-age=31536000"), for: "/a")
        server.enqueue(.bytes(Data("<html>Please log in</html>".utf8)), for: "/login")
        await #expect(throws: ImageLoaderError.self) { try await loader.image(for: request) }
        server.enqueue(picture(), for: "/a")
        #expect(try await loader.image(for: request).size.width == 40)
        #expect(server.statistics.requestsByPath["/login"] == 1)
    }

    // MARK: Cookies

    /// The cookies that a transport keeps are in no cache key.
    @Test(arguments: RealTransport.all, [(true, "Accept, cookie"), (false, "Cookie"), (true, "Accept")])
    func pictureThatVariesByKeptCookies_isRevalidated(kind: RealTransport, _ row: (keeps: Bool, vary: String))
        async throws
    {
        let loader = loader(kind, keepsCookies: row.keeps)
        server.enqueue(picture("max-age=60", vary: row.vary), for: "/a")
        let isReusable = !(row.keeps && row.vary.hasSuffix("cookie"))
        let first = try await loader.response(for: request())
        #expect(first.freshness?.basis == (isReusable ? .maxAge : Freshness.Basis.none))
        #expect(first.freshness?.end == Date(timeIntervalSince1970: isReusable ? 1_800_000_060 : 0))
        // A request with cookies of its own is sent with those, which are part of its key.
        var own = request()
        own.headers["Cookie"] = "a=b"
        server.enqueue(picture("max-age=60", vary: row.vary), for: "/a")
        #expect(try await loader.response(for: own).freshness?.basis == .maxAge)
    }

    /// The picture, or a redirect to it, is the next user's as soon as the transport has their cookie.
    @Test(arguments: RealTransport.all, [false, true])
    func nextUser_seesNoPictureOfTheLastOne(kind: RealTransport, isRedirected: Bool) async throws {
        let loader = loader(kind, keepsCookies: true)
        for (user, width) in [("ann", 40), ("ben", 44)] {
            server.enqueue(picture("no-store").header("Set-Cookie", "user=\(user)"), for: "/login")
            _ = try await loader.data(for: request("/login", .reload))
            let own = LoopbackServer.Reply.bytes(try Pictures.png(width, 30)).header("Cache-Control", "max-age=60")
            if isRedirected {
                let redirect = LoopbackServer.Reply.redirect(to: "/\(user)", status: 301)
                server.enqueue(redirect.header("Cache-Control", "max-age=60").header("Vary", "Cookie"), for: "/a")
                server.enqueue(own, for: "/\(user)")
            } else {
                server.enqueue(own.header("Vary", "Cookie"), for: "/a")
            }
            let request = request()
            #expect(loader.cachedImage(for: request) == nil && loader.cachedResponse(for: request) == nil)
            #expect(try await loader.image(for: request).size.width == width)
        }
    }

    // MARK: Codings

    @Test(arguments: RealTransport.all)
    func decodedBody_hasNoCodingInItsFields(kind: RealTransport) async throws {
        // "hello"
        let coded = try #require(Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAA=="))
        let reply = LoopbackServer.Reply.bytes(coded).header("Content-Encoding", "gzip").header(
            "Cache-Control", "max-age=60")
        server.enqueue(reply, for: "/a")
        let loader = loader(kind)
        for source in [ImageSource.network, .disk] {
            let response = try await loader.dataResponse(for: request())
            #expect(response.source == source && response.data == Data("hello".utf8))
            let head = try #require(response.head)
            #expect(head.headers["Content-Encoding"] == nil)
            #expect(head.headers["Content-Length"].map { Int($0) == 5 } ?? true)
            await loader.flush()
        }
        var part = request()
        part.headers["Range"] = "bytes=1-2"
        let response = try await loader.dataResponse(for: part)
        #expect(response.data == Data("el".utf8) && response.head?.headers["Content-Length"] == "2")
        #expect(response.head?.headers["Content-Encoding"] == nil && response.source == .disk)
    }

    /// A coding that no decoder knows isn't removed, and so stays in the fields.
    @Test func unknownCoding_staysInTheFields() async throws {
        for kind in RealTransport.curl {
            server.enqueue(picture("max-age=60").header("Content-Encoding", "aws-chunked"), for: "/a")
            let response = try await loader(kind).dataResponse(for: request())
            #expect(response.head?.headers["Content-Encoding"] == "aws-chunked")
            #expect(response.head?.headers["Content-Length"] == String(png.count))
        }
    }
}
