import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct ServerConfigurationTests {
    @Test func serverConfiguration_isDefault_exceptWhatItSays() {
        let (server, plain) = (ImageLoader.Configuration.server, ImageLoader.Configuration())
        #expect(server.download.maximumConcurrentDownloads == max(32, 16 * CoreCount.current))
        #expect(server.download.maximumConcurrentDownloadsPerHost == plain.download.maximumConcurrentDownloadsPerHost)
        #expect(server.download.retry == plain.download.retry && server.dataLoader == nil)
        #expect(server.disk?.contents == .originals && server.memory.maximumBytes == 64 << 20)
        #expect(server.download.network == .publicInternet && plain.download.network == .unrestricted)
        #expect(server.deadline == .seconds(30) && server.maximumConcurrentLoads == 1_000)
        #expect(plain.deadline == nil && plain.maximumConcurrentLoads == nil)
        #expect(!plain.decode.convertsToSRGB)
    }

    #if canImport(Darwin) || ColorProfiles && PNG
    /// A picture whose red is the screen's green.
    @Test(arguments: [true, false]) func serverLoader_convertsColors(isServer: Bool) async throws {
        var configuration = isServer ? ImageLoader.Configuration.server : ImageLoader.Configuration()
        configuration.disk = nil
        let loader = ImageLoader(configuration)
        let size = PixelSize(width: 4, height: 4)
        let picture = DecodedImage(
            bitmap: try Pictures.plain(4, 4, [255, 0, 0, 255]), format: .png, originalSize: size,
            profile: ICCFixture(colors: [ICCFixture.green, ICCFixture.red, ICCFixture.blue]).data)
        let request = ImageRequest(data: try PNGEncoder().encode(picture), id: "p3")
        let image = try await loader.image(for: request)
        #expect((image.profile == nil) == isServer)
        let file = try await loader.encoded(for: request, as: PNGEncoder())
        #expect((try ImageFormat.png.decoder().decode(file.data, DecodeRequest()).profile == nil) == isServer)
    }
    #endif

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
        configuration.download.maximumConcurrentDownloads = 32
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
