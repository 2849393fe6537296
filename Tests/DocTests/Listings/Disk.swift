import Alcedo
import Foundation

/// The listings about the disk cache, one function for each.
enum Disk {
    static func settings() -> ImageLoader.Configuration {
        // region: disk-settings
        var configuration = ImageLoader.Configuration()
        configuration.disk = .init(name: "avatars")  // a directory of its own
        configuration.disk?.maximumBytes = 200 << 20  // bytes on disk
        configuration.disk?.timeToLive = .seconds(30 * 86_400)  // since the last use
        configuration.disk?.minimumFreeBytes = 500 << 20  // bytes that stay free on the volume
        configuration.disk?.contents = .both
        // endregion
        return configuration
    }

    static func onServers(_ folder: URL) -> ImageLoader {
        // region: on-servers
        var configuration = ImageLoader.Configuration.server
        configuration.disk?.directory = folder  // the same in all processes of the machine
        // The proxy:
        configuration.download.network.allowedOrigins = ["http://pictures.internal"]
        let loader = ImageLoader(configuration)  // one for the process
        // endregion
        return loader
    }

    static func look(
        _ url: URL, with loader: ImageLoader
    ) async -> (isThere: Bool, entry: DiskEntry?, statistics: DiskStatistics?) {
        // region: look-on-disk
        let isThere = await loader.contains(ImageRequest(url: url))
        let entry = await loader.diskCache?.entry(for: loader.key(for: url))
        let statistics = await loader.diskCache?.statistics
        // endregion
        return (isThere, entry, statistics)
    }

    static func remove(_ url: URL, from loader: ImageLoader) async {
        // region: remove-from-disk
        await loader.diskCache?.remove(.url(url))
        await loader.diskCache?.remove(.prefix("https://example.org/avatars/"))
        await loader.diskCache?.remove(.tag("feed"))
        await loader.diskCache?.remove { $0.byteCount > 8 << 20 }
        await loader.diskCache?.trim(toBytes: 100 << 20)
        // endregion
    }

    static func makeBundle(_ folder: URL, of pictures: [URL: Data]) async throws {
        // region: make-bundle
        var configuration = ImageLoader.Configuration()
        configuration.disk = .init(directory: folder)
        configuration.disk?.maximumBytes = .max  // nothing is evicted
        let maker = ImageLoader(configuration)
        for (url, bytes) in pictures {
            try await maker.store(bytes, for: ImageRequest(url: url), in: .disk)
        }
        await maker.flush()
        // endregion
    }

    static func standalone(_ url: URL, _ bytes: Data) async throws(ImageLoaderError) -> Data? {
        // region: store-alone
        let store = try DiskStore(DiskStore.Settings(name: "posters"))
        let key = ImageKey(url)
        try await store.store(bytes, for: key, tags: ["film"], timeToLive: .seconds(86_400))
        let found = await store.data(for: key)
        await store.flush()
        // endregion
        return found
    }

    static func useBundle(_ folder: URL, in configuration: inout ImageLoader.Configuration) {
        // region: use-bundle
        configuration.disk?.bundledDirectories = [folder]
        // endregion
    }
}
