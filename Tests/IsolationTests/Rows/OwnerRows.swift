#if canImport(ImageIO) || os(Linux) && JPEG && PNG
import Alcedo
import AlcedoTestSupport
import Foundation

/// The functions of a loader's owners: the caches and the downloads.
enum OwnerRows {
    static let all = memory + disk + downloads + prefetching

    private static let prefetching = [
        plain("ImagePrefetcher.progress") { loader, _, here in
            let prefetcher = ImagePrefetcher(loader)
            defer { here.note() }
            _ = await prefetcher.progress
        }
    ]

    private static let memory = [
        plain("MemoryCache.entries") { loader, _, here in
            defer { here.note() }
            _ = await loader.memoryCache.entries
        },
        plain("MemoryCache.store(_: DecodedImage, for: ImageKey, tags: Set<String>, timeToLive: Duration?)") {
            loader, request, here in
            guard let image = loader.cachedImage(for: request) else { return }
            defer { here.note() }
            await loader.memoryCache.store(image, for: loader.key(for: request))
        },
        plain("MemoryCache.remove(_: ImageKey)") { loader, request, here in
            defer { here.note() }
            await loader.memoryCache.remove(loader.key(for: request))
        },
        plain("MemoryCache.remove(_: CacheSelection)") { loader, _, here in
            defer { here.note() }
            await loader.memoryCache.remove(.all)
        },
        plain("MemoryCache.remove(where: @Sendable (CachedImage) -> Bool)") { loader, _, here in
            defer { here.note() }
            await loader.memoryCache.remove { _ in true }
        },
        plain("MemoryCache.removeAll()") { loader, _, here in
            defer { here.note() }
            await loader.memoryCache.removeAll()
        },
        plain("MemoryCache.trim(toFraction: Double)") { loader, _, here in
            defer { here.note() }
            await loader.memoryCache.trim(toFraction: 0)
        },
        plain("MemoryCache.trim(toBytes: Int)") { loader, _, here in
            defer { here.note() }
            await loader.memoryCache.trim(toBytes: 0)
        },
        checked("MemoryCache.change(to: Settings)") { loader, isValid, here in
            var settings = MemoryCache.Settings()
            settings.maximumCount = isValid ? 1 : -1
            defer { here.note() }
            try await loader.memoryCache.change(to: settings)
        },
    ]

    private static let disk = [
        plain("DiskStore.statistics") { loader, _, here in
            defer { here.note() }
            _ = await loader.diskCache?.statistics
        },
        plain("DiskStore.data(for: ImageKey)") { loader, request, here in
            defer { here.note() }
            _ = await loader.diskCache?.data(for: loader.key(for: request))
        },
        plain("DiskStore.contains(_: ImageKey)") { loader, request, here in
            defer { here.note() }
            _ = await loader.diskCache?.contains(loader.key(for: request))
        },
        plain("DiskStore.entry(for: ImageKey)") { loader, request, here in
            defer { here.note() }
            _ = await loader.diskCache?.entry(for: loader.key(for: request))
        },
        plain("DiskStore.digest(for: ImageKey)") { loader, request, here in
            defer { here.note() }
            _ = await loader.diskCache?.digest(for: loader.key(for: request))
        },
        plain("DiskStore.fileURL(for: ImageKey)") { loader, request, here in
            defer { here.note() }
            _ = await loader.diskCache?.fileURL(for: loader.key(for: request))
        },
        plain("DiskStore.entries(includingExpired: Bool)") { loader, _, here in
            defer { here.note() }
            _ = await loader.diskCache?.entries()
        },
        checked("DiskStore.store(_: Data, for: ImageKey, tags: Set<String>, timeToLive: Duration?)") {
            loader, isValid, here in
            guard let url = URL(string: "http://host.test/b.png") else { return }
            defer { here.note() }
            try await loader.diskCache?.store(Data(repeating: 1, count: isValid ? 1 : 0), for: ImageKey(url))
        },
        plain("DiskStore.remove(_: ImageKey)") { loader, request, here in
            defer { here.note() }
            await loader.diskCache?.remove(loader.key(for: request))
        },
        plain("DiskStore.remove(_: CacheSelection)") { loader, _, here in
            defer { here.note() }
            await loader.diskCache?.remove(.prefix("http://host.test/"))
        },
        plain("DiskStore.remove(where: @Sendable (DiskEntry) -> Bool)") { loader, _, here in
            defer { here.note() }
            await loader.diskCache?.remove { _ in true }
        },
        plain("DiskStore.removeAll()") { loader, _, here in
            defer { here.note() }
            await loader.diskCache?.removeAll()
        },
        plain("DiskStore.trim(toBytes: Int)") { loader, _, here in
            defer { here.note() }
            await loader.diskCache?.trim(toBytes: 0)
        },
        plain("DiskStore.verify()") { loader, _, here in
            defer { here.note() }
            _ = await loader.diskCache?.verify()
        },
        plain("DiskStore.flush()") { loader, _, here in
            defer { here.note() }
            await loader.diskCache?.flush()
        },
        checked("DiskStore.setLimits(maximumBytes: Int?, maximumEntryCount: Int?)") { loader, isValid, here in
            defer { here.note() }
            try await loader.diskCache?.setLimits(maximumBytes: isValid ? 1 << 20 : -1, maximumEntryCount: nil)
        },
        checked("DiskStore.setTimeToLive(_: Duration?)") { loader, isValid, here in
            defer { here.note() }
            try await loader.diskCache?.setTimeToLive(isValid ? nil : .seconds(-1))
        },
    ]

