import Alcedo
import Foundation

/// The listings about the disk cache, one function for each.
enum Disk {
    static func settings() -> ImageLoader.Configuration {
        // region: disk-settings
        var configuration = ImageLoader.Configuration()
        configuration.disk = .init(name: "avatars")  // a directory of its own, beside the default one
        configuration.disk?.byteLimit = 200 << 20  // bytes on disk
        configuration.disk?.timeToLive = .seconds(30 * 86_400)  // since the last use
        configuration.disk?.freeSpaceFloor = 500 << 20  // bytes that stay free on the volume
        configuration.disk?.contents = .both
        // endregion
        return configuration
    }

    static func look(
        _ url: URL, with loader: ImageLoader
    ) async -> (isThere: Bool, entry: DiskEntry?, statistics: DiskStatistics) {
        // region: look-on-disk
        let isThere = await loader.contains(ImageRequest(url: url))
        let entry = await loader.diskEntry(for: ImageRequest(url: url))
        let statistics = await loader.diskStatistics
        // endregion
        return (isThere, entry, statistics)
    }

    static func remove(_ url: URL, from loader: ImageLoader) async {
        // region: remove-from-disk
        await loader.removeFromDisk(.url(url))
        await loader.removeFromDisk(.prefix("https://example.org/avatars/"))
        await loader.removeFromDisk(.tag("feed"))
        await loader.removeFromDisk(.matching { $0.byteCount > 8 << 20 })
        await loader.trimDisk(toBytes: 100 << 20)
        // endregion
    }

    static func makeBundle(_ folder: URL, of pictures: [URL: Data]) async throws {
        // region: make-bundle
        var configuration = ImageLoader.Configuration()
        configuration.disk = .init(directory: folder)
        configuration.disk?.byteLimit = .max  // all of them stay
        let maker = ImageLoader(configuration)
        for (url, bytes) in pictures { try await maker.store(bytes, for: ImageRequest(url: url), in: .disk) }
        await maker.flush()
        // endregion
    }

    static func useBundle(_ folder: URL, in configuration: inout ImageLoader.Configuration) {
        // region: use-bundle
        configuration.disk?.bundledDirectories = [folder]
        // endregion
    }
}
