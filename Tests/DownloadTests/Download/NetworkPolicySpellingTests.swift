import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Over sockets: a list of hosts or ports holds however a URL is spelled, and whoever leads there.
@Suite(.timeLimit(.minutes(1))) struct NetworkPolicySpellingTests {
    private let server: LoopbackServer
    private let inner: LoopbackServer
    private let body = Data("body".utf8)

    init() throws {
        server = try LoopbackServer { [body] _ in .bytes(body) }
        inner = try LoopbackServer { _ in .bytes(Data("secret".utf8)) }
    }

    private func coordinator(
        _ kind: RealTransport, _ change: (inout NetworkPolicy) -> Void
    ) throws -> DownloadCoordinator {
        var settings = DownloadCoordinator.Settings()
        change(&settings.network)
        // No transfer times out, however busy the machine is.
        settings.idleTimeout = .seconds(3_600)
        return try DownloadCoordinator(settings, dataLoader: kind.make(TransportSettings()))
    }

    private func refusal(_ coordinator: DownloadCoordinator, _ url: URL) async throws -> String? {
        do throws(ImageLoaderError) {
            _ = try await coordinator.data(for: ImageRequest(url: url))
            return nil
        } catch {
            guard case .destinationRefused(let host, let reason) = error else { return "\(error)" }
            return "\(host): \(reason)"
        }
    }

    /// Spellings of the server's origin.
    private static let origins = ["HTTP://127.0.0.1", "Http://127.0.0.1", "hTTP://u@127.1", "http://0x7F.1"]

    @Test(arguments: RealTransport.all, origins)
    func listedHosts_areTheOnlyOnes_howeverTheSchemeIsSpelled(kind: RealTransport, origin: String) async throws {
        let coordinator = try coordinator(kind) {
            $0.hosts = ["images.example.org"]
            $0.ports = [server.port]
        }
        let url = try #require(URL(string: "\(origin):\(server.port)/a.png"))
        #expect(try await refusal(coordinator, url) == "127.0.0.1: the host isn't allowed")
        #expect(server.statistics.connectionsAccepted == 0)
    }

    @Test(arguments: RealTransport.all, origins)
    func listedPorts_areTheOnlyOnes_howeverTheSchemeIsSpelled(kind: RealTransport, origin: String) async throws {
        let coordinator = try coordinator(kind) { $0.ports = [443] }
        let url = try #require(URL(string: "\(origin):\(server.port)/a.png"))
        #expect(try await refusal(coordinator, url) == "127.0.0.1: the port \(server.port) isn't allowed")
        #expect(server.statistics.connectionsAccepted == 0)
    }

    @Test(arguments: RealTransport.all, origins)
    func redirect_reachesListedPortsOnly(kind: RealTransport, origin: String) async throws {
        let coordinator = try coordinator(kind) { $0.ports = [server.port] }
        server.enqueue(.redirect(to: "\(origin):\(inner.port)/secret"))
        #expect(
            try await refusal(coordinator, server.url("/a")) == "127.0.0.1: the port \(inner.port) isn't allowed")
        #expect(inner.statistics.connectionsAccepted == 0)
        server.enqueue(.redirect(to: "\(origin):\(server.port)/b"))
        #expect(try await refusal(coordinator, server.url("/a")) == nil)
    }

    @Test(arguments: RealTransport.all, origins)
    func redirect_reachesListedHostsOnly(kind: RealTransport, origin: String) async throws {
        let coordinator = try coordinator(kind) { $0.hosts = ["localhost"] }
        server.enqueue(.redirect(to: "\(origin):\(inner.port)/secret"))
        let url = try #require(URL(string: "http://LocalHost:\(server.port)/a"))
        #expect(try await refusal(coordinator, url) == "127.0.0.1: the host isn't allowed")
        #expect(inner.statistics.connectionsAccepted == 0)
    }

    /// A list of hosts or ports says what is reached over the network, and files aren't among that.
    @Test func localFiles_areRefused_byListsOfHostsAndPorts() async throws {
        var fixture = try LoaderFixture(ScriptedDataLoader())
        let file = fixture.temporary.url.appending(path: "a.png")
        try Pictures.png().write(to: file)
        let upper = try #require(URL(string: "FILE://LOCALHOST" + file.path))
        let lists: [(inout NetworkPolicy) -> Void] = [{ $0.hosts = ["localhost"] }, { $0.ports = [80] }]
        let refusal = ImageLoaderError.destinationRefused(
            host: "", reason: "files aren't allowed by a list of hosts or ports")
        for list in lists {
            fixture.configuration.download.network = .unrestricted
            list(&fixture.configuration.download.network)
            for url in [file, upper] {
                await #expect(throws: refusal) { try await fixture.makeLoader().image(for: url) }
                await #expect(throws: refusal) { try await fixture.makeLoader().data(for: url) }
            }
            // They need no network.
            let data = "data:image/png;base64," + (try Pictures.png().base64EncodedString())
            _ = try await fixture.makeLoader().image(for: ImageRequest(data))
            // Whoever names the scheme means files.
            fixture.configuration.download.network.schemes = ["https", "FILE"]
            for url in [file, upper] { _ = try await fixture.makeLoader().image(for: url) }
        }
    }
}
