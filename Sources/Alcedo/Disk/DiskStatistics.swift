/// What was asked of the disk cache since it was made, and what it holds.
public struct DiskStatistics: Sendable, Hashable {
    /// Look-ups that found an entry.
    public internal(set) var hits = 0
    /// Look-ups that found none, or no whole one.
    public internal(set) var misses = 0
    /// Entries that were written.
    public internal(set) var stores = 0
    /// Entries that were not written, and why was reported.
    public internal(set) var failures = 0
    /// Entries that left to keep a limit, or as the cache was trimmed.
    public internal(set) var evicted = 0
    /// Entries that left as their time was over.
    public internal(set) var expired = 0
    /// Files that were no whole entries and were moved away.
    public internal(set) var damaged = 0
    /// Entries on disk, or on their way there.
    public internal(set) var entryCount = 0
    /// Bytes of their files, as they are allocated on disk.
    public internal(set) var byteCount = 0
    /// Bytes that they may take.
    public internal(set) var byteLimit = 0
}
