import Synchronization

// Removing entries from a program's store.

extension GuardedStore {
    /// Removes an entry and everything made from it, unless the key was removed since `ticket` was taken.
    ///
    /// Look-ups don't find them from now on, even if the store fails.
    ///
    /// - Parameter waits: Whether to return only when the store has removed them, however long it takes.
    /// - Returns: The ticket for storing a replacement; nil if nothing was done.
    @discardableResult
    func hide(_ key: StoredKey, begun ticket: Ticket? = nil, waits: Bool = false) async -> Ticket? {
        guard let change = ledger.begin(.removal, key.name.source, begun: ticket) else { return nil }
        await carryOut(change, .remove, of: key.source, waits: waits) { [store] () async throws(ImageLoaderError) in
            try await store.removeEntries(.keys([key]))
            try await store.removeEntries(.tag(EntryMetadata.tag(ofOriginal: key.text)))
        }
        return change.ticket
    }

    /// Removes an entry whose bytes can't be used. Work that began earlier may still store new bytes.
    func discard(_ key: StoredKey) async {
        guard let change = ledger.begin(.write, key.name.source) else { return }
        await carryOut(change, .remove, of: key.source) { [store] () async throws(ImageLoaderError) in
            try await store.removeEntries(.keys([key]))
        }
    }

    /// Removes everything made from another version of an entry.
    func removeMade(of key: StoredKey, replacedBy response: StoredResponse) async {
        let outdated = (await made(of: key) ?? []).filter { $0.response.map(response.isKnownToDiffer) ?? false }
        guard !outdated.isEmpty, let change = ledger.begin(.write, key.name.source) else { return }
        await carryOut(change, .remove, of: key.source) { [store] () async throws(ImageLoaderError) in
            try await store.removeEntries(.keys(outdated.map(\.key)))
        }
    }

    /// The metadata of everything made from an entry; nil if the store failed or didn't answer in time.
    func made(of key: StoredKey) async -> [StoredMetadata]? {
        let source = key.name.source
        guard settings.deadline == nil || late.permit(source) else { return nil }
        let call = StoreCall(time, settings.deadline, isCancelled: true) { [store] in
            await Self.list(.tag(EntryMetadata.tag(ofOriginal: key.text)), in: store)
        }
        let answer = await call.answer { [late] isCancelled in late.begin(isCancelled ? nil : source) }
        switch answer {
        case .success(let found)?: return found.filter { $0.decoded?.original == key.text }
        case .failure(let error)?: report(.read, key.source, "\(error)")
        case nil: if !Task.isCancelled { report(.read, key.source, "no answer within the store's deadline") }
        }
        return nil
    }

    /// Removes all entries of a source, whatever else selects their bytes.
    @discardableResult
    func remove(source: String) async -> ImageLoaderError? {
        await remove(.source(source), of: source)
    }

    /// Removes all entries.
    @discardableResult
    func removeAll() async -> ImageLoaderError? { await remove(.all, of: nil) }

    private func remove(_ selection: StoredSelection, of source: String?) async -> ImageLoaderError? {
        guard let change = ledger.begin(.clearing, source.map(EntryName.digest(ofSource:))) else { return nil }
        return await carryOut(change, .remove, of: source, named: source ?? "all entries", waits: true) {
            [store] () async throws(ImageLoaderError) in
            try await store.removeEntries(selection)
        }
    }

    /// Removes the selected entries. Returns the error if the store failed.
    ///
    /// - Parameter keys: Makes the keys of URLs; nil if each URL is its own key.
    func remove(_ selection: CacheSelection, by keys: CacheKeyPolicy?) async -> ImageLoaderError? {
        switch selection {
        case .all: return await removeAll()
        case .url(let url): return await remove(source: DiskStore.source(of: url, by: keys))
        case .expired:
            let outcome = await Self.outcome { [store] () async throws(ImageLoaderError) in
                try await store.removeEntries(.expired)
            }
            return reported(outcome, "expired entries")
        case .tag(let tag):
            return await removeSelected("entries with the tag \(tag)") { (store) async throws(ImageLoaderError) in
                try await store.removeEntries(.tag(tag))
            }
        case .prefix(let text):
            let prefix = ParsedURL.normalPrefix(text).splitUserInfo.text
            return await remove(named: "entries with the prefix \(prefix)") { $0.key.source.hasPrefix(prefix) }
        }
    }

    /// Removes the entries whose metadata matches. Returns the error if the store failed.
    func remove(
        named name: String, where matches: @escaping @Sendable (StoredMetadata) -> Bool
    ) async -> ImageLoaderError? {
        await removeSelected(name) { (store) async throws(ImageLoaderError) in
            let listed = try await Self.list(.all, in: store).get()
            let keys = listed.filter(matches).map(\.key)
            for start in stride(from: 0, to: keys.count, by: 256) {
                try await store.removeEntries(.keys(Array(keys[start..<min(start + 256, keys.count)])))
            }
        }
    }

    /// Removes entries of which it isn't known which sources they have. No work that began earlier can store its
    /// result. Until then, look-ups may find them.
    private func removeSelected(
        _ name: String, _ work: @escaping @Sendable (any ImageStore) async throws(ImageLoaderError) -> Void
    ) async -> ImageLoaderError? {
        guard let change = ledger.begin(.replacement, nil) else { return nil }
        return await carryOut(change, .remove, of: nil, named: name, waits: true) {
            [store] () async throws(ImageLoaderError) in
            try await work(store)
        }
    }

    private func reported(_ outcome: Result<Void, ImageLoaderError>, _ name: String) -> ImageLoaderError? {
        guard case .failure(let error) = outcome else { return nil }
        report(.remove, name, "\(error)")
        return error
    }

    /// Returns the metadata of the selected entries, or the error that the store throws.
    @concurrent static func list(
        _ selection: StoredSelection, in store: any ImageStore
    ) async -> Result<[StoredMetadata], ImageLoaderError> {
        let found = Mutex<[StoredMetadata]>([])
        do throws(ImageLoaderError) {
            try await store.listEntries(selection) { part in found.withLock { $0 += part } }
            return .success(found.withLock { $0 })
        } catch {
            return .failure(error)
        }
    }

    /// Waits until all changes have been carried out, and the store has made them permanent.
    func flush() async {
        guard let change = ledger.begin(.write, nil) else { return }
        await change.isDue()
        // Later changes don't wait for the store's flush.
        ledger.end(change)
        await store.flush()
    }
}
