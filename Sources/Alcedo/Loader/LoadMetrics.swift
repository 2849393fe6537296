/// A snapshot of the work of a loader and its owners; see ``ImageLoader/metrics``.
///
/// Counters only grow, so the difference of two snapshots is the work between them. Owners that are shared count
/// for all their loaders.
public struct LoadMetrics: Sendable, Hashable {
    /// The memory cache.
    public let memory: MemoryStatistics
    /// The disk cache; nil if there is none.
    public let disk: DiskStatistics?
    /// The downloads.
    public let downloads: DownloadStatistics
    /// Decoding and processing by this loader.
    public let decoding: DecodeStatistics
    /// Callers of this loader that shared the load of an image that another caller had started.
    public let coalescedLoads: Int
}

extension ImageLoader {
    /// A snapshot of the counters and histograms of the loader and its owners, to be exported where one likes.
    ///
    /// Takes a turn of each owner. The first snapshot waits until the disk cache's directory has been read.
    public var metrics: LoadMetrics {
        get async {
            LoadMetrics(
                memory: memoryCache.statistics, disk: await diskCache?.statistics,
                downloads: await downloads.statistics, decoding: path.decoding.statistics,
                coalescedLoads: await coalescedLoadCount)
        }
    }
}
