import Alcedo
import Foundation

/// The listings about the memory cache, one function for each.
enum Memory {
    static func thumbnail(_ url: URL) -> ImageRequest {
        // region: target-size
        var request = ImageRequest(url: url)
        request.targetSize = PixelSize(width: 200, height: 200)
        request.precision = .atLeast
        // endregion
        return request
    }

    static func store(
        _ picture: DecodedImage, _ bytes: Data, for url: URL, with loader: ImageLoader
    ) async throws(ImageLoaderError) {
        // region: store-by-hand
        try await loader.store(picture, for: ImageRequest(url: url))
        try await loader.store(bytes, for: ImageRequest(url: url))
        try await loader.store(picture, data: bytes, for: ImageRequest(url: url))
        // endregion
    }

    static func remove(_ url: URL, from loader: ImageLoader) async {
        // region: remove-from-memory
        await loader.remove(.tag("feed"))  // from memory and from disk
        await loader.removeFromMemory(.url(url))
        await loader.removeFromMemory(.prefix("https://example.org/avatars/"))
        await loader.removeFromMemory(.tag("feed"))
        await loader.removeFromMemory(.matching { $0.cost > 8 << 20 })
        await loader.removeFromMemory(.matching { $0.freshness?.isFresh(at: .now) == false })
        // endregion
    }

    static func settings() -> ImageLoader.Configuration {
        // region: memory-settings
        var configuration = ImageLoader.Configuration()
        configuration.memory.costLimit = 256 << 20  // bytes of decoded pictures
        configuration.memory.entryCostLimit = 64 << 20  // of one picture
        configuration.memory.timeToLive = .seconds(3_600)
        configuration.memory.watchesPressure = true
        // endregion
        return configuration
    }
}
