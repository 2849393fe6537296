public import Alcedo

extension ImageLoader.Configuration {
    /// The configuration of the app's pipeline.
    public static func photos(disk: DiskStore.Settings = .init(name: "photos")) -> Self {
        var configuration = Self()
        // Configuration.withDataCache(name:sizeLimit:). A DataCache doesn't follow HTTP's rules: it never revalidates.
        configuration.disk = disk
        configuration.disk?.maximumBytes = 150 << 20
        configuration.readPolicy = .immutable
        // Configuration.dataCachePolicy = .automatic: processed images instead of their originals
        configuration.disk?.contents = .processed
        // ImageCache.costLimit, countLimit, ttl
        configuration.memory.maximumBytes = 100 << 20
        configuration.memory.maximumCount = 500
        configuration.memory.timeToLive = .seconds(600)
        // Configuration.dataLoadingQueue.maxConcurrentOperationCount
        configuration.download.maximumConcurrentDownloads = 6
        // ImagePipeline.Delegate.cacheKey(for:pipeline:)
        configuration.download.cacheKeys = .droppingQueryItems(["Expires", "Signature"])
        // Configuration.progressiveDecodingInterval
        configuration.previews.interval = .milliseconds(500)
        return configuration
    }
}
