import Foundation
import Nuke

struct NukePeer: Peer {
    private let pipeline: ImagePipeline
    private let uncached: ImagePipeline

    init() {
        let session = DataLoader.defaultConfiguration
        session.urlCache = nil
        var configuration = ImagePipeline.Configuration(dataLoader: DataLoader(configuration: session))
        configuration.imageCache = ImageCache()
        pipeline = ImagePipeline(configuration: configuration)
        configuration.imageCache = nil
        uncached = ImagePipeline(configuration: configuration)
    }

    func load(_ url: URL) async throws { _ = try await pipeline.image(for: url) }

    func isInMemory(_ url: URL) -> Bool { pipeline.cache[url] != nil }

    func reduce(_ file: URL, to pixels: Int) async throws {
        var request = ImageRequest(url: file)
        request.thumbnail = .init(maxPixelSize: .init(pixels))
        _ = try await uncached.image(for: request)
    }
}
