import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

@Suite(.timeLimit(.minutes(1))) struct ServerConfigurationTests {
    @Test func it_isTheDefault_butForWidthAndTransport() {
        let (server, plain) = (ImageLoader.Configuration.server, ImageLoader.Configuration())
        #expect(server.download.width == 32)
        #expect(server.download.hostWidth == plain.download.hostWidth)
        #expect(server.download.retry == plain.download.retry)
        #expect(server.disk == plain.disk && server.memory == plain.memory)
        #expect(plain.dataLoader == nil)
        #expect(hasCurl == (server.dataLoader != nil))
    }

    @Test func eachUse_makesATransportOfItsOwn() {
        let transports = (0..<2).map { _ in ImageLoader.Configuration.server.dataLoader as AnyObject? }
        #expect(!hasCurl || transports[0] !== transports[1])
    }

    @Test func aLoaderMadeOfIt_loads_manyAtOnce() async throws {
        let png = try Pictures.png()
        let server = try LoopbackServer()
        let temporary = try TemporaryDirectory()
        var configuration = ImageLoader.Configuration.server
        configuration.download.hostWidth = configuration.download.width
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

#if os(Linux) && Curl
private let hasCurl = true
#else
private let hasCurl = false
#endif
