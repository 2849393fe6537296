import Foundation
import Synchronization

// Describing and removing entries.

extension DiskStore {
    /// The store's operations since its creation, and its current contents.
    ///
    /// Waits until the directory has been read.
    public var statistics: DiskStatistics {
        get async {
            await opened()
            var statistics = counts
            statistics.hits = hits.load(ordering: .relaxed)
            statistics.misses = misses.load(ordering: .relaxed)
            statistics.reads = reads.withLock { $0 }
            statistics.entryCount = index.count
            statistics.byteCount = index.totalBytes
            statistics.maximumBytes = index.limits.bytes
            return statistics
        }
    }

    /// Waits until the directory has been read, or reading it has failed.
    func opened() async {
        open()
        await outcome(of: orders.last)
    }

    /// Waits until the directory has been read and everything that other stores have done so far is known.
    func caughtUp() async {
        await opened()
        tell(uses: [])
        await ordersEnd()
    }

    /// Waits until the directory has been read, or reading it has failed. If it had been read before, waits until what
    /// other stores have done is known. Returns immediately when the calling Task is cancelled.
    func catchUp() async {
        let end = Promise<Void>()
        Task {
            if opening == .done { await caughtUp() } else { await opened() }
            end.end(())
        }
        await end.value { end.end(()) }
    }

    /// Whether an entry is stored under `key`, as far as can be determined without reading its bytes. Doesn't count as
    /// a use.
    package func contains(_ key: StoredKey) async -> Bool {
        if staged.body(of: key) != nil { return true }
        await opened()
        if staged.body(of: key) != nil { return true }
        if presence(of: key.name) != .absent, await info(key.name) != nil { return true }
        guard !settings.bundledDirectories.isEmpty else { return false }
        return await readers.run { [work, seconds = time.secondsSince1970()] in work.isBundled(key, now: seconds) }
    }

    /// Describes the entry of `key`; nil if there is none. Waits until the entry is on disk. Doesn't count as a use.
    package func info(of key: StoredKey) async -> DiskEntry? {
        await written()
        guard presence(of: key.name) != .absent else { return nil }
        return await info(key.name)
    }

    private func info(_ name: EntryName) async -> DiskEntry? {
        // Runs on the readers, because maintenance work may take a long time.
        guard let found = await readers.run({ [work] in work.info(name) }) else { return nil }
        return described(found, name)
    }

    private func described(_ info: DiskEntry, _ name: EntryName) -> DiskEntry {
        var info = info
        if let entry = index.entry(name) {
            info.lastUsedAt = Date(timeIntervalSince1970: TimeInterval(entry.lastUse))
        }
        return info
    }

    /// Passes all entries to `body` in batches, least recently used first. Reads the end of each file.
    ///
    /// - Parameter includingExpired: Whether to include expired entries whose files still exist.
    package func forEachEntry(includingExpired: Bool = false, _ body: ([DiskEntry]) -> Void) async {
        let moment = includingExpired ? Self.beforeAll : now
        await describe(includingExpired: includingExpired) { part in
            body(
                part.compactMap { name, info in
                    guard let info, index.presence(of: name, at: moment) != .absent else { return nil }
                    return described(info, name)
                })
        }
    }

    /// Like ``forEachEntry(includingExpired:_:)``, with nil for each entry whose file couldn't be read.
    private func describe(includingExpired: Bool, _ body: ([(EntryName, DiskEntry?)]) -> Void) async {
        await written()
        // An entry's expiry isn't known until its file has been read.
        await readUnread()
        let names = index.names(at: includingExpired ? Self.beforeAll : now)
        for start in stride(from: 0, to: names.count, by: 256) {
            let part = names[start..<min(start + 256, names.count)]
            body(await maintenance.run { [work] in part.map { ($0, work.info($0)) } })
        }
    }

    /// A time at which nothing has expired yet.
    static var beforeAll: UInt32 { 0 }

    /// Removes the selected entries and returns them.
    ///
    /// They are gone from the disk on return. A load that began earlier can't store its result in this store. Loads in
    /// other processes that use the same directory aren't known here, and still store their results.
    @discardableResult
    public func remove(_ selection: CacheSelection) async -> [RemovedEntry] { await remove(selection, by: nil) }

