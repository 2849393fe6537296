import Foundation

// The orders to the store's writer, their outcomes, and periodic work.

extension DiskStore {
    // MARK: Orders

    /// Submits a job to the writer. Returns the number of the order.
    @discardableResult
    func submit(
        _ job: @escaping @Sendable (DiskWork, inout IndexFile.Changes) -> DiskOutcome.Effect
    ) -> UInt64 {
        let order = index.makeOrder()
        orders.last = order
        batch = nil
        writer.submit { [work, outcomes] in
            var changes = IndexFile.Changes()
            let effect = job(work, &changes)
            let outcome = DiskOutcome(order: order, changes: changes, effect: effect, isLong: work.index.isLong)
            if outcomes.post(outcome) { Task { await self.collect() } }
        }
        return order
    }

    /// Waits until an order has been carried out.
    func outcome(of order: UInt64) async {
        if orders.hasEnded(order) { return }
        collect()
        if orders.hasEnded(order) { return }
        await withCheckedContinuation { orders.waiters.append((order, $0)) }
    }

    /// Waits until everything ordered so far has been carried out, including reading the directory, which may follow
    /// from it.
    func ordersEnd() async {
        for _ in 0..<2 { await outcome(of: orders.last) }
    }

    /// Takes the outcomes that the writer has posted.
    private func collect() {
        var ended = Array(outcomes.take().reversed())
        // If this weren't the only reference to an outcome, an index in it would be copied when changed.
        while var outcome = ended.popLast() {
            take(&outcome)
            orders.lastEnded = outcome.order
            shrink()
        }
        orders.resumeWaiters()
    }

    private func take(_ outcome: inout DiskOutcome) {
        neighbors.read(at: now)
        // The changes contain what other stores did to an entry after this order changed it, and nothing from before.
        let settled = index.settle(order: outcome.order)
        takeIn(&outcome, settled)
        switch outcome.effect {
        case .opened(let result): opened(result, &outcome)
        case .wrote(let results): for (writing, result) in results { wrote(writing, result) }
        case .updated(let name, let old, let plan, let result): updated(name, old, plan, result)
        case .removed(let leftovers): keep(leftovers)
        case .discarded(let leftovers):
            keep(leftovers)
            deleteDiscarded()
        case .synchronized(let failed): failed.forEach(isUnsynchronized)
        case .done: break
        }
        // Only one snapshot is written at a time, because each holds a copy of the index.
        if outcome.isLong, index.isComplete, !orders.isCompacting { compact() }
    }

    /// Applies the changes of other stores.
    ///
    /// - Parameter settled: The names settled by the order.
    private func takeIn(_ outcome: inout DiskOutcome, _ settled: [EntryName]) {
        // This isn't needed before the directory has been opened, because opening it reads everything again.
        guard !outcome.changes.isEmpty, opening == .done, !index.isOutdated(outcome.order) else { return }
        if outcome.changes.areExternal { neighbors.arePresent = true }
        if let all = outcome.changes.takeAll() {
            adopt(all, by: outcome.order)
        } else {
            let now = now
            for record in outcome.changes.records { index.apply(record, at: now) }
            index.putOwnLast(settled: settled)
        }
        keepLimits()
    }

    private func adopt(_ all: consuming DiskIndex, by order: UInt64) {
        _ = index.adopt(&all, by: order, most: 0)
        // Freeing the memory of many entries takes a while.
        let former = all
        maintenance.submit { _ = former }
    }

    // MARK: Opening

    /// Reads the directory once, or again if that failed. Look-ups don't wait for this, because an entry is found by
    /// the name of its file.
    func open() {
        guard opening == .closed else { return }
        opening = .underWay
        submit { work, changes in .opened(Result { () throws(FileError) in try work.open(&changes) }) }
    }

    private func opened(_ result: Result<Int, FileError>, _ outcome: inout DiskOutcome) {
        let waiting = index.isComplete ? [] : staged.names
        switch result {
        case .success(let freeBytes):
            opening = .done
            if let all = outcome.changes.takeAll() { adopt(all, by: outcome.order) }
            for name in earlyUses { index.recordUse(of: name, at: now) }
            earlyUses = []
            chooseLimits(freeBytes: freeBytes)
            if index.takeCorrections() { compact() }
            waiting.forEach { write($0) }
            deleteDiscarded()
            if index.unreadCount > 0 { Task { [weak self] in await self?.readUnread() } }
            planUpkeep()
        case .failure(let error):
            opening = .closed
            work.onFailure(CacheFailure(.open, error))
            // Waiting for a directory that may never open would hold these bodies in memory forever.
            waiting.forEach { staged.remove($0) }
        }
    }

    /// Compares the index with the directory, and removes expired entries.
    package func sweep() async {
        await opened()
        let order = submit { work, changes in
            work.reporting(.open) { () throws(FileError) in try work.recount(&changes) }
            return .done
        }
        await outcome(of: order)
        expire(index.expire(at: now))
    }

