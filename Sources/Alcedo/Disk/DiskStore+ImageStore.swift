// The disk cache as a store that a program can wrap. A loader calls its other functions instead: they check that an
// entry wasn't removed in the same turn in which they change it.

extension DiskStore: ImageStore {
    /// Returns the entry stored under `key`; nil if it is absent, expired, unreadable or damaged.
    ///
    /// Counts as a use. Returns nil immediately when the calling Task is cancelled.
    public nonisolated func entry(for key: StoredKey, reading part: StoredPart) async -> StoredEntry? {
        await entry(for: key, readsBody: part == .whole)
    }

    /// Stores an entry, or replaces the metadata of an existing one; see ``ImageStore/store(_:_:)``.
    ///
    /// Returns before the entry is written; look-ups find it from now on. ``flush()`` waits for the file. An entry that
    /// can't be written or exceeds the limits is not stored, and an event is reported.
    public func store(_ body: StoredBody?, _ metadata: StoredMetadata) async {
        guard let properties = metadata.decoded else { return }
        let (key, expires) = (metadata.key, metadata.expiresAt)
        if let body { return store(body.content, properties, for: key, expires: expires, begun: ticket()) }
        guard let version = metadata.version else { return }
        await update(properties, for: key, expires: expires, version: version)
    }

    /// Removes the selected entries. They are gone from the disk on return.
    ///
    /// A load that began earlier can't store its result in this store.
    public func removeEntries(_ selection: StoredSelection) async {
        switch selection {
        case .all: await remove(CacheSelection.all)
        case .expired: await remove(CacheSelection.expired)
        case .source(let source): await remove(source: source)
        case .tag(let tag): await remove(CacheSelection.tag(tag))
        case .keys(let keys):
            open()
            for key in keys { removals.record(key.name.source) }
            await outcome(of: remove(keys.map(\.name), evenIfUnknown: true))
        }
    }

    /// Passes the metadata of the selected entries to `body`, in batches of at most 256.
    ///
    /// Waits until all entries have been written, and reads the end of each file, which takes about 5 µs.
    public func listEntries(_ selection: StoredSelection, _ body: @Sendable ([StoredMetadata]) -> Void) async {
        await caughtUp()
        await written()
        await readUnread()
        let names = names(selection)
        for start in stride(from: 0, to: names.count, by: 256) {
            let part = names[start..<min(start + 256, names.count)]
            let found = await maintenance.run { [work] in part.compactMap { work.metadata($0) } }
            body(found.filter { index.presence(of: $0.key.name, at: Self.beforeAll) != .absent })
        }
    }

    private func names(_ selection: StoredSelection) -> [EntryName] {
        switch selection {
        case .all: return index.names(at: Self.beforeAll)
        case .expired:
            let current = Set(index.names(at: now))
            return index.names(at: Self.beforeAll).filter { !current.contains($0) }
        case .keys(let keys):
            return keys.map(\.name).filter { index.presence(of: $0, at: Self.beforeAll) != .absent }
        case .source(let source): return index.names(ofSource: EntryName.digest(ofSource: source))
        case .tag(let tag): return index.names(withTag: tag)
        }
    }
}

extension DiskWork {
    /// The metadata of an entry according to its file; nil when the file isn't a valid entry.
    fileprivate func metadata(_ name: EntryName) -> StoredMetadata? {
        guard case .success(let (tail, _)) = readTail(name), let properties = EntryMetadata(tail.metadata),
            let key = StoredKey(source: properties.source, text: String(decoding: tail.key, as: UTF8.self))
        else { return nil }
        return StoredMetadata(key, tail.metadata, expires: tail.expires)
    }
}