    /// - Parameter keys: Makes the keys of URLs; nil if each URL is its own key.
    @discardableResult
    func remove(_ selection: CacheSelection, by keys: CacheKeyPolicy?) async -> [RemovedEntry] {
        await caughtUp()
        switch selection {
        case .expired:
            await readUnread()
            let removed = await removeInParts(expiredAt: now) { $0.expire(at: $1, most: $2) }
            counts.expired += removed.count
            return removed
        case .all:
            let removed = index.names(at: Self.beforeAll).map { RemovedEntry(index.item(of: $0)) }
            await removeAll()
            // The entries have left the directory already; this deletes their files.
            await maintenance.run { [work] in work.deleteDiscarded() }
            return removed
        case .url(let url):
            let source = Self.source(of: url, by: keys)
            return await remove { _ in index.names(ofSource: EntryName.digest(ofSource: source)) }
        case .tag(let tag):
            await readUnread()
            return await remove { _ in index.names(withTag: tag) }
        case .prefix(let prefix):
            let prefix = ParsedURL.normalPrefix(prefix).splitUserInfo.text
            return await removeAll { $0.url.hasPrefix(prefix) }
        }
    }

    /// The text that identifies the entries of a URL.
    ///
    /// - Parameter keys: Makes the keys of URLs; nil if each URL is its own key.
    static func source(of url: URL, by keys: CacheKeyPolicy? = nil) -> String {
        ResourceKey(ImageRequest(url: url), in: KeyScope(keys: keys)).text.splitUserInfo.text
    }

    /// Removes all entries of a source, whatever else selects their bytes.
    package func remove(source: String) async {
        await caughtUp()
        _ = await remove { _ in index.names(ofSource: EntryName.digest(ofSource: source)) }
    }

    func removeAll(where matches: @Sendable (DiskEntry) -> Bool) async -> [RemovedEntry] {
        removals.recordAll()
        let chosen = await names(where: matches)
        // Versions aren't compared, because an entry may have been renewed. If it was replaced instead, removing it
        // costs a download.
        return await remove { index in
            chosen.filter { index.presence(of: $0, at: Self.beforeAll) != .absent }
        }
    }

    /// The matching entries, and entries that can't be read now, because these may match and become readable later.
    func names(where matches: @Sendable (DiskEntry) -> Bool) async -> [EntryName] {
        var chosen: [EntryName] = []
        await describe(includingExpired: true) { part in
            chosen += part.filter { $0.1.map(matches) ?? true }.map { $0.0 }
        }
        return chosen
    }

    private func remove(_ choose: (DiskIndex) -> [EntryName]) async -> [RemovedEntry] {
        removals.recordAll()
        let names = choose(index)
        let items = names.map { index.item(of: $0) }
        await outcome(of: remove(names))
        return items.map(RemovedEntry.init)
    }

    /// Evicts entries, least recently used first, until the remaining files take at most `bytes` bytes, and returns the
    /// evicted entries.
    ///
    /// The limits don't change.
    ///
    /// - Parameter bytes: 0 (or less) evicts all entries.
    @discardableResult
    public func trim(toBytes bytes: Int) async -> [RemovedEntry] {
        await caughtUp()
        let removed = await removeInParts { index, _, most in index.trim(toBytes: bytes, most: most) }
        counts.evicted += removed.count
        return removed
    }

    /// Removes entries in batches, so that look-ups and writes can run in between.
    private func removeInParts(
        expiredAt moment: UInt32? = nil, _ choose: (inout DiskIndex, UInt32, _ most: Int) -> [DiskIndex.Item]
    ) async -> [RemovedEntry] {
        var removed: [RemovedEntry] = []
        // Files that can't be removed stay in the index, and aren't tried again.
        var rest = index.count
        while rest > 0 {
            let items = choose(&index, now, min(rest, 256))
            if items.isEmpty { break }
            rest -= items.count
            for item in items { staged.remove(item.name) }
            removed += items.map(RemovedEntry.init)
            await outcome(of: evict(items, expiredAt: moment))
        }
        return removed
    }

    /// Reads all entries and compares them with their checksums.
    ///
    /// Damaged entries are reported as ``Event/failed(_:)`` and removed.
    public func verify() async -> DiskVerification {
        await written()
        var result = DiskVerification()
        for name in index.names(at: now) {
            let presence = index.presence(of: name, at: now)
            let item = index.item(of: name)
            let defect = await maintenance.run { [work, settings] in
                work.defect(of: name, byteLimit: settings.fileByteLimit)
            }
            guard let defect else {
                result.wholeCount += 1
                continue
            }
            if case .entry(.otherKey) = defect {
                // No look-up would ever find it under this name.
                counts.damaged += 1
                report(.otherKey, of: name)
                if index.presence(of: name, at: now) == presence { discard(name) }
            } else {
                handle(defect, of: name, presence)
            }
            if case .entry = defect { result.damaged.append(RemovedEntry(item)) }
        }
        await outcome(of: orders.last)
        if !result.damaged.isEmpty { await maintenance.run { [work] in work.deleteDiscarded() } }
        return result
    }

