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

    static func remove(_ url: URL, from loader: ImageLoader) async throws(ImageLoaderError) {
        // region: remove-from-memory
        try await loader.remove(.tag("feed"))  // from memory and from disk
        await loader.memoryCache.remove(.url(url))
        await loader.memoryCache.remove(.prefix("https://example.org/avatars/"))
        await loader.memoryCache.remove(.tag("feed"))
        await loader.memoryCache.remove { $0.byteCount > 8 << 20 }
        await loader.memoryCache.remove { $0.freshness?.isFresh(at: .now) == false }
        // endregion
    }

    static func share(_ url: URL) async throws(ImageLoaderError) -> (ImageLoader, ImageLoader) {
        // region: share-owners
        let memory = MemoryCache()
        let downloads = DownloadCoordinator()
        let feed = ImageLoader(memoryCache: memory, downloads: downloads)
        let avatars = ImageLoader(memoryCache: memory, downloads: downloads)
        // endregion
        return (feed, avatars)
    }

    static func settings() -> ImageLoader.Configuration {
        // region: memory-settings
        var configuration = ImageLoader.Configuration()
        configuration.memory.maximumBytes = 256 << 20  // bytes of decoded images
        configuration.memory.maximumBytesPerImage = 64 << 20  // of one image
        configuration.memory.timeToLive = .seconds(3_600)
        configuration.memory.watchesMemoryPressure = true
        // endregion
        return configuration
    }
}
