import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

/// A loader over a scripted transport, with an empty disk cache.
struct LoaderStage: Sendable {
    /// The store that new stages have in place of the disk cache.
    @TaskLocal static var store: (any ImageStore)?

    private let temporary: TemporaryDirectory
    let transport: ScriptedDataLoader
    let loader: ImageLoader
    let url: URL
    let png: Data
    var request: ImageRequest { ImageRequest(url: url) }

    init(
        _ transport: ScriptedDataLoader = ScriptedDataLoader(),
        _ change: (inout ImageLoader.Configuration) -> Void = { _ in }
    ) throws {
        temporary = try TemporaryDirectory(isInMemory: true)
        self.transport = transport
        var configuration = ImageLoader.Configuration()
        if Self.store == nil { configuration.disk = .init(directory: temporary.url.appendingPathComponent("cache")) }
        configuration.dataLoader = transport
        configuration.download.retry = .none
        configuration.download.failureLifetimes = .none
        change(&configuration)
        if let store = Self.store, configuration.disk != nil {
            loader = ImageLoader(configuration, store: try StoredTier(store))
        } else {
            loader = ImageLoader(configuration)
        }
        url = try #require(URL(string: "http://host.test/a.png"))
        png = try Pictures.png()
    }

    /// Answers the next call with the image.
    func respond() async throws {
        let call = try await transport.nextCall()
        call.respond(expectedBytes: png.count)
        call.send(png)
        call.finish()
    }

    /// Makes the next call fail.
    func fail() async throws { try await transport.nextCall().fail(.timedOut(.idle)) }
}
