import Alcedo
import Foundation

/// The listings about owners that are used alone or shared, one function for each.
enum Owners {
    static func memory() -> ImageLoader {
        // region: memory-owner
        let cache = MemoryCache()
        let loader = ImageLoader(memoryCache: cache)
        // endregion
        return loader
    }

    static func disk(_ url: URL) async -> Data? {
        // region: disk-owner
        let store = DiskStore()
        let bytes = await store.data(for: ImageKey(url))
        // endregion
        return bytes
    }

    static func downloads(_ url: URL) async throws(ImageLoaderError) -> Data {
        // region: download-owner
        let downloads = DownloadCoordinator()
        let bytes = try await downloads.data(for: ImageRequest(url: url))
        // endregion
        return bytes
    }
}

// region: own-format
extension ImageFormat {
    static let qoi = ImageFormat(rawValue: "qoi", mediaTypes: ["image/qoi"])
}
// endregion
