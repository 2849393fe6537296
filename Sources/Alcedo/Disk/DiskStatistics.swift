/// The operations of a disk store since its creation, and its current contents.
public struct DiskStatistics: Sendable, Hashable {
    /// The number of look-ups that found an entry.
    public internal(set) var hits = 0
    /// The number of look-ups that found no entry, or a damaged one.
    public internal(set) var misses = 0
    /// The number of entries written.
    public internal(set) var stores = 0
    /// The number of entries that couldn't be written; the reasons were reported.
    public internal(set) var failures = 0
    /// The number of entries removed to meet a limit, or because the cache was trimmed.
    public internal(set) var evicted = 0
    /// The number of entries removed because they expired.
    public internal(set) var expired = 0
    /// The number of damaged files that were moved away.
    public internal(set) var damaged = 0
    /// The number of entries on disk, including those being written.
    public internal(set) var entryCount = 0
    /// The number of bytes of the entries' files, as allocated on disk.
    public internal(set) var byteCount = 0
    /// The limit for ``byteCount``.
    public internal(set) var maximumBytes = 0
    /// The durations of look-ups that found an entry, including reading it.
    public internal(set) var reads = DurationHistogram()
}

extension DiskStore {
    /// The number of orders that the writer hasn't finished.
    var pendingWrites: Int { Int(orders.last - orders.lastEnded) }
}
