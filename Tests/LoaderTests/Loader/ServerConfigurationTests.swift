import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct ServerConfigurationTests {
    @Test func serverConfiguration_isDefault_exceptWidthNetworkAndFormats() {
        let (server, plain) = (ImageLoader.Configuration.server, ImageLoader.Configuration())
        #expect(server.download.maximumConcurrentDownloads == 32)
        #expect(server.download.maximumConcurrentDownloadsPerHost == plain.download.maximumConcurrentDownloadsPerHost)
        #expect(server.download.retry == plain.download.retry)
        #expect(server.disk == plain.disk && server.memory == plain.memory)
        #expect(server.dataLoader == nil)
        #expect(server.download.network == .publicInternet && plain.download.network == .unrestricted)
    }

    #if os(Linux) && AVIF
    @Test(arguments: [true, false]) func serverLoader_asksForNoAVIF(isServer: Bool) async throws {
        let transport = ScriptedDataLoader()
        var configuration = isServer ? ImageLoader.Configuration.server : ImageLoader.Configuration()
        configuration.download.network = .unrestricted
        (configuration.dataLoader, configuration.disk) = (transport, nil)
        let loader = ImageLoader(configuration)
        let task = loader.imageTask(for: ImageRequest(url: try .test()))
        let accept = try #require(try await transport.nextCall().request.headers["Accept"])
        #expect(accept.contains("image/jpeg,") && accept.contains("image/avif") != isServer)
        task.cancel()
    }
    #endif

    @Test(arguments: [nil] + RealTransport.all.filter(\.checksAddresses))
    func serverLoader_loadsManyAtOnce(transport: RealTransport?) async throws {
        let png = try Pictures.png()
        let server = try LoopbackServer()
        let temporary = try TemporaryDirectory()
        var configuration = ImageLoader.Configuration.server
        configuration.dataLoader = transport?.make(TransportSettings())
        configuration.download.maximumConcurrentDownloadsPerHost = configuration.download.maximumConcurrentDownloads
        configuration.download.network.allowedOrigins = [server.url("/").absoluteString]
        configuration.disk = .init(directory: temporary.url)
        let loader = ImageLoader(configuration)
        let tasks = (0..<64).map { loader.imageTask(for: ImageRequest(url: server.url("/\($0).png"))) }
        try await server.until { $0.activeRequests == 32 }
        for _ in tasks { (try await server.nextRequest()).reply(.bytes(png)) }
        for task in tasks { #expect(try await task.value.source == .network) }
        #expect(server.statistics.peakActiveRequests == 32)
        await loader.flush()
        #expect(try temporary.names(in: "entries").count >= 64)
    }
}
