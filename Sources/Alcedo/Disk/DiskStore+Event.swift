extension DiskStore {
    /// An event in the work of a disk store.
    @nonexhaustive
    public enum Event: Sendable {
        /// Entries were removed to meet the limits.
        case evicted([RemovedEntry])
        /// Entries were removed because they expired.
        case expired([RemovedEntry])
        /// An operation failed; the store continues, and the affected entry is a miss.
        case failed(CacheFailure)
    }
}
