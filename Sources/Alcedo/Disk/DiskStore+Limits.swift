// Changing the limits, and evicting the entries that exceed them.

extension DiskStore {
    /// Changes the limits.
    ///
    /// Entries that exceed the new limits are evicted before this returns, or once the directory can be opened. They
    /// are evicted a few at a time, least recently used first, so that other calls aren't held up. Until the limits are
    /// met, each new entry evicts at least as much as it adds, so the total only falls.
    ///
    /// - Parameters:
    ///   - maximumBytes: See ``Settings/maximumBytes``.
    ///   - maximumEntryCount: See ``Settings/maximumEntryCount``.
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` for a negative limit; nothing changes in that case.
    public nonisolated func setLimits(maximumBytes: Int?, maximumEntryCount: Int?) async throws(ImageLoaderError) {
        var changed = settings
        changed.maximumBytes = maximumBytes
        changed.maximumEntryCount = maximumEntryCount
        try changed.validate()
        await applyLimits(maximumBytes, maximumEntryCount)
    }

    private func applyLimits(_ maximumBytes: Int?, _ maximumEntryCount: Int?) async {
        self.maximumBytes = maximumBytes
        self.maximumEntryCount = maximumEntryCount
        await opened()
        changeLimits()
        await limitsAreKept()
    }

    /// Changes ``Settings/timeToLive``.
    ///
    /// Entries that haven't been used for this long are no longer found from now on. Their files are removed like those
    /// of other expired entries.
    ///
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` for a negative time; nothing changes in that case.
    public nonisolated func setTimeToLive(_ time: Duration?) async throws(ImageLoaderError) {
        var changed = settings
        changed.timeToLive = time
        try changed.validate()
        await apply(changed.limits(bytes: 0).timeToLive)
    }

    private func apply(_ timeToLive: Int?) {
        work.setTimeToLive(timeToLive)
        var limits = index.limits
        limits.timeToLive = timeToLive
        index.change(limits, most: 0)
    }

    /// Called once the directory has been opened, which determines the default limit.
    func chooseLimits(freeBytes: Int) {
        defaultMaximumBytes = Settings.defaultMaximumBytes(free: freeBytes, held: index.totalBytes)
        changeLimits()
    }

    private func changeLimits() {
        var limits = index.limits
        limits.bytes = maximumBytes ?? defaultMaximumBytes ?? .max
        limits.count = maximumEntryCount ?? .max
        index.change(limits, most: 0)
        keepLimits()
    }

    /// Begins to evict the entries that exceed the limits.
    func keepLimits() {
        shrinking.begin(count: index.count)
        shrink()
    }

    /// Evicts the next slice of the entries that exceed the limits, once the one before has been evicted.
    func shrink() {
        guard shrinking.next > 0, orders.hasEnded(shrinking.order) else { return }
        let items = index.keepLimits(most: shrinking.next)
        tellEvicted(items)
        shrinking.evict(items.count, by: evict(items))
    }

    /// Waits until everything that exceeds the limits has been evicted.
    func limitsAreKept() async {
        while shrinking.next > 0 || !orders.hasEnded(shrinking.order) { await outcome(of: shrinking.order) }
    }
}
