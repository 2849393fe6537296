// Removing entries at the request of the program. Its caller waits until the store has removed them.

extension GuardedStore {
    /// Removes all entries of a source, whatever else selects their bytes.
    @discardableResult
    func remove(source: String) async -> ImageLoaderError? {
        await remove(.source(source), as: .clearing, of: source, named: source)
    }

    /// Removes all entries.
    @discardableResult
    func removeAll() async -> ImageLoaderError? { await remove(.all, as: .clearing, named: "all entries") }

    /// Removes the selected entries. Returns the error if the store failed.
    ///
    /// - Parameter keys: Makes the keys of URLs; nil if each URL is its own key.
    func remove(_ selection: CacheSelection, by keys: CacheKeyPolicy?) async -> ImageLoaderError? {
        switch selection {
        case .all: return await removeAll()
        case .url(let url): return await remove(source: DiskStore.source(of: url, by: keys))
        case .expired: return await remove(.expired, as: .upkeep, named: "expired entries")
        // It isn't known which sources they have. No work that began earlier can store its result. Until the end,
        // look-ups may find them.
        case .tag(let tag): return await remove(.tag(tag), as: .replacement, named: "entries with the tag \(tag)")
        case .prefix(let text):
            let prefix = ParsedURL.normalPrefix(text).splitUserInfo.text
            return await remove(named: "entries with the prefix \(prefix)") { $0.key.source.hasPrefix(prefix) }
        }
    }

    private func remove(
        _ selection: StoredSelection, as kind: LedgerTable.Kind, of source: String? = nil, named name: String
    ) async -> ImageLoaderError? {
        await change(kind, .remove, of: source, named: name, waits: true) {
            [store] _ async throws(ImageLoaderError) in
            try await store.removeEntries(selection)
        }.error
    }

    /// Removes the entries whose metadata matches. Returns the error if the store failed.
    func remove(
        named name: String, where matches: @escaping @Sendable (StoredMetadata) -> Bool
    ) async -> ImageLoaderError? {
        await change(.replacement, .remove, of: nil, named: name, waits: true) {
            [store] _ async throws(ImageLoaderError) in
            let keys = try await store.listed(.all).get().filter(matches).map(\.key)
            for start in stride(from: 0, to: keys.count, by: 256) {
                try await store.removeEntries(.keys(Array(keys[start..<min(start + 256, keys.count)])))
            }
        }.error
    }

    /// Waits until all changes have been carried out, and the store has made them permanent.
    func flush() async {
        await change(.write, .write, of: nil, named: "all entries", waits: true) {
            _ async throws(ImageLoaderError) in
        }
        // Later changes don't wait for this.
        await store.flush()
    }
}
