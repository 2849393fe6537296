/// The result of ``DiskStore/verify()``.
public struct DiskVerification: Sendable, Hashable {
    /// The number of entries whose bytes match their checksums.
    public internal(set) var wholeCount = 0
    /// The damaged entries.
    ///
    /// They were reported, and are no longer in the cache.
    public internal(set) var damaged: [RemovedEntry] = []
}
