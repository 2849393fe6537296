#if os(Linux) && Curl
import AlcedoTestSupport
import CCurl
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Over sockets: a refused address sees no connection, however its host is spelled and whoever leads there.
@Suite(.timeLimit(.minutes(1))) struct CurlNetworkPolicyTests {
    private let server: LoopbackServer
    private let body = Data("body".utf8)

    init() throws {
        server = try LoopbackServer { [body] _ in .bytes(body) }
    }

    private func coordinator(
        _ transport: CurlDataLoader = CurlDataLoader(), allowing origins: Set<String> = [],
        reportingTo events: Recorder<DownloadCoordinator.Event.Kind>? = nil,
        _ change: (inout DownloadCoordinator.Settings) -> Void = { _ in }
    ) throws -> DownloadCoordinator {
        var settings = DownloadCoordinator.Settings()
        settings.network = .publicInternet
        settings.network.allowedOrigins = origins
        settings.retry = .atOnce()
        // No transfer times out, however busy the machine is.
        settings.idleTimeout = .seconds(3_600)
        change(&settings)
        return try DownloadCoordinator(settings, dataLoader: transport) { events?.record($0.kind) }
    }

    private func url(_ host: String, port: Int? = nil, _ path: String = "/a") throws -> URL {
        try #require(URL(string: "http://\(host):\(port ?? server.port)\(path)"))
    }

    private func refusal(_ coordinator: DownloadCoordinator, _ url: URL) async throws -> (host: String, reason: String)
    {
        let error = await #expect(throws: ImageLoaderError.self) {
            try await coordinator.data(for: ImageRequest(url: url))
        }
        guard case .destinationRefused(let host, let reason) = try #require(error) else {
            Issue.record("\(url): \(String(describing: error))")
            return ("", "")
        }
        return (host, reason)
    }

    @Test(arguments: [
        "127.0.0.1", "127.0.0.2", "2130706433", "0177.0.0.1", "0x7f.1", "127.1", "0x7F000001", "017700000001",
        "127.0.1", "%31%32%37.0.0.1", "localhost", "LOCALHOST", "images.localhost",
        "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
    ])
    func loopback_isRefused_howeverItIsSpelled(host: String) async throws {
        let coordinator = try coordinator()
        let refusal = try await refusal(coordinator, url(host))
        #expect(refusal.reason.hasSuffix("is a loopback address"), "\(refusal)")
        #expect(server.statistics.connectionsAccepted == 0)
        let statistics = await coordinator.statistics
        #expect(statistics.failed == 1 && statistics.retried == 0)
    }

    @Test(arguments: [
        ("169.254.169.254", "169.254.169.254 is the address of a cloud's metadata service"),
        ("2852039166", "169.254.169.254 is the address of a cloud's metadata service"),
        ("[fd00:ec2::254]", "fd00:ec2:0:0:0:0:0:254 is the address of a cloud's metadata service"),
        ("[2002:7f00:1::]", "2002:7f00:1:0:0:0:0:0 is an address of a tunnel"),
        ("10.0.0.1", "10.0.0.1 is a private address"), ("0.0.0.0", "0.0.0.0 is no address of a host"),
        ("0", "0.0.0.0 is no address of a host"), ("100.64.0.1", "100.64.0.1 is an address of a carrier's own network"),
        ("[fe80::1]", "fe80:0:0:0:0:0:0:1 is a link-local address"),
        ("255.255.255.255", "255.255.255.255 is the broadcast address"),
    ])
    func reservedAddress_isRefused_withItsReason(host: String, reason: String) async throws {
        let refusal = try await refusal(coordinator(), url(host))
        #expect(refusal.reason == reason)
        #expect(server.statistics.connectionsAccepted == 0)
    }

    /// Names that the system's resolver finds at loopback addresses, in its file. libcurl answers "localhost" itself.
    private static let namesOfThisMachine: [String] = {
        guard let file = FileManager.default.contents(atPath: "/etc/hosts") else { return [] }
        var isLoopback: [String: Bool] = [:]
        for line in String(decoding: file, as: UTF8.self).split(separator: "\n") {
            let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" }
            guard let address = words.first else { continue }
            let isOne = address.hasPrefix("127.") || address == "::1"
            for name in words.dropFirst() {
                isLoopback[name.lowercased()] = isOne && isLoopback[name.lowercased()] ?? true
            }
        }
        let names = isLoopback.filter { $0.value && $0.key != "localhost" && !$0.key.hasSuffix(".localhost") }
        return Array(names.keys.sorted().prefix(3))
    }()

    /// Other tests give a name its addresses, where the system's file has no such name; see ``CurlAddressesTests``.
    @Test(.enabled(if: !namesOfThisMachine.isEmpty, "/etc/hosts has no loopback name but localhost"))
    func nameThatIsLookedUp_isRefused() async throws {
        for name in Self.namesOfThisMachine {
            let coordinator = try coordinator()
            let refusal = try await refusal(coordinator, url(name))
            #expect(refusal.host == name && refusal.reason.hasSuffix("is a loopback address"), "\(refusal)")
        }
        #expect(server.statistics.connectionsAccepted == 0)
    }

    @Test func allowedOrigin_isLoaded_andNoOther() async throws {
        let coordinator = try coordinator(allowing: ["http://127.0.0.1:\(server.port)"])
        #expect(try await coordinator.data(for: ImageRequest(url: server.url("/a"))) == body)
        _ = try await refusal(coordinator, url("localhost"))
        #expect(server.statistics.connectionsAccepted == 1)
    }

    @Test func allowedName_isLoaded_whateverItsAddress() async throws {
        let coordinator = try coordinator(allowing: ["http://images.localhost:\(server.port)"])
        #expect(try await coordinator.data(for: ImageRequest(url: url("images.localhost"))) == body)
        _ = try await refusal(coordinator, url("127.0.0.1"))
        #expect(server.statistics.connectionsAccepted == 1)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func redirectToARefusedOrigin_reachesNothing(status: Int) async throws {
        let inner = try LoopbackServer { _ in .bytes(Data("secret".utf8)) }
        let coordinator = try coordinator(allowing: ["http://127.0.0.1:\(server.port)"])
        server.enqueue(.redirect(to: inner.url("/b").absoluteString, status: status))
        let refusal = try await refusal(coordinator, server.url("/a"))
        #expect(refusal.host == "127.0.0.1" && refusal.reason == "127.0.0.1 is a loopback address")
        #expect(inner.statistics.connectionsAccepted == 0)
        // It isn't remembered, so the origin is asked again.
        #expect(try await coordinator.data(for: ImageRequest(url: server.url("/a"))) == body)
        #expect(server.statistics.requests == 2)
    }

    /// The transport follows these itself when it is used alone.
    @Test func redirect_isChecked_byATransportThatFollowsIt() async throws {
        let inner = try LoopbackServer { _ in .bytes(Data("secret".utf8)) }
        server.enqueue(.redirect(to: inner.url("/b").absoluteString))
        var policy = NetworkPolicy.publicInternet
        policy.allowedOrigins = ["http://127.0.0.1:\(server.port)"]
        let client = TransportClient(transport: CurlDataLoader(), server: server)
        let rules = NetworkRules(policy)
        let error = await #expect(throws: ImageLoaderError.self) {
            try await client.download { $0.network = rules }
        }
        #expect(error?.kind == .destinationRefused)
        #expect(inner.statistics.connectionsAccepted == 0)
    }

    /// What a program with the allowed origin in mind and libcurl might read differently.
    @Test func confusingURLs_reachTheAllowedOriginOrNothing() async throws {
        let inner = try LoopbackServer { _ in .bytes(Data("secret".utf8)) }
        let (allowed, refused) = ("127.0.0.1:\(server.port)", "localhost:\(inner.port)")
        let coordinator = try coordinator(allowing: ["http://\(allowed)"])
        for text in [
            "http://\(allowed)@\(refused)/", "http://\(allowed)\\@\(refused)/", "http://\(allowed)#@\(refused)/",
            "http://\(allowed)?@\(refused)/", "http://\(allowed)/@\(refused)/", "http://\(refused)@\(allowed)/",
            "http://a:b@\(allowed)@\(refused)/", "http://\(allowed)%2F@\(refused)/", "http://\(allowed)\t@\(refused)/",
            "http:\\\\\(refused)/", "http:///\(refused)/", "http:\(refused)/", "http://\(allowed) @\(refused)/",
            "http://\(allowed):@\(refused)", "http://\(refused)\\.\(allowed)", "http://[\(allowed)]@\(refused)/",
        ] {
            guard let url = URL(string: text) else { continue }
            do throws(ImageLoaderError) {
                #expect(try await coordinator.data(for: ImageRequest(url: url)) == body, "\(text)")
            } catch {
                #expect(
                    [.destinationRefused, .invalidURL, .connectionFailed, .unsupportedScheme].contains(error.kind),
                    "\(text): \(error)")
            }
        }
        #expect(inner.statistics.connectionsAccepted == 0)
    }

    // MARK: Connections that exist

    /// A connection made by a loader without a policy isn't used by one with a policy.
    @Test func connectionOfAnotherPolicy_isNotUsed() async throws {
        let transport = CurlDataLoader()
        let open = try coordinator(transport) { $0.network = .unrestricted }
        let strict = try coordinator(transport)
        #expect(try await open.data(for: ImageRequest(url: server.url("/a"))) == body)
        #expect(try await refusal(strict, server.url("/a")).reason == "127.0.0.1 is a loopback address")
        #expect(server.statistics.requests == 1)
        #expect(server.statistics.connectionsAccepted == 1)
        // And the one with a policy leaves no handle behind that refuses others.
        #expect(try await open.data(for: ImageRequest(url: server.url("/b"))) == body)
        #expect(server.statistics.requests == 2)
    }

    /// Before 7.80, libcurl can't ask about an open connection, so it makes one.
    @Test(.enabled(if: curl_version_info(CURLVERSION_FIRST).pointee.version_num >= 0x07_5000))
    func refusalOfAnOpenConnection_isNoFailureToConnect() async throws {
        let (transport, events) = (CurlDataLoader(), Recorder<DownloadCoordinator.Event.Kind>())
        let open = try coordinator(transport) { $0.network = .unrestricted }
        #expect(try await open.data(for: ImageRequest(url: server.url("/a"))) == body)
        for (transport, connects) in [(transport, []), (CurlDataLoader(), [.destinationRefused])]
            as [(CurlDataLoader, [ImageLoaderError.Kind?])]
        {
            _ = try await refusal(coordinator(transport, reportingTo: events), server.url("/a"))
            let ends = events.takeAll().compactMap { event -> (stage: LoadStage, error: ImageLoaderError.Kind?)? in
                if case .ended(let stage, let outcome) = event { (stage, outcome.error?.kind) } else { nil }
            }
            #expect(ends.filter { $0.stage == .connect }.map(\.error) == connects)
            #expect(ends.filter { $0.stage == .download }.map(\.error) == [.destinationRefused])
        }
        #expect(server.statistics.connectionsAccepted == 1)
    }

    @Test func connectionToAnAllowedOrigin_isReused() async throws {
        let coordinator = try coordinator(allowing: ["http://127.0.0.1:\(server.port)"])
        for path in ["/a", "/b", "/c"] {
            #expect(try await coordinator.data(for: ImageRequest(url: server.url(path))) == body)
        }
        #expect(server.statistics.connectionsAccepted == 1)
    }

    // MARK: Proxies

    /// In its own process, because the environment is the whole process's.
    @Test func proxyOfTheEnvironment_isIgnored_withAPolicy() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer { _ in .bytes(Data("direct".utf8)) }
            let proxy = try LoopbackServer { _ in .bytes(Data("proxied".utf8)) }
            for name in ["http_proxy", "ALL_PROXY"] { setenv(name, proxy.url("/").absoluteString, 1) }
            unsetenv("no_proxy")
            unsetenv("NO_PROXY")
            let (request, transport) = (ImageRequest(url: server.url("/a")), CurlDataLoader())
            var settings = DownloadCoordinator.Settings()
            let open = try DownloadCoordinator(settings, dataLoader: transport)
            #expect(try await open.data(for: request) == Data("proxied".utf8))
            settings.network = .publicInternet
            let strict = try DownloadCoordinator(settings, dataLoader: transport)
            let error = await #expect(throws: ImageLoaderError.self) { try await strict.data(for: request) }
            #expect(error?.kind == .destinationRefused)
            settings.network.allowedOrigins = ["http://127.0.0.1:\(server.port)"]
            let allowing = try DownloadCoordinator(settings, dataLoader: transport)
            #expect(try await allowing.data(for: request) == Data("direct".utf8))
            #expect(proxy.statistics.requests == 1 && server.statistics.requests == 1)
        }
    }

    /// In its own process, because the environment is the whole process's.
    @Test func proxyOfThePolicy_getsWhatTheEnvironmentExempts() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer { _ in .bytes(Data("direct".utf8)) }
            let proxy = try LoopbackServer { _ in .bytes(Data("proxied".utf8)) }
            for name in ["no_proxy", "NO_PROXY"] { setenv(name, "*", 1) }
            for name in ["http_proxy", "ALL_PROXY"] { setenv(name, proxy.url("/").absoluteString, 1) }
            let (request, transport) = (ImageRequest(url: server.url("/a")), CurlDataLoader())
            for (count, policy) in [NetworkPolicy.publicInternet, .unrestricted].enumerated() {
                var settings = DownloadCoordinator.Settings()
                settings.network = policy
                settings.network.proxy = proxy.url("/")
                let coordinator = try DownloadCoordinator(settings, dataLoader: transport)
                #expect(try await coordinator.data(for: request) == Data("proxied".utf8))
                #expect(proxy.statistics.requests == count + 1 && server.statistics.connectionsAccepted == 0)
            }
            // The environment's own proxy is exempted from.
            let open = try DownloadCoordinator(DownloadCoordinator.Settings(), dataLoader: transport)
            #expect(try await open.data(for: request) == Data("direct".utf8))
            #expect(proxy.statistics.requests == 2 && server.statistics.requests == 1)
        }
    }

    @Test func proxyOfThePolicy_getsAllButAllowedOrigins() async throws {
        let proxy = try LoopbackServer { [body] _ in .bytes(body) }
        let inner = try LoopbackServer { [body] _ in .bytes(body) }
        let coordinator = try coordinator(allowing: ["http://127.0.0.1:\(inner.port)"]) {
            $0.network.proxy = proxy.url("/")
        }
        let outside = ImageRequest(url: try #require(URL(string: "http://images.invalid/a")))
        #expect(try await coordinator.data(for: outside) == body)
        #expect(try await coordinator.data(for: ImageRequest(url: server.url("/a"))) == body)
        #expect(proxy.statistics.requests == 2 && server.statistics.connectionsAccepted == 0)
        #expect(try await coordinator.data(for: ImageRequest(url: inner.url("/a"))) == body)
        #expect(proxy.statistics.requests == 2 && inner.statistics.requests == 1)
    }
}
#endif
