import Alcedo
import Foundation

struct AlcedoPeer: Peer {
    private let loader: ImageLoader
    private let uncached: ImageLoader

    init() {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        loader = ImageLoader(configuration)
        configuration.memory.maximumBytes = 0
        uncached = ImageLoader(configuration)
    }

    func load(_ url: URL) async throws { _ = try await loader.image(for: url) }

    func isInMemory(_ url: URL) -> Bool { loader.cachedImage(for: url) != nil }

    func reduce(_ file: URL, to pixels: Int) async throws {
        var request = ImageRequest(url: file)
        request.targetSize = PixelSize(width: pixels, height: pixels)
        _ = try await uncached.image(for: request)
    }
}
