extension DiskStore {
    /// What a disk store does on its own.
    @nonexhaustive
    public enum Event: Sendable {
        /// Entries were removed to keep the limits.
        case evicted([RemovedEntry])
        /// Entries were removed because they expired.
        case expired([RemovedEntry])
        /// Something couldn't be done; the store continues, and the affected entry is a miss.
        case failed(CacheFailure)
    }
}
