/// What was asked of a disk store since it was made, and what it holds.
public struct DiskStatistics: Sendable, Hashable {
    /// Look-ups that found an entry.
    public internal(set) var hits = 0
    /// Look-ups that found no entry, or a damaged one.
    public internal(set) var misses = 0
    /// Entries written.
    public internal(set) var stores = 0
    /// Entries that couldn't be written; the reason was reported.
    public internal(set) var failures = 0
    /// Entries removed to keep a limit, or because the cache was trimmed.
    public internal(set) var evicted = 0
    /// Entries removed because they expired.
    public internal(set) var expired = 0
    /// Damaged files that were moved away.
    public internal(set) var damaged = 0
    /// Entries on disk, or on their way there.
    public internal(set) var entryCount = 0
    /// Bytes of their files, as allocated on disk.
    public internal(set) var byteCount = 0
    /// Bytes they may take.
    public internal(set) var maximumBytes = 0
}
