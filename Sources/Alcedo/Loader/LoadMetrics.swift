/// A snapshot of the counters of a loader; see ``ImageLoader/metrics``.
///
/// Counters only grow, so the difference between two snapshots is the work done in between. Statistics of caches and
/// download coordinators are for all loaders that share them.
public struct LoadMetrics: Sendable, Hashable {
    /// The statistics of the memory cache.
    public let memory: MemoryStatistics
    /// The statistics of the disk cache; nil if there is none.
    public let disk: DiskStatistics?
    /// The statistics of the downloads.
    public let downloads: DownloadStatistics
    /// The statistics of decoding and processing by this loader.
    public let decoding: DecodeStatistics
    /// The number of this loader's callers that shared a load that another caller had started.
    public let coalescedLoads: Int
}

extension ImageLoader {
    /// A snapshot of the counters and histograms of the loader, its caches and its downloads, to export to a monitoring
    /// system.
    ///
    /// Waits for a turn on the download coordinator and the disk cache. The first snapshot waits until the disk cache's
    /// directory has been read.
    public var metrics: LoadMetrics {
        get async {
            LoadMetrics(
                memory: memoryCache.statistics, disk: await diskCache?.statistics,
                downloads: await downloads.statistics, decoding: path.decoding.statistics,
                coalescedLoads: await coalescedLoadCount)
        }
    }
}
