import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct RedirectMemoryTests {
    private func redirect(_ status: Int, _ field: String?, cookie: String? = nil) -> KnownRedirect? {
        var headers = HTTPHeaders()
        headers["Cache-Control"] = field
        headers["Set-Cookie"] = cookie
        let exchange = Freshness.Exchange(request: 1_000, response: 1_000)
        return KnownRedirect(status, to: "/b", headers, Freshness(headers, status: status, exchange))
    }

    @Test func permanentAndFreshRedirects_areKept() {
        for status in [301, 308] {
            #expect(redirect(status, nil)?.freshness.endSecond == 4_600)
            #expect(redirect(status, "no-store") == nil && redirect(status, "no-cache") == nil)
            #expect(redirect(status, "max-age=0") == nil && redirect(status, nil, cookie: "a=b") == nil)
        }
        for status in [302, 303, 307] {
            #expect(redirect(status, nil) == nil)
            #expect(redirect(status, "max-age=60")?.freshness.endSecond == 1_060)
        }
    }

    @Test func redirects_areFollowed_upToTheFirstThatIsStale() throws {
        var memory = RedirectMemory<Int>(capacity: 2)
        let (long, short) = (try #require(redirect(301, nil)), try #require(redirect(307, "max-age=60")))
        let url = try #require(URL(string: "http://host.test/a"))
        memory.record(1, from: url, [long, short, long])
        #expect(memory.redirects(of: 1, from: url, at: 1_000) == [long, short, long])
        #expect(memory.redirects(of: 1, from: url, at: 1_060) == [long])
        #expect(memory.redirects(of: 1, from: url, at: 4_600).isEmpty)
        #expect(memory.redirects(of: 2, from: url, at: 1_000).isEmpty)
        let other = try #require(URL(string: "http://host.test/a?sig=2"))
        #expect(memory.redirects(of: 1, from: other, at: 1_000).isEmpty)
        memory.record(2, from: url, [short])
        memory.record(2, from: url, [long])
        #expect(memory.count == 2 && memory.redirects(of: 2, from: url, at: 1_000) == [long])
        memory.record(3, from: url, [long])
        #expect(memory.count == 1)
        memory.forget(3)
        #expect(memory.count == 0)
    }

    /// The fragment isn't sent.
    @Test func redirects_areFollowed_whateverTheFragment() throws {
        var memory = RedirectMemory<Int>()
        let hop = try #require(redirect(301, nil))
        let urls = try ["", "#1", "#2"].map { try #require(URL(string: "http://host.test/a\($0)")) }
        for url in urls {
            memory.record(1, from: url, [hop])
            for other in urls { #expect(memory.redirects(of: 1, from: other, at: 1_000) == [hop]) }
        }
        memory.record(1, from: urls[1], [])
        #expect(memory.count == 0)
    }

    @Test func answerWithoutRedirect_forgetsOnlyThoseOfItsURL() throws {
        var memory = RedirectMemory<Int>(capacity: 1)
        let hop = try #require(redirect(301, nil))
        let urls = try [1, 2].map { try #require(URL(string: "http://host.test/a?sig=\($0)")) }
        memory.record(1, from: urls[0], [hop])
        memory.record(1, from: urls[1], [])
        memory.record(2, from: urls[0], [])
        #expect(memory.redirects(of: 1, from: urls[0], at: 1_000) == [hop])
        memory.record(1, from: urls[0], [])
        #expect(memory.count == 0)
    }

    /// Over real transports: the first request is redirected, the next ones go to the target at once.
    @Test(arguments: RedirectedTransport.allCases)
    func secondDownload_goesToTheTarget(_ transport: RedirectedTransport) async throws {
        let requests = Recorder<String>()
        let isGone = Recorder<Bool>()
        let server = try LoopbackServer { request in
            requests.record(request.target)
            switch request.target {
            case "/a": return .status(301, headers: ["Location": "/b"])
            case "/b": return .status(307, headers: ["Location": "/c", "Cache-Control": "max-age=60"])
            case "/temporary": return .status(302, headers: ["Location": "/c"])
            default: return isGone.values.isEmpty ? .bytes(Data("body".utf8)) : .status(404)
            }
        }
        let time = Recorder<Int64>()
        time.record(1_000)
        let downloads = DownloadCoordinator(
            loader: transport.make(), time: TimeSource(secondsSince1970: { time.values.last ?? 0 }))
        let url = server.url("/a")
        func targets(_ request: ImageRequest) async throws -> [String] {
            _ = requests.takeAll()
            _ = try? await downloads.data(for: request)
            return requests.takeAll()
        }
        #expect(try await targets(ImageRequest(url: url)) == ["/a", "/b", "/c"])
        #expect(try await targets(ImageRequest(url: url)) == ["/c"])
        #expect(try await downloads.response(for: ImageRequest(url: url)).head?.url == server.url("/c"))
        var anew = ImageRequest(url: url)
        anew.readPolicy = .reload
        #expect(try await targets(anew) == ["/a", "/b", "/c"])
        time.record(1_060)
        #expect(try await targets(ImageRequest(url: url)) == ["/b", "/c"])
        let temporary = ImageRequest(url: server.url("/temporary"))
        for _ in 0..<2 { #expect(try await targets(temporary) == ["/temporary", "/c"]) }
        // A target that fails is no longer trusted.
        isGone.record(true)
        #expect(try await targets(anew) == ["/a", "/b", "/c"])
        await downloads.forgetFailures()
        #expect(try await targets(ImageRequest(url: url)) == ["/a", "/b", "/c"])
    }

    /// Two URLs with one key, as signed ones have: the redirect of one says nothing of the other.
    @Test(arguments: RedirectedTransport.allCases)
    func redirect_isFollowedOnlyFromItsURL(_ transport: RedirectedTransport) async throws {
        let requests = Recorder<String>()
        let server = try LoopbackServer { request in
            requests.record(request.target)
            guard request.target.hasPrefix("/a") else { return .bytes(Data("body".utf8)) }
            return .status(301, headers: ["Location": "/cdn\(request.target)"])
        }
        var settings = DownloadCoordinator.Settings()
        settings.cacheKeys = .droppingQueryItems(["sig"])
        let downloads = DownloadCoordinator(
            valid: settings, loader: transport.make(), time: TimeSource(secondsSince1970: { 1_000 }))
        let (first, second) = (server.url("/a?sig=1"), server.url("/a?sig=2"))
        let own = [first, second].map { ImageRequest(url: $0, cacheKey: "a") }
        for pair in [[first, second].map { ImageRequest(url: $0) }, own] {
            for (request, signature) in zip(pair + [pair[1]], [1, 2, 2]) {
                _ = requests.takeAll()
                _ = try await downloads.data(for: request)
                #expect(requests.values.last == "/cdn/a?sig=\(signature)")
            }
            // The latest one is remembered.
            #expect(requests.takeAll().count == 1)
        }
    }

    /// What a redirect leads to is fresh for as long as the redirect is.
    @Test(arguments: RedirectedTransport.allCases)
    func freshness_endsWithTheRedirects(_ transport: RedirectedTransport) async throws {
        let server = try LoopbackServer { request in
            switch request.target {
            case "/temporary": .status(302, headers: ["Location": "/c"])
            case "/minute": .status(302, headers: ["Location": "/c", "Cache-Control": "max-age=60"])
            case "/permanent": .status(301, headers: ["Location": "/c"])
            default: .bytes(Data("body".utf8)).header("Cache-Control", "max-age=31536000").header("ETag", "W/\"1\"")
            }
        }
        let downloads = DownloadCoordinator(
            loader: transport.make(), time: TimeSource(secondsSince1970: { 1_000 }))
        for (path, end) in [("/c", 31_537_000), ("/temporary", 1_000), ("/minute", 1_060), ("/permanent", 4_600)] {
            for _ in 0..<2 {
                let download = try await downloads.download(ImageRequest(url: server.url(path)))
                #expect(download.freshness.endSecond == Int64(end), "\(path)")
                // Another resource might confirm it.
                #expect((download.response.conditions == nil) == (path != "/c"), "\(path)")
            }
        }
    }
}

/// The transports that follow redirects themselves.
enum RedirectedTransport: CaseIterable {
    case urlSession
    #if os(Linux) && Curl
    case curl
    #endif

    func make() -> any DataLoading {
        switch self {
        case .urlSession: URLSessionDataLoader()
        #if os(Linux) && Curl
        case .curl: CurlDataLoader()
        #endif
        }
    }
}
