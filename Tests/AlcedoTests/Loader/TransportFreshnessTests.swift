import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo

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
        configuration.disk = .init(directory: temporary.url.appendingPathComponent("cache"))
        return ImageLoader(configuration)
    }

    private func request(_ path: String = "/a", _ policy: CacheReadPolicy? = nil) -> ImageRequest {
        var request = ImageRequest(url: server.url(path))
        request.readPolicy = policy
        request.retriesFailed = true
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