    /// Reads the ends of files that are known only by name, because the index file was lost. Files that can't be read
    /// are tried again next time.
    package func readUnread() async {
        let all = index.unread
        for start in stride(from: 0, to: all.count, by: 512) {
            let part = all[start..<min(start + 512, all.count)]
            let tails = await maintenance.run { [work] in part.map { ($0, work.readTail($0.name)) } }
            var files: [(EntryName, FileStatus)] = []
            for ((name, version), tail) in tails {
                switch tail {
                case .success((let tail, let file)):
                    files.append((name, file))
                    let tags = EntryMetadata(tail.metadata)?.hashes ?? []
                    let expires = tail.expires.map { UInt32(clamping: $0) } ?? 0
                    index.learn(name, version, expires: expires, tags: tags)
                case .failure(.file(let error)) where error.isNotFound: index.forget(name, version: version)
                case .failure(.file(let error)): work.onFailure(CacheFailure(.read, error))
                // The next look-up of this entry will handle the defect.
                case .failure: index.learn(name, version, expires: 0, tags: [])
                }
            }
            tell(
                files.compactMap { name, file in
                    index.entry(name).map { DiskWork.Learned(name: name, entry: $0, file: file) }
                })
        }
    }

    // MARK: Removing files

    /// Removes the files of entries that have left the index. Returns the latest order that removes files.
    ///
    /// - Parameter moment: When the entries expired; nil if they are removed for another reason.
    @discardableResult
    func evict(_ items: [DiskIndex.Item], expiredAt moment: UInt32? = nil) -> UInt64 {
        for start in stride(from: 0, to: items.count, by: 64) {
            let part = Array(items[start..<min(start + 64, items.count)])
            index.postpone(part)
            lastEviction = submit { work, changes in
                .removed(leftovers: work.remove(part, &changes, expiredAt: moment))
            }
        }
        return lastEviction
    }

    func tellEvicted(_ items: [DiskIndex.Item]) {
        counts.evicted += items.count
        if let report, !items.isEmpty { report(.evicted(items.map(RemovedEntry.init))) }
    }

    /// Removes expired entries.
    func expire(_ items: [DiskIndex.Item]) {
        counts.expired += items.count
        if let report, !items.isEmpty { report(.expired(items.map(RemovedEntry.init))) }
        evict(items, expiredAt: now)
    }

    /// Removes an entry whose bytes can't be used. Unlike after a removal, work that began earlier may still store new
    /// bytes.
    package func discard(_ key: StoredKey) { remove([key.name]) }

    /// Reports a damaged entry as a failure to read it.
    func report(_ defect: EntryFile.Defect, of name: EntryName) {
        work.onFailure(CacheFailure(operation: .read, path: work.path(of: name), reason: defect.reason))
    }

    func discard(_ name: EntryName) {
        let item = index.item(of: name)
        index.remove(name)
        submit { work, changes in .discarded(leftovers: work.discard(item, &changes)) }
    }

    /// Continues to count files that couldn't be removed.
    func keep(_ leftovers: [DiskIndex.Item]) {
        for item in leftovers { index.keepLeftover(item, at: now) }
        // The next store to open the directory must know that look-ups don't find them.
        let found = leftovers.compactMap { item in
            index.entry(item.name).map { DiskWork.Learned(name: item.name, entry: $0) }
        }
        if !found.isEmpty { tell(found) }
    }

    private func deleteDiscarded() {
        maintenance.submit { [work] in work.deleteDiscarded() }
    }

    // MARK: The index file

    /// Records when entries were used, and reads what other stores have done.
    func tell(uses: [IndexRecord]) {
        submit { work, changes in
            work.reporting(.write) { () throws(FileError) in try work.tell(uses: uses, &changes) }
            return .done
        }
    }

    /// Records what was learned about entries.
    func tell(_ learned: [DiskWork.Learned]) {
        submit { work, changes in
            work.reporting(.write) { () throws(FileError) in try work.tell(learned, &changes) }
            return .done
        }
    }

    /// Records when entries were used. Rewrites the whole index file if times were corrected because the clock was set
    /// back.
    ///
    /// - Parameter isNews: Whether to read what other stores have done even if there is nothing to record.
    func tellUses(isNews: Bool = false) {
        let uses = index.takeUses()
        if opening == .done, index.takeCorrections() {
            compact()
        } else if isNews || !uses.isEmpty {
            tell(uses: uses)
        }
    }

    private func compact() {
        orders.lastCompaction = submit { work, changes in
            work.reporting(.write) { () throws(FileError) in try work.compact(&changes) }
            return .done
        }
    }

    // MARK: Periodic work

    /// While the store is in use, updates its index file every second, and reads what other stores have done. The first
    /// time, it reads the index file if nothing else has.
    func planUpkeep() {
        guard upkeep == nil else { return }
        upkeep = Task { [weak self, time] in
            if await time.sleep(for: .seconds(1)) { await self?.keepUp() }
        }
    }

    private func keepUp() {
        upkeep = nil
        guard index.isComplete, opening == .done else { return open() }
        let expired = index.expire(at: now, most: 512)
        expire(expired)
        tellUses(isNews: true)
        if expired.count == 512 { planUpkeep() }
    }
}