    // MARK: Metadata

    /// Replaces an entry's metadata without writing its bytes again. Does nothing if there is no entry.
    ///
    /// - Parameters:
    ///   - expires: In seconds since 1970; nil applies the store's time to live.
    ///   - version: The version that the entry must have; nil for any.
    package func update(
        _ metadata: EntryMetadata, for key: StoredKey, expires: Int64? = nil, version: UInt64? = nil
    ) async {
        await opened()
        if let body = staged.body(of: key) {
            if let version, body.metadata?.response?.version != version { return }
            return store(body.content, metadata, for: key, expires: expires, begun: ticket())
        }
        let encoded = metadata.encoded
        guard case .present = index.presence(of: key.name, at: now), let old = index.entry(key.name),
            encoded.count + key.text.utf8.count <= EntryFile.tailByteLimit
        else { return }
        let added = DiskWork.allocated(encoded.count + key.text.utf8.count + EntryFile.trailerLength)
        let bytes = Int(old.units) * DiskEntries.unit + added
        guard index.hasRoom(for: bytes),
            let plan = insert(key.name, bytes: bytes, expires: expires, tags: metadata.hashes)
        else { return refuse(key.name, bytes: bytes) }
        staged.remove(key.name)
        if let version {
            let renewed = StoredMetadata(key, encoded, expires: expires)
            renewals.begin(key.name, version, renewed, plan.version)
        }
        submit { work, changes in
            .updated(key.name, old, plan, work.update(key, encoded, expires, version, plan, &changes))
        }
    }

    /// Handles the outcome of a metadata update.
    ///
    /// - Parameter old: The entry as it was before.
    func updated(
        _ name: EntryName, _ old: IndexedEntry, _ plan: DiskIndex.Plan, _ outcome: DiskWork.WriteOutcome
    ) {
        if outcome.bytes == nil, outcome.keptBytes == nil { index.forget(name, version: plan.version) }
        keep(outcome.leftovers)
        renewals.end(name, plan.version)
        if let bytes = outcome.bytes {
            index.settle(name, plan.version, bytes: bytes)
            keepLimits()
            isUnsynchronized(name)
        } else if let bytes = outcome.keptBytes {
            // The index file may already list the new metadata.
            if let kept = index.restore(name, plan.version, as: old, bytes: bytes) {
                tell([DiskWork.Learned(name: name, entry: kept)])
                keepLimits()
            }
        }
        if let failure = outcome.failure { work.onFailure(CacheFailure(.write, failure)) }
    }
}

extension RemovedEntry {
    init(_ item: DiskIndex.Item) { self.init(digest: item.name.text, byteCount: item.bytes) }
}

extension DiskWork {
    /// Describes an entry by its file's contents; nil when the file isn't a valid entry.
    func info(_ name: EntryName) -> DiskEntry? {
        guard case .success(let (tail, _)) = readTail(name), let metadata = EntryMetadata(tail.metadata) else {
            return nil
        }
        let path = path(of: name)
        let allocated: Int
        do throws(FileError) {
            allocated = try files.status(path).allocated
        } catch {
            return nil
        }
        let stored = Date(timeIntervalSince1970: TimeInterval(metadata.storedAt))
        return DiskEntry(
            digest: name.text, file: URL(fileURLWithPath: path), byteCount: allocated, url: metadata.source,
            isProcessed: metadata.original != nil, format: metadata.format, size: metadata.size, tags: metadata.tags,
            storedAt: stored, lastUsedAt: stored,
            expiresAt: tail.expires.map { Date(timeIntervalSince1970: TimeInterval($0)) },
            headers: metadata.response?.headers ?? [:], freshness: metadata.response?.freshness)
    }

    /// Whether a file is an entry of `key` that hasn't expired, according to the end of the file.
    func holds(_ key: StoredKey, at path: String, now: Int64) -> Bool {
        guard case .success(let (tail, _)) = readTail(at: path) else { return false }
        return tail.holds(key) && tail.expires.map { $0 > now } ?? true
    }

    /// The reason why a file isn't an intact entry; nil if it is.
    func defect(of name: EntryName, byteLimit: Int) -> Defect? {
        do throws(FileError) {
            let file = try files.read(path(of: name), byteLimit: byteLimit)
            return EntryFile.defect(of: file, name: name).map(Defect.entry)
        } catch {
            return Defect(error)
        }
    }
}
