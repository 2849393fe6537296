import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// What a policy allows, without a network.
@Suite(.timeLimit(.minutes(1))) struct NetworkPolicyTests {
    private func policy(_ change: (inout NetworkPolicy) -> Void) -> NetworkPolicy {
        var policy = NetworkPolicy()
        change(&policy)
        return policy
    }

    private func reason(_ policy: NetworkPolicy, _ text: String) throws -> String? {
        let (rules, url) = (try #require(NetworkRules(policy)), try #require(URL(string: text)))
        do throws(ImageLoaderError) {
            try rules.check(ParsedURL(url))
            return nil
        } catch {
            guard case .destinationRefused(_, let reason) = error else { return "\(error)" }
            return reason
        }
    }

    @Test func unrestrictedPolicy_needsNoRules() {
        #expect(NetworkRules(.unrestricted) == nil)
        #expect(NetworkPolicy.unrestricted.identity == "")
        #expect(DownloadCoordinator.Settings().network == .unrestricted)
        #expect(ImageLoader.Configuration().download.network == .unrestricted)
        #expect(ImageLoader.Configuration.server.download.network == .publicInternet)
    }

    @Test func schemes_portsAndHosts_areChecked() throws {
        let strict = policy {
            $0.schemes = ["HTTPS"]
            $0.ports = [443, 8443]
            $0.hosts = ["images.example.org", "*.CDN.example.org"]
        }
        for text in [
            "https://images.example.org/a", "HTTPS://IMAGES.EXAMPLE.ORG/a", "https://images.example.org:8443/a",
            "https://a.cdn.example.org/", "https://a.b.cdn.example.org",
        ] { #expect(try reason(strict, text) == nil, "\(text)") }
        for (text, expected) in [
            ("http://images.example.org/a", "the scheme http isn't allowed"),
            ("file:///etc/passwd", "the scheme file isn't allowed"),
            ("https://images.example.org:80/a", "the port 80 isn't allowed"),
            ("https://example.org/", "the host isn't allowed"), ("https://cdn.example.org/", "the host isn't allowed"),
            ("https://xcdn.example.org/", "the host isn't allowed"),
            ("https://images.example.org.evil.test/", "the host isn't allowed"),
            ("https://images.example.org@evil.test/", "the host isn't allowed"),
            ("https://evil.test#@images.example.org", "the host isn't allowed"),
        ] { #expect(try reason(strict, text) == expected, "\(text)") }
    }

    /// As in URLs.
    @Test func listedHosts_areSpelledInAnyWay() throws {
        for (host, url) in [
            ("BÜCHER.example", "http://xn--bcher-kva.example/"),
            ("*.Bücher.example", "http://a.xn--bcher-kva.example/"),
            ("127.1", "http://127.0.0.1/"), ("::1", "http://[0:0::1]/"), ("[::1]", "http://[::1]:8080/"),
            ("2001:DB8:0::1", "http://[2001:db8::1]/"), ("images.example.org", "http://images%2Eexample.org/"),
        ] { #expect(try reason(policy { $0.hosts = [host] }, url) == nil, "\(host)") }
    }

    @Test func allowedOrigin_isExempt_withItsSchemeAndPortOnly() throws {
        var strict = NetworkPolicy.publicInternet
        strict.ports = [443]
        strict.allowedOrigins = ["http://Images.internal:8080", "http://plain.internal/"]
        #expect(try reason(strict, "http://images.internal:8080/a") == nil)
        #expect(try reason(strict, "http://plain.internal:80/a") == nil)
        for text in [
            "http://images.internal/a", "http://images.internal:8081/a", "http://images.internal:8080@evil.test/",
            "http://images.internal.:8080/a",
        ] { #expect(try reason(strict, text) != nil, "\(text)") }
        let rules = try #require(NetworkRules(strict))
        let loopback = try #require(NetworkAddress([127, 0, 0, 1]))
        let (origin, other) = (
            try ParsedURL("http://images.internal:8080/a"), try ParsedURL("https://a.test/a")
        )
        try rules.check(loopback, for: origin)
        #expect(throws: ImageLoaderError.destinationRefused(host: "a.test", reason: "127.0.0.1 is a loopback address"))
        {
            try rules.check(loopback, for: other)
        }
        #expect(rules.proxy(for: origin) == "" && rules.proxy(for: other) == "")
    }

    @Test func proxy_isForAllButAllowedOrigins() throws {
        var policy = NetworkPolicy.publicInternet
        policy.proxy = URL(string: "http://proxy.internal:3128")
        policy.allowedOrigins = ["http://images.internal:8080"]
        let rules = try #require(NetworkRules(policy))
        let (origin, other) = (
            try ParsedURL("http://images.internal:8080/a"), try ParsedURL("https://a.test/a")
        )
        #expect(rules.proxy(for: origin) == "")
        #expect(rules.proxy(for: other) == "http://proxy.internal:3128")
        // The proxy's own address may be private.
        try rules.check(try #require(NetworkAddress([10, 0, 0, 1])), for: other)
        // The environment decides if addresses don't matter.
        let hostsOnly = try #require(NetworkRules(self.policy { $0.hosts = ["a.test"] }))
        #expect(hostsOnly.proxy(for: other) == nil)
    }

    private static let invalid: [(String, @Sendable (inout NetworkPolicy) -> Void)] = [
        ("download.network.schemes has \"ftp\"", { $0.schemes = ["ftp"] }),
        ("a port in download.network.ports is 0", { $0.ports = [0] }),
        ("a port in download.network.ports is 65536", { $0.ports = [65_536] }),
        ("download.network.hosts has \"a/b\"", { $0.hosts = ["a/b"] }),
        ("download.network.hosts has \"*.\"", { $0.hosts = ["*."] }),
        ("download.network.hosts has \"a.*\"", { $0.hosts = ["a.*"] }),
        ("download.network.hosts has \"a b\"", { $0.hosts = ["a b"] }),
        ("download.network.hosts has \"256.1\"", { $0.hosts = ["256.1"] }),
        ("download.network.hosts has \"a:80\"", { $0.hosts = ["a:80"] }),
        ("download.network.allowedOrigins has \"images.internal\"", { $0.allowedOrigins = ["images.internal"] }),
        ("download.network.allowedOrigins has \"http://a.test/b\"", { $0.allowedOrigins = ["http://a.test/b"] }),
        ("download.network.allowedOrigins has \"http://me@a.test\"", { $0.allowedOrigins = ["http://me@a.test"] }),
        ("download.network.allowedOrigins has \"ftp://a.test\"", { $0.allowedOrigins = ["ftp://a.test"] }),
        ("download.network.proxy", { $0.proxy = URL(string: "socks5://a.test") }),
    ]

    @Test(arguments: invalid.indices) func badValue_isNamed(index: Int) async throws {
        let (text, change) = Self.invalid[index]
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = ScriptedDataLoader()
        change(&configuration.download.network)
        let error = await #expect(throws: ImageLoaderError.self) {
            try await ImageLoader(configuration).image(for: .test())
        }
        #expect(error?.kind == .unsupportedConfiguration)
        #expect("\(String(describing: error))".contains(text), "\(String(describing: error))")
    }

    @Test func policies_haveDifferentIdentities() {
        let policies = [
            .unrestricted, .publicInternet, policy { $0.requiresPublicAddresses = true },
            policy { $0.schemes = ["https"] }, policy { $0.hosts = ["https"] }, policy { $0.hosts = ["a", "b"] },
            policy { $0.hosts = ["a\", \"1 b"] }, policy { $0.ports = [80] }, policy { $0.ports = [] },
            policy { $0.allowedOrigins = ["http://a.test"] }, policy { $0.proxy = URL(string: "http://a.test") },
        ]
        #expect(Set(policies.map(\.identity)).count == policies.count)
        #expect(policy { $0.hosts = ["a", "b", "c"] }.identity == policy { $0.hosts = ["C", "b", "a"] }.identity)
    }

    // MARK: Over a transport

    @Test func urlSession_isAConfigurationError_thatNamesIt() async throws {
        var configuration = ImageLoader.Configuration.server
        configuration.disk = nil
        configuration.dataLoader = URLSessionDataLoader()
        let server = try LoopbackServer { _ in .status(404) }
        for loader in [ImageLoader(configuration)] {
            let error = await #expect(throws: ImageLoaderError.self) {
                try await loader.image(for: server.url("/a"))
            }
            #expect(error?.kind == .unsupportedConfiguration)
            #expect("\(String(describing: error))".contains("URLSessionDataLoader"))
        }
        #expect(throws: ImageLoaderError.self) {
            try DownloadCoordinator(configuration.download, dataLoader: URLSessionDataLoader())
        }
        #expect(server.statistics.connectionsAccepted == 0)
        // What needs no address is kept over every transport.
        configuration.download.network.requiresPublicAddresses = false
        configuration.download.network.ports = [443]
        let refused = await #expect(throws: ImageLoaderError.self) {
            try await ImageLoader(configuration).image(for: server.url("/a"))
        }
        #expect(refused == .destinationRefused(host: "127.0.0.1", reason: "the port \(server.port) isn't allowed"))
        #expect(server.statistics.connectionsAccepted == 0)
    }

    @Test func refusedURL_takesNoSlot_andIsNeitherSentNorRemembered() async throws {
        let fixture = CoordinatorFixture {
            $0.network.hosts = ["host.test"]
            $0.retry = .atOnce()
            $0.failureLifetimes = FailureLifetimes()
        }
        let request = ImageRequest(url: try #require(URL(string: "http://other.test/a.png")))
        let refusal = ImageLoaderError.destinationRefused(host: "other.test", reason: "the host isn't allowed")
        for _ in 0..<2 { await #expect(throws: refusal) { try await fixture.download(request).value } }
        #expect(fixture.transport.callCount == 0)
        let statistics = await fixture.statistics
        #expect(statistics.failed == 2 && statistics.started == 0 && statistics.retried == 0)
        #expect(await fixture.coordinator.failureBeforeFallback(of: request) == nil)
    }

    @Test func refusalByTheTransport_isNeitherRetriedNorRemembered() async throws {
        let fixture = CoordinatorFixture {
            $0.network = .publicInternet
            $0.retry = .atOnce()
            $0.failureLifetimes = FailureLifetimes()
        }
        let refusal = ImageLoaderError.destinationRefused(host: "host.test", reason: "r")
        for count in 1...2 {
            let caller = try fixture.download()
            try await fixture.nextCall().fail(refusal)
            await #expect(throws: refusal) { try await caller.value }
            #expect(fixture.transport.callCount == count)
        }
        let request = try ImageRequest.test()
        #expect(await fixture.coordinator.failureBeforeFallback(of: request) == nil)
    }

    @Test func preparedRequest_isCheckedToo() async throws {
        let fixture = CoordinatorFixture {
            $0.network.hosts = ["host.test"]
            $0.prepare = RequestPreparation(id: "a") { $0.url = try #require(URL(string: "http://other.test/")) }
        }
        await #expect(throws: ImageLoaderError.destinationRefused(host: "other.test", reason: "the host isn't allowed"))
        {
            try await fixture.download().value
        }
        #expect(fixture.transport.callCount == 0)
    }

    /// Its addresses are checked by what it carries.
    @Test func requestMadeByTheHook_carriesThePolicy() async throws {
        var settings = DownloadCoordinator.Settings()
        settings.network = .publicInternet
        settings.prepare = RequestPreparation(id: "a") { $0 = DataRequest(url: $0.url) }
        let builder = RequestBuilder(settings, accept: nil)
        let request = try await builder.prepared(builder.request(.test(), idleTimeout: .seconds(15)).1)
        let loopback = try #require(NetworkAddress([127, 0, 0, 1]))
        #expect(throws: ImageLoaderError.self) { try request.requirePermission(toReach: loopback) }
    }

    @Test func redirect_isChecked_beforeTheHookAndTheTransport() throws {
        var request = DataRequest(url: try .test())
        request.network = NetworkRules(policy { $0.hosts = ["host.test"] })
        request.redirects.willFollow = { _ in
            Issue.record("asked for a target that isn't allowed")
            return true
        }
        #expect(throws: ImageLoaderError.destinationRefused(host: "other.test", reason: "the host isn't allowed")) {
            try request.redirected(status: 302, to: "http://other.test/a.png")
        }
        request.redirects.willFollow = nil
        #expect(try request.redirected(status: 302, to: "/b.png").network === request.network)
    }

    /// Loaders with other policies find neither each other's images nor their entries.
    @Test func policy_isPartOfTheScope() async throws {
        let png = try Pictures.png()
        let (transport, temporary) = (ScriptedDataLoader { _ in .bytes(png) }, try TemporaryDirectory())
        var configuration = ImageLoader.Configuration()
        configuration.dataLoader = transport
        configuration.disk = .init(directory: temporary.url)
        let memory = MemoryCache()
        let open = ImageLoader(configuration, memoryCache: memory)
        _ = try await open.image(for: .test())
        await open.flush()
        let again = ImageLoader(configuration, memoryCache: memory)
        #expect(again.cachedImage(for: try .test() as ImageRequest) != nil)
        configuration.download.network = .publicInternet
        let strict = ImageLoader(configuration, memoryCache: memory)
        #expect(strict.cachedImage(for: try .test() as ImageRequest) == nil)
        #expect(try await strict.response(for: .test()).source == .network)
        #expect(transport.callCount == 2)
        await strict.flush()
        configuration.download.network.hosts = []
        let closed = ImageLoader(configuration, memoryCache: memory)
        await #expect(throws: ImageLoaderError.destinationRefused(host: "host.test", reason: "the host isn't allowed"))
        {
            try await closed.image(for: .test())
        }
    }

    @Test func localFile_isRefused_unlessItsSchemeIsAllowed() async throws {
        var fixture = try LoaderFixture(ScriptedDataLoader())
        let file = fixture.temporary.url.appending(path: "a.png")
        try Pictures.png().write(to: file)
        fixture.configuration.download.network = .publicInternet
        for request in [ImageRequest(url: file)] {
            let refusal = ImageLoaderError.destinationRefused(host: "", reason: "the scheme file isn't allowed")
            await #expect(throws: refusal) { try await fixture.makeLoader().image(for: request) }
            await #expect(throws: refusal) { try await fixture.makeLoader().data(for: request) }
        }
        let data = "data:image/png;base64," + (try Pictures.png().base64EncodedString())
        _ = try await fixture.makeLoader().image(for: try #require(URL(string: data)))
        fixture.configuration.download.network.schemes?.insert("file")
        _ = try await fixture.makeLoader().image(for: file)
    }
}
