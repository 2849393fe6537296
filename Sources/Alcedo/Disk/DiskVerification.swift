/// What ``DiskStore/verify()`` found.
public struct DiskVerification: Sendable, Hashable {
    /// Entries whose bytes match their checksums.
    public internal(set) var wholeCount = 0
    /// Damaged entries. They were reported, and are no longer in the cache.
    public internal(set) var damaged: [RemovedEntry] = []
}
