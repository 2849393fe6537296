import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Cookies, which all transports handle alike if configured to.
@Suite(.timeLimit(.minutes(1))) struct TransportCookieConformanceTests {
    private let server: LoopbackServer
    private let body = Data("0123456789".utf8)

    init() throws { server = try LoopbackServer() }

    private func client(_ kind: RealTransport, keepsCookies: Bool = true) -> TransportClient {
        var settings = TransportSettings()
        settings.keepsCookies = keepsCookies
        return TransportClient(transport: kind.make(settings), server: server)
    }

    private func reply(_ cookies: [String]) -> LoopbackServer.Reply {
        cookies.reduce(.bytes(body)) { $0.header("Set-Cookie", $1) }
    }

    /// Makes the server set `cookies` in one response.
    private func set(_ cookies: String..., at path: String = "/set", with client: TransportClient) async throws {
        server.enqueue(reply(cookies), for: path)
        _ = try await client.download(path)
    }

    /// The values of the `Cookie` headers of a request for `path`, whose response sets the cookies of `setting`.
    private func sent(
        to path: String, with client: TransportClient, setting cookies: [String] = [],
        _ adjust: @escaping @Sendable (inout DataRequest) -> Void = { _ in }
    ) async throws -> [String] {
        let load = Task { try await client.download(path, adjust) }
        let exchange = try await server.nextRequest()
        exchange.reply(reply(cookies))
        _ = try await load.value
        return exchange.request.headers.filter { $0.name.lowercased() == "cookie" }.map(\.value)
    }

    private func localhost(_ path: String) throws -> URL {
        try #require(URL(string: "http://localhost:\(server.port)\(path)"))
    }

    // MARK: Storing

    @Test(arguments: RealTransport.all)
    func cookies_areNotStored_byDefault(kind: RealTransport) async throws {
        let client = client(kind, keepsCookies: false)
        try await set("a=b", with: client)
        #expect(try await sent(to: "/a", with: client) == [])
    }

    @Test(arguments: RealTransport.all)
    func cookies_areSentBack_inOneHeader(kind: RealTransport) async throws {
        let client = client(kind)
        try await set(
            "a=1", "b=x=y z; HttpOnly", "d=\"4\"; Path=/; Expires=Wed, 09 Jun 2099 10:18:14 GMT", with: client)
        let fields = try await sent(to: "/a", with: client)
        #expect(fields.count == 1)
        #expect(Set(fields.joined().split(separator: "; ")) == ["a=1", "b=x=y z", "d=\"4\""])
    }

    @Test(arguments: RealTransport.all)
    func cookiesWithDates_areSeparated(kind: RealTransport) async throws {
        let client = client(kind)
        try await set(
            "a=1; Expires=Wed, 09 Jun 2099 10:18:14 GMT", "b=2; expires=Wed, 09-Jun-2099 10:18:14 GMT; path=/",
            "c=x,y", with: client)
        let fields = try await sent(to: "/a", with: client)
        #expect(Set(fields.joined().split(separator: "; ")) == ["a=1", "b=2", "c=x,y"])
    }

    @Test(arguments: RealTransport.all)
    func repeatedCookie_replacesTheEarlierOne(kind: RealTransport) async throws {
        let client = client(kind)
        try await set("a=1", with: client)
        try await set("a=2", with: client)
        #expect(try await sent(to: "/a", with: client) == ["a=2"])
    }

    @Test(arguments: RealTransport.all)
    func path_isRespected_andLongerPathsGoFirst(kind: RealTransport) async throws {
        let client = client(kind)
        try await set("root=1; Path=/", "in=2; Path=/folder", with: client)
        try await set("inner=3; Path=/folder/inner", at: "/folder/inner/set", with: client)
        #expect(try await sent(to: "/folder/inner/a", with: client) == ["inner=3; in=2; root=1"])
        #expect(try await sent(to: "/folder/a", with: client) == ["in=2; root=1"])
        #expect(try await sent(to: "/folder", with: client) == ["in=2; root=1"])
        #expect(try await sent(to: "/folders", with: client) == ["root=1"])
    }

    @Test(arguments: RealTransport.all, ["Max-Age=0", "Max-Age=-1", "Expires=Thu, 01 Jan 1970 00:00:00 GMT"])
    func expiredCookie_isRemoved(kind: RealTransport, attribute: String) async throws {
        let client = client(kind)
        try await set("a=1", "b=2", with: client)
        try await set("a=; \(attribute)", with: client)
        #expect(try await sent(to: "/a", with: client) == ["b=2"])
    }

    @Test(arguments: RealTransport.all)
    func maxAge_overridesExpires(kind: RealTransport) async throws {
        let client = client(kind)
        try await set(
            "a=1; Max-Age=1000; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
            "b=2; Max-Age=0; Expires=Wed, 09 Jun 2099 10:18:14 GMT", with: client)
        #expect(try await sent(to: "/a", with: client) == ["a=1"])
    }

    @Test(arguments: RealTransport.all, [401, 404, 500])
    func cookieOfAnErrorResponse_isStored(kind: RealTransport, status: Int) async throws {
        let client = client(kind)
        let reply = LoopbackServer.Reply(status: status, body: body).header("Set-Cookie", "a=1")
        #expect(await client.error(reply.header("WWW-Authenticate", "Basic realm=\"x\"")) == .badStatus(status))
        #expect(try await sent(to: "/a", with: client) == ["a=1"])
    }

    // MARK: Redirects

    @Test(arguments: RealTransport.all)
    func cookieOfARedirect_isSentToItsTarget(kind: RealTransport) async throws {
        let client = client(kind)
        try await set("a=0", with: client)
        server.handle("/moved") { _ in .redirect(to: "/end").header("Set-Cookie", "a=1; Path=/") }
        // Neither the first hop's header again, nor both.
        #expect(try await sent(to: "/moved", with: client) == ["a=1"])
        #expect(try await sent(to: "/end", with: client) == ["a=1"])
    }

    @Test(arguments: RealTransport.all)
    func cookieOfARejectedRedirect_isStored(kind: RealTransport) async throws {
        let client = client(kind)
        let error = await client.error(.redirect(to: "file:///etc/passwd").header("Set-Cookie", "a=1"))
        #expect(error?.kind == .redirectRefused)
        #expect(try await sent(to: "/a", with: client) == ["a=1"])
    }

    @Test(arguments: RealTransport.all)
    func cookies_areNotSentToAnotherHost(kind: RealTransport) async throws {
        let client = client(kind)
        let other = try localhost("/end")
        try await set("a=1; Path=/", "b=2; Path=/; Domain=localhost", with: client)
        #expect(try await sent(to: "/", with: client) { $0.url = other } == [])
        server.handle("/moved") { _ in .redirect(to: other.absoluteString).header("Set-Cookie", "c=3; Path=/") }
        #expect(try await sent(to: "/moved", with: client) == [])
        let own = try await sent(to: "/a", with: client)
        #expect(Set(own.joined().split(separator: "; ")) == ["a=1", "c=3"])
    }

    @Test(arguments: RealTransport.all)
    func transports_shareNoCookies(kind: RealTransport) async throws {
        let first = client(kind)
        try await set("a=1", with: first)
        #expect(try await sent(to: "/a", with: client(kind)) == [])
        #expect(try await sent(to: "/a", with: first) == ["a=1"])
    }

    // MARK: Cookies in the request

    @Test(arguments: RealTransport.all, ["Cookie", "cookie"])
    func requestsOwnCookies_areSentAlone_andTheResponsesAreNotStored(kind: RealTransport, name: String) async throws {
        let client = client(kind)
        try await set("kept=1", with: client)
        let own: @Sendable (inout DataRequest) -> Void = { $0.headers[name] = "own=2" }
        #expect(try await sent(to: "/a", with: client, setting: ["kept=3", "never=4"], own) == ["own=2"])
        #expect(try await sent(to: "/a", with: client) == ["kept=1"])
        server.handle("/moved") { _ in .redirect(to: "/end").header("Set-Cookie", "never=5; Path=/") }
        #expect(try await sent(to: "/moved", with: client, own) == ["own=2"])
        #expect(try await sent(to: "/a", with: client) == ["kept=1"])
    }

    @Test(arguments: RealTransport.all)
    func requestsOwnCookies_areReplaced_afterARedirectToAnotherHost(kind: RealTransport) async throws {
        let client = client(kind)
        let other = try localhost("/end")
        server.handle("/set") { [reply = reply(["there=1; Path=/"])] _ in reply }
        let set = try localhost("/set")
        _ = try await client.download { $0.url = set }
        server.handle("/moved") { _ in .redirect(to: other.absoluteString) }
        #expect(try await sent(to: "/moved", with: client) { $0.headers["Cookie"] = "own=2" } == ["there=1"])
    }

    // MARK: Disk

    /// In its own process, whose home and working directory are a folder to search.
    @Test(arguments: RealTransport.all) func cookies_areNotOnDisk(kind: RealTransport) async {
        await #expect(processExitsWith: .success) { [name = kind.testDescription as String] in
            let directory = try TemporaryDirectory()
            for variable in ["HOME", "CFFIXED_USER_HOME", "TMPDIR"] { setenv(variable, directory.path, 1) }
            for variable in ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"] { unsetenv(variable) }
            try #require(FileManager.default.changeCurrentDirectoryPath(directory.path))
            let secret = UUID().uuidString
            let field = "a=\(secret); Expires=Wed, 09 Jun 2099 10:18:14 GMT"
            let server = try LoopbackServer { request in
                request.path == "/kept" && request.headers["Cookie"] != "a=\(secret)"
                    ? .status(403) : .bytes(Data("0123456789".utf8)).header("Set-Cookie", field)
            }
            var settings = TransportSettings()
            settings.keepsCookies = true
            let client = TransportClient(transport: try RealTransport.named(name).make(settings), server: server)
            for path in ["/set", "/kept", "/kept"] {
                _ = try await client.download(path)
                await client.transport.closeIdleConnections()
            }
            func filesWithSecret() throws -> [URL] {
                try directory.files(in: "").filter { try Data(contentsOf: $0).range(of: Data(secret.utf8)) != nil }
            }
            #expect(try filesWithSecret() == [])
            #if os(Linux)
            // The search finds what Foundation's shared storage writes.
            let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": field], for: server.url())
            cookies.forEach(HTTPCookieStorage.shared.setCookie)
            #expect(try filesWithSecret().count == 1)
            #endif
        }
    }

    // MARK: Bounds

    @Test(arguments: RealTransport.all)
    func manyCookies_areLimitedTo8KiB(kind: RealTransport) async throws {
        let client = client(kind)
        let value = String(repeating: "x", count: 400)
        for group in 0..<12 {
            server.enqueue(reply((0..<10).map { "cookie\(group)-\($0)=\(value)" }), for: "/set")
            _ = try await client.download("/set")
        }
        let field = try #require(try await sent(to: "/a", with: client).first)
        // With its name and the line end, it fits into the 8 KiB that servers accept.
        #expect((4_000...8_182).contains(field.utf8.count))
    }
}