    private static let downloads = [
        plain("DownloadCoordinator.isLoading(_: ImageRequest)") { loader, request, here in
            defer { here.note() }
            _ = await loader.downloads.isLoading(request)
        },
        plain("DownloadCoordinator.cancelAll()") { loader, _, here in
            defer { here.note() }
            await loader.downloads.cancelAll()
        },
        plain("DownloadCoordinator.pause()") { loader, _, here in
            defer { here.note() }
            await loader.downloads.pause()
        },
        plain("DownloadCoordinator.resume()") { loader, _, here in
            defer { here.note() }
            await loader.downloads.resume()
        },
        checked("DownloadCoordinator.setMaximumConcurrentDownloads(_: Int)") { loader, isValid, here in
            defer { here.note() }
            try await loader.downloads.setMaximumConcurrentDownloads(isValid ? 1 : 0)
        },
        checked("DownloadCoordinator.setMaximumConcurrentDownloadsPerHost(_: Int)") { loader, isValid, here in
            defer { here.note() }
            try await loader.downloads.setMaximumConcurrentDownloadsPerHost(isValid ? 1 : 0)
        },
        checked("DownloadCoordinator.setMaximumConcurrentDownloads(_: Int?, forHostOf: URL)") {
            loader, isValid, here in
            guard let url = URL(string: "http://host.test/") else { return }
            defer { here.note() }
            try await loader.downloads.setMaximumConcurrentDownloads(isValid ? 1 : 0, forHostOf: url)
        },
        checked("DownloadCoordinator.setTimeouts(idle: Duration, total: Duration?)") { loader, isValid, here in
            defer { here.note() }
            try await loader.downloads.setTimeouts(idle: .seconds(isValid ? 15 : 0), total: nil)
        },
        plain("DownloadCoordinator.setOrder(_: DownloadOrder)") { loader, _, here in
            defer { here.note() }
            await loader.downloads.setOrder(.lastInFirstOut)
        },
        plain("DownloadCoordinator.statistics") { loader, _, here in
            defer { here.note() }
            _ = await loader.downloads.statistics
        },
        plain("DownloadCoordinator.forgetFailure(of: ImageRequest)") { loader, request, here in
            defer { here.note() }
            await loader.downloads.forgetFailure(of: request)
        },
        plain("DownloadCoordinator.forgetFailures()") { loader, _, here in
            defer { here.note() }
            await loader.downloads.forgetFailures()
        },
    ]

    /// A function that doesn't throw and that a cancellation doesn't end.
    static func plain(
        _ name: String, _ use: @escaping @Sendable (ImageLoader, ImageRequest, Resumption) async -> Void
    ) -> Row {
        let make: @Sendable (Scenario.Cancellation) async throws -> Scenario = { cancelled in
            let stage = try LoaderStage()
            try await stage.loader.store(stage.png, for: stage.request)
            return Scenario(.value, cancelled: cancelled) { await use(stage.loader, stage.request, $0) }
        }
        return Row(name, { try await make(.never) }, { try await make(.beforeTheCall) })
    }

    /// A function that throws only for an invalid argument and that a cancellation doesn't end.
    private static func checked(
        _ name: String, _ use: @escaping @Sendable (ImageLoader, _ isValid: Bool, Resumption) async throws -> Void
    ) -> Row {
        let make: @Sendable (Bool, Scenario.Cancellation) throws -> Scenario = { isValid, cancelled in
            let stage = try LoaderStage()
            return Scenario(isValid ? .value : .error, cancelled: cancelled) {
                try await use(stage.loader, isValid, $0)
            }
        }
        return Row(
            name, { try make(true, .never) }, { try make(true, .beforeTheCall) }, { try make(false, .never) })
    }
}
#endif
